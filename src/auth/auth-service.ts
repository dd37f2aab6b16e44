import { hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { ReactionStore } from '../learning/reaction-store.ts';
import type { EntryStore } from '../reader/entry-store.ts';
import type { SocialStore } from '../social/social-store.ts';
import { isQualifiedName } from '../social/user-accounts.ts';
import { OperationalError } from '../telemetry/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, HOUR, SECOND } from '../time/duration.ts';
import type { TokenClaims } from './access-tokens.ts';
import { type AccessTokenOptions, AccessTokens, isOwnToken, type Person } from './access-tokens.ts';
import { type AccountStore, foldedName } from './account-store.ts';
import { Accounts } from './accounts.ts';
import { createAuthenticator } from './authenticator.ts';
import type { Authenticator } from './identity.ts';
import { type PasswordCost, Passwords, SignInThrottle } from './passwords.ts';
import { type RevocationList, Revocations } from './revocations.ts';
import { Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';
import {
  PUBLIC_KEY_ALGORITHMS,
  remoteKeySet,
  SECRET_ALGORITHMS,
  TokenVerifier,
  type TrustedIssuer,
} from './token-verifier.ts';

const DEFAULT_ISSUER = 'kawaraban';
const MIN_SECRET_LENGTH = 32;
/** Ended sessions and links are kept for a day so that they can still be inspected. */
const ENDED_SESSION_RETENTION_MS = DAY;
const SWEEP_INTERVAL_MS = 6 * HOUR;
/** Firestore bills each read. A session that ended elsewhere stays valid for this long. */
const SESSION_CACHE_MS = 30 * SECOND;

export interface AuthServiceDependencies {
  readonly config: Config;
  readonly store: AccountStore;
  /** Publishes follows to the change feed, so that a new person's home timeline is filled at once. */
  readonly social: Pick<SocialStore, 'addUser' | 'findUser' | 'listUsers' | 'follow'>;
  /** What people read; a removed account leaves nothing there. */
  readonly entries: Pick<EntryStore, 'removePerson'>;
  /** What people reacted to; it goes with the account too. */
  readonly reactions: Pick<ReactionStore, 'removePerson'>;
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly passwordCost?: PasswordCost;
  /** Revocation list shared by replicas, besides the account store. */
  readonly revocations?: RevocationList;
  /** This replica serves only timelines. */
  readonly timelinesOnly?: boolean;
}

/** Accounts, tokens and sessions for the server, gRPC and the command line. */
export interface AuthService extends AsyncDisposable {
  readonly authenticator: Authenticator;
  readonly revocations: Revocations;
  readonly accounts: Accounts;
  readonly tokens: AccessTokens;
  readonly signIn: SignIn;
  /** A key derived for one purpose, the same in all replicas. */
  keyFor(purpose: string): Uint8Array;
  /** Sweeps ended sessions and links at an interval until the signal. */
  runSweeper(signal: AbortSignal): Promise<void>;
}

export class SignInSecretError extends Error {
  override readonly name = 'SignInSecretError';
}

export async function createAuthService(deps: AuthServiceDependencies): Promise<AuthService> {
  const { config, store, entries, reactions, social, clock, log } = deps;
  const key = await tokenKey(deps);
  const tokenIssuers = trustedIssuers(deps, key);
  const revocations = new Revocations({
    clock,
    isValid: async (id) => (/^[0-9a-f]{64}$/.test(id) ? sessions.isValid(id) : tokens.isValid(id)),
    ...(deps.revocations && { shared: deps.revocations, isShareable: isOwnToken }),
  });
  const lifetimeMs = config.server.signIn.lifetime;
  const sessions = new Sessions({
    store,
    clock,
    revocations,
    lifetimeMs,
    ...(config.engine.kind === 'distributed' && { cacheTtlMs: SESSION_CACHE_MS }),
  });
  const [own] = tokenIssuers;
  const tokens = new AccessTokens({
    store: tokenStoreOf(deps),
    clock,
    revocations,
    verifier: new TokenVerifier(tokenIssuers, clock),
    own: { key, issuer: own?.issuer ?? DEFAULT_ISSUER, audience: own?.audience ?? DEFAULT_ISSUER },
    person: (claims) => personFromClaims(claims, deps),
  });
  const accounts = new Accounts({
    store,
    sessions,
    passwords: new Passwords(deps.passwordCost),
    throttle: new SignInThrottle(clock),
    entries,
    reactions,
    social,
    clock,
    isReserved: reservedNameCheck(config),
  });
  return {
    authenticator: createAuthenticator({ sessions, tokens, log }),
    revocations,
    accounts,
    tokens,
    signIn: createSignIn({ accounts, sessions, tokens, store, clock, lifetimeMs }),
    keyFor: (purpose) => new Uint8Array(hkdfSync('sha256', key, '', `kawaraban ${purpose}`, 32)),
    async runSweeper(signal) {
      while (!signal.aborted) {
        await store
          .sweep(clock.now() - ENDED_SESSION_RETENTION_MS)
          .catch((error: unknown) => log.warn('Failed to sweep ended sessions', { error }));
        await clock.sleep(SWEEP_INTERVAL_MS, signal).catch(() => {});
      }
    },
    [Symbol.asyncDispose]: () => revocations[Symbol.asyncDispose](),
  };
}

/** Names of the accounts that pipelines and sources post with, or may post with later. */
function reservedNameCheck({ pipelines, sources, publishers }: Config): (name: string) => boolean {
  const authors = Object.values(publishers).flatMap((each) =>
    each.kind === 'timeline' ? (each.author ?? []) : [],
  );
  const names = new Set([...Object.keys(pipelines), ...Object.keys(sources), ...authors].map(foldedName));
  return (name) => names.has(name) || isQualifiedName(name);
}

async function tokenKey({ config, store }: AuthServiceDependencies): Promise<Uint8Array> {
  const secret = config.server.signIn.secret?.reveal();
  if (secret === undefined) return store.signingKey(() => randomBytes(32));
  if (secret.length < MIN_SECRET_LENGTH)
    throw new SignInSecretError(
      `server.sign_in.secret has ${secret.length} characters: it needs at least ${MIN_SECRET_LENGTH}`,
    );
  return new TextEncoder().encode(secret);
}

/** A timelines-only replica may have no access to the accounts: it treats all tokens as issued by other replicas. */
function tokenStoreOf({
  store,
  timelinesOnly = false,
}: AuthServiceDependencies): AccessTokenOptions['store'] {
  const orNothing = async <T>(answer: Promise<T>, nothing: T): Promise<T> =>
    answer.catch((error: unknown) => {
      if (timelinesOnly && error instanceof OperationalError && error.kind === 'no_permission')
        return nothing;
      throw error;
    });
  return {
    addToken: (token) => store.addToken(token),
    findToken: (id) => orNothing(store.findToken(id), null),
    tokensOf: (userId) => store.tokensOf(userId),
    revokeToken: (userId, id, at) => store.revokeToken(userId, id, at),
    signingKey: (make) => orNothing(store.signingKey(make), new Uint8Array()),
  };
}

/** Own tokens first, then those of an external provider. */
function trustedIssuers(
  { config, fetcher, clock }: AuthServiceDependencies,
  key: Uint8Array,
): TrustedIssuer[] {
  const { jwks, issuer, audience } = config.server.signIn;
  const outside = jwks !== undefined && issuer !== undefined;
  const own: TrustedIssuer = {
    issuer: outside ? DEFAULT_ISSUER : (issuer ?? DEFAULT_ISSUER),
    audience: outside ? DEFAULT_ISSUER : (audience ?? DEFAULT_ISSUER),
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
 * With a remote user service, every subject that the provider names is a person. A timelines-only replica serves owners
 * nothing but metrics, so it reads the account only for tokens with the scope for these.
 */
async function personFromClaims(
  { subject, scopes }: TokenClaims,
  { config, store, social, timelinesOnly = false }: AuthServiceDependencies,
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

interface SignInServices {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tokens: AccessTokens;
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly lifetimeMs: number;
}

function createSignIn({ accounts, sessions, tokens, store, clock, lifetimeMs }: SignInServices): SignIn {
  return {
    lifetimeMs,
    signIn: (name, password, address, device) => accounts.signIn(name, password, address, device),
    inspectLink: (link) => accounts.inspectLink(link),
    redeemLink: (link, who, device) => accounts.redeemLink(link, who, device),
    changePassword: (userId, change) => accounts.changePassword(userId, change),
    sessions: (userId) => store.sessionsOf(userId, clock.now()),
    async endSession(userId, id) {
      const session = await store.findSession(id);
      return session?.userId === userId && sessions.end(id);
    },
    endSessions: (userId, except) => sessions.endAll(userId, except),
    tokens: (userId) => tokens.list(userId),
    issueToken: (identity, ask) => tokens.issue(identity, ask),
    revokeToken: (userId, id) => tokens.revoke(userId, id),
    listAccounts: () => accounts.list(),
    invite: (role) => accounts.invite(role),
    resetLink: (idOrName) => accounts.resetLink(idOrName),
    removeAccount: (userId) => accounts.remove(userId),
    mark: async (userId, timeline) =>
      (await store.marksOf(userId)).find((mark) => mark.timeline === timeline) ?? null,
    setMark: (userId, timeline, position) =>
      store.setMark(userId, { timeline, position, markedAt: clock.now() }),
  };
}
