import type { RefusedBecause } from './identity.ts';

/** Checks a token as such; who its subject is here is not its business. */
export interface TokenReader {
  verify(token: string): Promise<TokenReading>;
}

/** What a verified token says. */
export interface TokenClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly id: string | null;
  readonly expiresAt: number;
  /** As written: `scope` with spaces between. */
  readonly scopes: readonly string[];
}

export type TokenReading =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly why: RefusedBecause; readonly detail: string };
