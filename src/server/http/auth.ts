import { BlockList, isIP } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authentication, Authenticator, Identity, Scope } from '../../auth/identity.ts';
import type { Revocations } from '../../auth/revocations.ts';
import { plainAddress } from './client-address.ts';
import { type CsrfKey, rejectCrossSiteRequest } from './csrf.ts';
import { ProblemError } from './problem.ts';
import { isSecure, readSessionCookie } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; `null` is a guest. */
    identity: Identity | null;
    /** Why a credential was rejected; shown when a request needs one. */
    refusal: Extract<Authentication, { kind: 'refused' }> | null;
  }
}

/** Requires an owner, with a credential that may control. */
export function requireOwner(request: FastifyRequest): void {
  const identity = requireIdentity(request);
  if (identity.role !== 'owner')
    throw new ProblemError({
      status: 403,
      code: 'owner_required',
      title: 'Only the owner may do this',
      detail: 'You are signed in as a reader.',
    });
  assertScope(identity, 'control');
}

/** The caller, with a credential that has this scope. */
export function requireScope(request: FastifyRequest, scope: Scope): Identity {
  const identity = requireIdentity(request);
  assertScope(identity, scope);
  return identity;
}

/** The caller, for a handler whose route requires one. */
export function requireIdentity(request: FastifyRequest): Identity {
  if (request.identity !== null) return request.identity;
  const ended = request.refusal !== null;
  throw new ProblemError(
    {
      status: 401,
      code: ended ? 'session_ended' : 'sign_in_required',
      title: ended ? 'Sign in again' : 'Sign in first',
      detail: request.refusal?.detail ?? 'This is for people who are signed in.',
    },
    { 'www-authenticate': 'Bearer' },
  );
}

function assertScope({ scopes }: Identity, scope: Scope): void {
  if (scopes.has(scope)) return;
  throw new ProblemError(
    {
      status: 403,
      code: 'insufficient_scope',
      title: 'Insufficient scope',
      detail: `It needs the scope "${scope}".`,
      parameters: { scope },
    },
    { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  );
}

export interface AuthOptions {
  readonly authenticator: Authenticator;
  readonly csrf: CsrfKey;
  /** Closes open streams when their session or token is revoked. */
  readonly revocations: Pick<Revocations, 'onRevoked'>;
  /** Whether guests may read public content. */
  readonly guests: boolean;
  /** Public origin of the page, if it differs from that of the request (behind a proxy). */
  readonly origin?: string;
}

/** Authenticates every request before its handler runs. Rejects tokens in URLs, and requests of other sites. */
export async function installAuth(server: FastifyInstance, options: AuthOptions): Promise<void> {
  await server.register(fastifyCookie);
  server.decorateRequest('identity', null);
  server.decorateRequest('refusal', null);
  server.addHook('onRequest', async (request) => {
    rejectTokenInQuery(request.query);
    const session = readSessionCookie(request, isSecure(request, options.origin));
    const { authorization } = request.headers;
    const answer = await options.authenticator.authenticate({ session, authorization });
    if (answer.kind === 'known') request.identity = answer.identity;
    if (answer.kind === 'refused') rejectOrRecordRefusal(request, answer);
    rejectCrossSiteRequest(request, options);
  });
}

/** A program with an invalid token is rejected at once. A browser with an outdated cookie continues as a guest. */
function rejectOrRecordRefusal(
  request: FastifyRequest,
  refusal: Extract<Authentication, { kind: 'refused' }>,
): void {
  if (refusal.why === 'unavailable')
    throw new ProblemError(
      {
        status: 503,
        code: 'authentication_unavailable',
        title: 'Authentication unavailable',
        detail: refusal.detail,
      },
      { 'retry-after': '10' },
    );
  if (refusal.by !== 'session')
    throw new ProblemError(
      { status: 401, code: 'invalid_token', title: 'Invalid token', detail: refusal.detail },
      { 'www-authenticate': 'Bearer error="invalid_token"' },
    );
  request.refusal = refusal;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** An owner, or a request from a network of operators. */
    isOperator(): boolean;
  }
}

export interface GuardOptions {
  /** Whether guests may read public content. */
  readonly guests: boolean;
  /** IP addresses or ranges whose requests count as an operator's. */
  readonly operatorNetworks: readonly string[];
}

/** Authorizes requests by the matched route (X25). Install after `installAuth`, which authenticates. */
export function guardRoutes(server: FastifyInstance, { guests, operatorNetworks }: GuardOptions): void {
  const operators = blockListOf(operatorNetworks);
  server.decorateRequest('isOperator', function (this: FastifyRequest) {
    return this.identity?.role === 'owner' || isFromOperator(this, operators);
  });
  server.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const { access, scope = 'read' } = request.routeOptions.config;
    switch (access) {
      case 'open':
        return;
      case 'everybody':
        // Guests may read here, but a token without the scope is still rejected.
        if (request.identity !== null || !guests) requireScope(request, scope);
        return;
      case 'person':
        requireScope(request, scope);
        return;
      case 'owner':
        requireOwner(request);
        return;
      case 'operator':
        if (!request.isOperator()) refuseOperatorRoute(request);
        return;
      case undefined:
        throw new Error(`Route ${request.routeOptions.url} does not declare its access.`);
    }
  });
}

/** A client behind a proxy is not on the proxy's network. */
function isFromOperator({ headers, socket }: FastifyRequest, operators: BlockList): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  const address = plainAddress(socket.remoteAddress ?? '');
  return isIP(address) !== 0 && operators.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function refuseOperatorRoute(request: FastifyRequest): never {
  requireIdentity(request);
  throw new ProblemError({
    status: 403,
    code: 'monitoring_only',
    title: 'Only for monitoring',
    detail: 'This is for the owner and for the networks that telemetry.metrics_from lists.',
  });
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** URLs end up in logs and histories, so credentials in them are rejected (X7). */
export function rejectTokenInQuery(query: unknown): void {
  if (typeof query !== 'object' || query === null) return;
  const named = Object.keys(query).find((key) => /token|secret|authorization|api_?key|password/i.test(key));
  if (named === undefined) return;
  throw new ProblemError({
    status: 400,
    code: 'token_in_url',
    title: 'A token must not be in the URL',
    detail: 'Send it in the Authorization header, or use the session cookie.',
    errors: [{ field: named.slice(0, 40), detail: 'is not accepted in the URL' }],
  });
}
