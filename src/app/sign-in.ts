import { hkdfSync, randomBytes } from 'node:crypto';
import { type AccessTokenOptions, AccessTokens, isOwnToken, type Person } from '../auth/access-tokens.ts';
import { type AccountStore, foldedName } from '../auth/account-store.ts';
import { Accounts } from '../auth/accounts.ts';
import { Attempts } from '../auth/attempts.ts';
import { createAuthenticator } from '../auth/create-authenticator.ts';
import type { Authenticator } from '../auth/identity.ts';
import { remoteKeySet } from '../auth/jwt/key-set.ts';
import {
  PUBLIC_KEY_ALGORITHMS,
  SECRET_ALGORITHMS,
  TokenVerifier,
  type TrustedIssuer,
} from '../auth/jwt/token-verifier.ts';
import { type PasswordCost, Passwords } from '../auth/password.ts';
import { Revocations, type SharedRevocations } from '../auth/revocations.ts';
import { Sessions } from '../auth/sessions.ts';
import type { TokenClaims } from '../auth/token-reader.ts';
import type { Config } from '../config/config.ts';
import { GoogleCredentialsError } from '../firestore/errors.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import type { SignIn } from '../server/sign-in.ts';
import type { SocialStore } from '../social/services.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, HOUR, SECOND } from '../time/duration.ts';
import { isNameBeside } from './user-name.ts';

const OWN_NAME = 'kawaraban';
const SHORTEST_SECRET = 32;
/** Ended sessions and links are of no use; a day lets whoever looks see that they were there. */
const KEEP_ENDED = DAY;
const SWEEP_EVERY = 6 * HOUR;
/** On Firestore each look is billed, and a session that ended elsewhere may count for this long. */
const REMEMBER_SHARED = 30 * SECOND;

export interface SignInParts {
  readonly config: Config;
  readonly store: AccountStore;
  /** Announces follows, so that a new person's home is there at once. */
  readonly social: Pick<SocialStore, 'addUser' | 'findUser' | 'listUsers' | 'follow'>;
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly passwordCost?: PasswordCost;
  /** What replicas share besides the account store. */
  readonly revocations?: SharedRevocations;
  /** This replica serves timelines and nothing else. */
  readonly timelinesOnly?: boolean;
}

/** Accounts at work, for the server, gRPC and the command line. */
export interface SigningIn extends AsyncDisposable {
  readonly authenticator: Authenticator;
  readonly revocations: Revocations;
  readonly accounts: Accounts;
  readonly tokens: AccessTokens;
  readonly signIn: SignIn;
  /** A key for one purpose, the same in all copies. */
  keyFor(purpose: string): Uint8Array;
  /** Forgets ended sessions and links, now and then, until the signal. */
  keepSweeping(signal: AbortSignal): Promise<void>;
}

export class SignInSecretError extends Error {
  override readonly name = 'SignInSecretError';
}

export async function signingIn(parts: SignInParts): Promise<SigningIn> {
  const { config, store, social, clock, log } = parts;
  const key = await tokenKey(parts);
  const tokenIssuers = issuersOf(parts, key);
  const revocations = new Revocations({
    clock,
    stillCounts: async (id) =>
      /^[0-9a-f]{64}$/.test(id) ? sessions.stillCounts(id) : tokens.stillCounts(id),
    ...(parts.revocations && { shared: parts.revocations, shares: isOwnToken }),
  });
  const lifetimeMs = config.server.signIn.lifetime;
  const sessions = new Sessions({
    store,
    clock,
    revocations,
    lifetimeMs,
    ...(config.engine.kind === 'distributed' && { rememberMs: REMEMBER_SHARED }),
  });
  const [own] = tokenIssuers;
  const tokens = new AccessTokens({
    store: tokenStoreOf(parts),
    clock,
    revocations,
    verifier: new TokenVerifier(tokenIssuers, clock),
    own: { key, issuer: own?.issuer ?? OWN_NAME, audience: own?.audience ?? OWN_NAME },
    person: (claims) => personOf(claims, parts),
  });
  const accounts = new Accounts({
    store,
    sessions,
    passwords: new Passwords(parts.passwordCost),
    attempts: new Attempts(clock),
    social,
    clock,
    isReserved: reservedNames(config),
  });
  return {
    authenticator: createAuthenticator({ sessions, tokens, log }),
    revocations,
    accounts,
    tokens,
    signIn: forServer({ accounts, sessions, tokens, store, clock, lifetimeMs }),
    keyFor: (purpose) => new Uint8Array(hkdfSync('sha256', key, '', `kawaraban ${purpose}`, 32)),
    async keepSweeping(signal) {
      while (!signal.aborted) {
        await store
          .sweep(clock.now() - KEEP_ENDED)
          .catch((error: unknown) => log.warn('ended sessions could not be swept', { error }));
        await clock.sleep(SWEEP_EVERY, signal).catch(() => {});
      }
    },
    [Symbol.asyncDispose]: () => revocations[Symbol.asyncDispose](),
  };
}

/** Names of the accounts that pipelines and sources post with, or may post with later. */
function reservedNames({ pipelines, sources, publishers }: Config): (name: string) => boolean {
  const authors = Object.values(publishers).flatMap((each) =>
    each.kind === 'timeline' ? (each.author ?? []) : [],
  );
  const names = new Set([...Object.keys(pipelines), ...Object.keys(sources), ...authors].map(foldedName));
  return (name) => names.has(name) || isNameBeside(name);
}

async function tokenKey({ config, store }: SignInParts): Promise<Uint8Array> {
  const secret = config.server.signIn.secret?.reveal();
  if (secret === undefined) return store.ownKey(() => randomBytes(32));
  if (secret.length < SHORTEST_SECRET)
    throw new SignInSecretError(
      `server.sign_in.secret has ${secret.length} characters: it needs at least ${SHORTEST_SECRET}`,
    );
  return new TextEncoder().encode(secret);
}

/** A replica that serves timelines alone may have no way to the accounts: then all tokens are those of other replicas. */
function tokenStoreOf({ store, timelinesOnly = false }: SignInParts): AccessTokenOptions['store'] {
  const orNothing = async <T>(answer: Promise<T>, nothing: T): Promise<T> =>
    answer.catch((error: unknown) => {
      if (timelinesOnly && error instanceof GoogleCredentialsError) return nothing;
      throw error;
    });
  return {
    addToken: (token) => store.addToken(token),
    findToken: (id) => orNothing(store.findToken(id), null),
    tokensOf: (userId) => store.tokensOf(userId),
    revokeToken: (userId, id, at) => store.revokeToken(userId, id, at),
    ownKey: (make) => orNothing(store.ownKey(make), new Uint8Array()),
  };
}

/** Our own tokens first; those of an outside provider beside them. */
function issuersOf({ config, fetcher, clock }: SignInParts, key: Uint8Array): TrustedIssuer[] {
  const { jwks, issuer, audience } = config.server.signIn;
  const outside = jwks !== undefined && issuer !== undefined;
  const own: TrustedIssuer = {
    issuer: outside ? OWN_NAME : (issuer ?? OWN_NAME),
    audience: outside ? OWN_NAME : (audience ?? OWN_NAME),
    algorithms: SECRET_ALGORITHMS,
    keys: { secrets: [key] },
  };
  if (!outside) return [own];
  const provider: TrustedIssuer = {
    issuer,
    ...(audience === undefined ? {} : { audience }),
    algorithms: PUBLIC_KEY_ALGORITHMS,
    keys: { set: remoteKeySet({ url: jwks, fetcher, clock }) },
  };
  return [own, provider];
}

/**
 * Where people live in another service, every subject that the provider names is one of them. A replica that serves timelines alone has
 * nothing for owners but its figures, so that it asks for the account only where the token may read these.
 */
async function personOf(
  { subject, scopes }: TokenClaims,
  { config, store, social, timelinesOnly = false }: SignInParts,
): Promise<Person | null> {
  const elsewhere = config.timelines.userService !== undefined;
  const account =
    elsewhere && timelinesOnly && !scopes.includes('control')
      ? null
      : await store.findAccount({ userId: subject });
  if (account !== null) return { userId: account.userId, name: account.name, role: account.role };
  if (elsewhere) return { userId: subject, name: subject, role: 'reader' };
  const user = await social.findUser(subject);
  return user?.kind === 'person' ? { userId: user.id, name: user.name, role: 'reader' } : null;
}

interface Working {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tokens: AccessTokens;
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly lifetimeMs: number;
}

function forServer({ accounts, sessions, tokens, store, clock, lifetimeMs }: Working): SignIn {
  return {
    lifetimeMs,
    signIn: (name, password, address, device) => accounts.signIn(name, password, address, device),
    lookAt: (link) => accounts.lookAt(link),
    welcome: (link, who, device) => accounts.welcome(link, who, device),
    changePassword: (userId, change) => accounts.changePassword(userId, change),
    sessions: (userId) => store.sessionsOf(userId, clock.now()),
    async endSession(userId, id) {
      const session = await store.findSession(id);
      return session?.userId === userId && sessions.end(id);
    },
    endSessions: (userId, except) => sessions.endAll(userId, except),
    tokens: (userId) => tokens.list(userId),
    makeToken: (identity, ask) => tokens.make(identity, ask),
    revokeToken: (userId, id) => tokens.revoke(userId, id),
    people: () => accounts.list(),
    invite: (role) => accounts.invite(role),
    resetLink: (idOrName) => accounts.resetLink(idOrName),
    remove: (userId) => accounts.remove(userId),
    mark: async (userId, timeline) =>
      (await store.marksOf(userId)).find((mark) => mark.timeline === timeline) ?? null,
    setMark: (userId, timeline, position) =>
      store.setMark(userId, { timeline, position, markedAt: clock.now() }),
  };
}
