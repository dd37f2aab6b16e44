/** Who asks, as far as it was proved. */
export interface Identity {
  /** ID of the user in the social store: whose home, whose follows, whose drops. */
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  /** What may be done with this credential. A session has all scopes of its role. */
  readonly scopes: ReadonlySet<Scope>;
  /** Milliseconds since the epoch. A stream that uses the identity ends then. */
  readonly expiresAt: number;
  readonly credential: 'session' | 'token' | 'service';
  /** The session's or token's own ID: what a revocation names. */
  readonly id: string;
}

/** The owner runs the newsroom; a reader reads, follows and posts as themselves. */
export type Role = 'owner' | 'reader';

/** `control` is the control room, and only an owner's credential can have it. */
export const SCOPES = ['read', 'write', 'control'] as const;
export type Scope = (typeof SCOPES)[number];

export function scopesOf(role: Role): ReadonlySet<Scope> {
  return new Set(role === 'owner' ? SCOPES : (['read', 'write'] as const));
}

/** What came with a request, or with the metadata of a call. */
export interface Credentials {
  /** Token of the session cookie. */
  readonly session?: string | undefined;
  /** The whole header. */
  readonly authorization?: string | undefined;
}

export type Authentication =
  /** No credential at all. */
  | { readonly kind: 'guest' }
  | { readonly kind: 'known'; readonly identity: Identity }
  /** There was a credential and it does not count. `by` says which; `detail` is for people and holds no part of it. */
  | {
      readonly kind: 'refused';
      readonly by: Identity['credential'];
      readonly why: RefusedBecause;
      readonly detail: string;
    };

export type RefusedBecause = 'malformed' | 'unknown' | 'expired' | 'revoked' | 'unavailable';

/** Proves who asks. A Bearer token goes before a cookie where both are there. */
export interface Authenticator {
  authenticate(credentials: Credentials, signal?: AbortSignal): Promise<Authentication>;
}

/** For a server without accounts: everybody is a guest, and a token is not understood. */
export const guestsOnly: Authenticator = {
  authenticate: async ({ authorization }) =>
    authorization === undefined
      ? { kind: 'guest' }
      : { kind: 'refused', by: 'token', why: 'unknown', detail: 'Tokens are not accepted here.' },
};
