import { ServerError, Status } from 'nice-grpc';
import type { Authenticator, Identity, Scope } from '../../auth/identity.ts';
import { invalidArgument, permissionDenied } from './messages.ts';
import type { Call } from './service.ts';

export interface CallAuthorizerOptions {
  readonly authenticator: Authenticator;
  /** Whether guests may read public content. */
  readonly isPublic: boolean;
}

/** The user on whose behalf a call is made, and whether a service makes it. */
export interface ActingUser {
  readonly userId: string;
  readonly asService: boolean;
}

/** A user's ID in requests; it becomes a part of store keys. */
const USER_ID_PATTERN = /^[\w.:@-]{1,128}$/;

/** Authenticates and authorizes callers: only a service may read another user's home or write in another user's name. */
export class CallAuthorizer {
  readonly #options: CallAuthorizerOptions;

  constructor(options: CallAuthorizerOptions) {
    this.#options = options;
  }

  /** For public content. Guests are rejected where the newsroom is closed to them. */
  async optionalIdentity(call: Call): Promise<Identity | null> {
    const identity = await this.#identify(call);
    if (identity === null && !this.#options.isPublic) throw unauthenticated('this is for signed-in people');
    if (identity !== null) assertScope(identity, 'read');
    return identity;
  }

  /** For calls that need a signed-in user. */
  async requireIdentity(call: Call, scope: Scope): Promise<Identity> {
    const identity = await this.#identify(call);
    if (identity === null) throw unauthenticated('send a Bearer token in the metadata `authorization`');
    assertScope(identity, scope);
    return identity;
  }

  /** The user on whose behalf the caller acts: the one named, or the caller by default. */
  async actingFor(call: Call, scope: Scope, field: string, userId: string): Promise<ActingUser> {
    const identity = await this.requireIdentity(call, scope);
    const asService = identity.credential === 'service';
    if (userId === '' && !asService) return { userId: identity.userId, asService };
    assertUserId(field, userId);
    if (userId !== identity.userId && !asService) throw permissionDenied(`${field}: this is another user's`);
    return { userId, asService };
  }

  async #identify(call: Call): Promise<Identity | null> {
    const authorization = call.header('authorization');
    if (authorization === undefined) return null;
    const answer = await this.#options.authenticator.authenticate({ authorization }, call.signal);
    if (answer.kind === 'known') return answer.identity;
    if (answer.kind === 'guest') return null;
    if (answer.why === 'unavailable')
      throw new ServerError(Status.UNAVAILABLE, 'tokens cannot be verified at the moment; retry later');
    throw unauthenticated(answer.detail);
  }
}

export function assertUserId(field: string, userId: string): void {
  if (userId === '') throw invalidArgument(field, 'must name a user');
  if (!USER_ID_PATTERN.test(userId)) throw invalidArgument(field, 'is not the ID of a user');
}

function assertScope(identity: Identity, scope: Scope): void {
  if (identity.credential !== 'service' && !identity.scopes.has(scope))
    throw permissionDenied(`the token does not have the scope "${scope}"`);
}

function unauthenticated(why: string): ServerError {
  return new ServerError(Status.UNAUTHENTICATED, why);
}
