/** An authenticated caller. */
export interface Identity {
  /** ID of the user in the social store. */
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  /** What this credential allows. A session has all scopes of its role. */
  readonly scopes: ReadonlySet<Scope>;
  /** Milliseconds since the epoch. A stream opened with this identity ends then. */
  readonly expiresAt: number;
  readonly credential: 'session' | 'token' | 'service';
  /** ID of the session or token, by which it is revoked. */
  readonly id: string;
}

/** The owner runs the newsroom; a reader reads, follows and posts as themselves. */
export type Role = 'owner' | 'reader';

/** `control` is the control room; only an owner's credential can have it. */
export const SCOPES = ['read', 'write', 'control'] as const;
export type Scope = (typeof SCOPES)[number];

export function scopesOf(role: Role): ReadonlySet<Scope> {
  return new Set(role === 'owner' ? SCOPES : (['read', 'write'] as const));
}

/** Credentials of a request, or of the metadata of a call. */
export interface Credentials {
  /** Token of the session cookie. */
  readonly session?: string | undefined;
  /** The whole `Authorization` header. */
  readonly authorization?: string | undefined;
}

export type Authentication =
  /** No credentials. */
  | { readonly kind: 'guest' }
  | { readonly kind: 'known'; readonly identity: Identity }
  /** A credential was presented and rejected. `detail` is for people and contains no part of it. */
  | {
      readonly kind: 'refused';
      readonly by: Identity['credential'];
      readonly why: RefusedBecause;
      readonly detail: string;
    };

export type RefusedBecause = 'malformed' | 'unknown' | 'expired' | 'revoked' | 'unavailable';

/** Authenticates a caller. A Bearer token takes precedence over a cookie. */
export interface Authenticator {
  authenticate(credentials: Credentials, signal?: AbortSignal): Promise<Authentication>;
}

/** For a server without accounts: every caller is a guest, and tokens are rejected. */
export const guestsOnly: Authenticator = {
  authenticate: async ({ authorization }) =>
    authorization === undefined
      ? { kind: 'guest' }
      : { kind: 'refused', by: 'token', why: 'unknown', detail: 'Tokens are not accepted here.' },
};
