import type { Role, Scope } from './identity.ts';

/**
 * Who may sign in, and what they are signed in with. Nothing in it lets anybody in by itself: passwords, sessions and
 * links are kept as hashes. A person is a user of the social store first; the account adds a role and a password.
 */
export interface AccountStore extends AsyncDisposable {
  /** `taken`: the user has an account, or somebody has the name; nothing is changed. */
  addAccount(account: Account): Promise<'added' | 'taken'>;
  findAccount(by: { readonly userId: string } | { readonly name: string }): Promise<Account | null>;
  /** In the order of their names. */
  listAccounts(): Promise<readonly Account[]>;
  /** False where there is no such account. */
  setPassword(userId: string, passwordHash: string, at: number): Promise<boolean>;
  /**
   * Removes an account with its sessions, tokens and marks. The last owner stays, however many removals run at the
   * same time: whether there is another is decided with the removal itself.
   */
  removeAccount(userId: string): Promise<AccountRemoval>;

  addSession(session: Session): Promise<void>;
  findSession(id: string): Promise<Session | null>;
  /** Newest use first; ended and expired ones are not among them. */
  sessionsOf(userId: string, now: number): Promise<readonly Session[]>;
  /** False where it has ended meanwhile: an ended session never comes back. */
  touchSession(id: string, seenAt: number, expiresAt: number): Promise<boolean>;
  endSession(id: string): Promise<boolean>;
  /** All sessions of a user but one; answers the IDs of those that ended. */
  endSessions(userId: string, except?: string): Promise<readonly string[]>;

  addLink(link: Link): Promise<void>;
  findLink(id: string): Promise<Link | null>;
  /** Takes a link out of use. Of any number of callers exactly one gets it; an expired one is nobody's. */
  consumeLink(id: string, now: number): Promise<Link | null>;
  /** Links of this purpose that were not used count no more. */
  revokeLinks(purpose: Link['purpose']): Promise<void>;

  addToken(token: AccessToken): Promise<void>;
  findToken(id: string): Promise<AccessToken | null>;
  /** Newest first. */
  tokensOf(userId: string): Promise<readonly AccessToken[]>;
  /** False where the user has no such token, or it was revoked already. */
  revokeToken(userId: string, id: string, at: number): Promise<boolean>;
  /** All tokens of a user; answers the IDs of those that were not revoked before. */
  revokeTokens(userId: string, at: number): Promise<readonly string[]>;

  /** Where the user stopped reading, by timeline. */
  marksOf(userId: string): Promise<readonly ReadMark[]>;
  /** The one that was set last stays, in whichever order they arrive; answers the one that stays. */
  setMark(userId: string, mark: ReadMark): Promise<ReadMark>;

  /** Forgets sessions, links and tokens that ended before this time. Answers how many. */
  sweep(before: number): Promise<number>;
  /** The key that everything of this newsroom is signed with where none is configured: made once, the same for all copies. */
  signingKey(make: () => Uint8Array): Promise<Uint8Array>;
}

export type AccountRemoval =
  /** `ended`: the IDs of its sessions and tokens. */
  | { readonly removed: true; readonly ended: readonly string[] }
  | { readonly removed: false; readonly why: 'unknown' | 'last_owner' };

export interface Account {
  readonly userId: string;
  /** Of the social store, in its own letters. Two names that differ only in letter case are one. */
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly passwordChangedAt: number;
}

export interface Session {
  /** Hash of what the cookie holds. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
  /** What the browser says it is, for the list of sessions. */
  readonly device: string;
}

export interface Link {
  /** Hash of what the link holds. */
  readonly id: string;
  /** `owner`: the first start. `invite`: a new person. `reset`: a new password for `userId`. */
  readonly purpose: 'owner' | 'invite' | 'reset';
  readonly role: Role;
  /** The user whom the link is for, where that is settled. */
  readonly userId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface AccessToken {
  readonly id: string;
  readonly userId: string;
  /** What it is for, in the person's own words. */
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

export interface ReadMark {
  /** `home`, `local` or `global`. */
  readonly timeline: string;
  /** The ID of the drop at which the reader stopped. */
  readonly position: string;
  readonly markedAt: number;
}

/** How a name is looked up. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
