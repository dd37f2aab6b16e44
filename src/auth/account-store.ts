import type { Role, Scope } from './identity.ts';

/**
 * Accounts and their credentials. Nothing stored here grants access by itself: passwords, sessions and
 * links are stored as hashes. A person is a user of the social store first; the account adds a role and a password.
 */
export interface AccountStore extends AsyncDisposable {
  /** `taken`: the user has an account, or the name is in use; nothing is changed. */
  addAccount(account: Account): Promise<'added' | 'taken'>;
  findAccount(by: { readonly userId: string } | { readonly name: string }): Promise<Account | null>;
  /** Ordered by name. */
  listAccounts(): Promise<readonly Account[]>;
  /** False for an unknown account. */
  setPassword(userId: string, passwordHash: string, at: number): Promise<boolean>;
  /**
   * Removes an account with its sessions, tokens and marks. The last owner cannot be removed, not even by concurrent
   * removals: the check and the removal are atomic.
   */
  removeAccount(userId: string): Promise<AccountRemoval>;

  addSession(session: Session): Promise<void>;
  findSession(id: string): Promise<Session | null>;
  /** Most recently used first, without ended and expired ones. */
  sessionsOf(userId: string, now: number): Promise<readonly Session[]>;
  /** False if it has ended meanwhile: an ended session is never revived. */
  touchSession(id: string, seenAt: number, expiresAt: number): Promise<boolean>;
  endSession(id: string): Promise<boolean>;
  /** Ends all sessions of a user but one; returns the IDs of those that ended. */
  endSessions(userId: string, except?: string): Promise<readonly string[]>;

  addLink(link: Link): Promise<void>;
  findLink(id: string): Promise<Link | null>;
  /** Consumes a link. Exactly one of any number of concurrent callers gets it; an expired one is never returned. */
  consumeLink(id: string, now: number): Promise<Link | null>;
  /** Revokes all unused links of this purpose. */
  revokeLinks(purpose: Link['purpose']): Promise<void>;

  addToken(token: AccessToken): Promise<void>;
  findToken(id: string): Promise<AccessToken | null>;
  /** Newest first. */
  tokensOf(userId: string): Promise<readonly AccessToken[]>;
  /** False if the user has no such token, or it was already revoked. */
  revokeToken(userId: string, id: string, at: number): Promise<boolean>;
  /** Revokes all tokens of a user; returns the IDs of those that were not revoked before. */
  revokeTokens(userId: string, at: number): Promise<readonly string[]>;

  /** The user's read positions, by timeline. */
  marksOf(userId: string): Promise<readonly ReadMark[]>;
  /** The mark with the latest time wins, in whatever order they arrive; returns that one. */
  setMark(userId: string, mark: ReadMark): Promise<ReadMark>;

  /** Deletes sessions, links and tokens that ended before this time. Returns their number. */
  sweep(before: number): Promise<number>;
  /** The default signing key where none is configured: created once, the same for all replicas. */
  signingKey(make: () => Uint8Array): Promise<Uint8Array>;
}

export type AccountRemoval =
  /** `ended`: IDs of its sessions and tokens. */
  | { readonly removed: true; readonly ended: readonly string[] }
  | { readonly removed: false; readonly why: 'unknown' | 'last_owner' };

export interface Account {
  readonly userId: string;
  /** As spelled in the social store. Names that differ only in letter case are the same name. */
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly passwordChangedAt: number;
}

export interface Session {
  /** Hash of the cookie's token. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
  /** The browser's user agent, for the list of sessions. */
  readonly device: string;
}

export interface Link {
  /** Hash of the link's token. */
  readonly id: string;
  /** `owner`: the first start. `invite`: a new person. `reset`: a new password for `userId`. */
  readonly purpose: 'owner' | 'invite' | 'reset';
  readonly role: Role;
  /** The user whom the link is for, if known yet. */
  readonly userId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface AccessToken {
  readonly id: string;
  readonly userId: string;
  /** Purpose, in the person's own words. */
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

export interface ReadMark {
  /** `home`, `local` or `global`. */
  readonly timeline: string;
  /** ID of the drop at which the reader stopped. */
  readonly position: string;
  readonly markedAt: number;
}

/** Key for looking up a name. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
