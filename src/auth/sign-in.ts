import type { AccessToken, Account, Link, ReadMark, Session } from './account-store.ts';
import type { Identity, Role, Scope } from './identity.ts';
import type { AccountProblem } from './passwords.ts';

/** Accounts as the server uses them. Created in `src/app/app.ts`. */
export interface SignIn {
  /** How long a session lasts after it was last used. */
  readonly lifetimeMs: number;
  signIn(name: string, password: string, address: string, device: string): Promise<SignInResult>;
  /** Reads a link without consuming it; `null` for an invalid one. */
  inspectLink(link: string): Promise<{ readonly link: Link; readonly name: string | null } | null>;
  redeemLink(
    link: string,
    who: { readonly name?: string; readonly displayName?: string; readonly password: string },
    device: string,
  ): Promise<SignInSuccess | { readonly ok: false; readonly why: 'link' } | FieldError>;
  changePassword(
    userId: string,
    change: {
      readonly current: string;
      readonly next: string;
      readonly address: string;
      readonly keep: string;
    },
  ): Promise<
    | { readonly ok: true; readonly ended: number }
    | Exclude<SignInResult, SignInSuccess>
    | ({ readonly ok: false; readonly why: 'password' } & AccountProblem)
  >;

  sessions(userId: string): Promise<readonly Session[]>;
  endSession(userId: string, id: string): Promise<boolean>;
  endSessions(userId: string, except?: string): Promise<number>;

  tokens(userId: string): Promise<readonly AccessToken[]>;
  issueToken(
    identity: Identity,
    ask: { readonly label: string; readonly scopes: readonly Scope[]; readonly lifetimeMs: number },
  ): Promise<{ readonly token: string; readonly record: AccessToken }>;
  revokeToken(userId: string, id: string): Promise<boolean>;

  listAccounts(): Promise<readonly Account[]>;
  invite(role: Role): Promise<IssuedLink>;
  resetLink(idOrName: string): Promise<{ readonly link: IssuedLink; readonly account: Account } | null>;
  removeAccount(userId: string): Promise<'removed' | 'unknown' | 'last_owner'>;

  mark(userId: string, timeline: string): Promise<ReadMark | null>;
  setMark(userId: string, timeline: string, position: string): Promise<ReadMark>;
}

export interface IssuedLink {
  readonly token: string;
  readonly purpose: Link['purpose'];
  readonly expiresAt: number;
}

export interface SignInSuccess {
  readonly ok: true;
  readonly opened: { readonly token: string; readonly identity: Identity };
}

export type SignInResult =
  | SignInSuccess
  | { readonly ok: false; readonly why: 'wrong' }
  | { readonly ok: false; readonly why: 'wait'; readonly waitMs: number };

export interface FieldError extends AccountProblem {
  readonly ok: false;
  readonly why: 'field';
  readonly field: 'name' | 'password';
}
