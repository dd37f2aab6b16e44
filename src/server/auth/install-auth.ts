import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authentication, Authenticator } from '../../auth/identity.ts';
import type { Revocations } from '../../auth/revocations.ts';
import { isSecure, readSessionCookie } from '../http/session-cookie.ts';
import { ProblemError } from '../problem.ts';
import { type CsrfKey, refuseForeignRequest } from './csrf.ts';
import { refuseTokenInAddress } from './token-in-address.ts';

export interface AuthOptions {
  readonly authenticator: Authenticator;
  readonly csrf: CsrfKey;
  /** Ends what is open for a session or token that was revoked. */
  readonly revocations: Pick<Revocations, 'onRevoked'>;
  /** Whether guests may read what is public. */
  readonly guests: boolean;
  /** Origin under which people reach the page, where it is not the one that the request names (behind a proxy). */
  readonly origin?: string;
}

/** Every request knows who asks before its handler runs. Tokens in addresses and requests of other sites are refused. */
export async function installAuth(server: FastifyInstance, options: AuthOptions): Promise<void> {
  await server.register(fastifyCookie);
  server.decorateRequest('identity', null);
  server.decorateRequest('refusal', null);
  server.addHook('onRequest', async (request) => {
    refuseTokenInAddress(request.query);
    const session = readSessionCookie(request, isSecure(request, options.origin));
    const { authorization } = request.headers;
    const answer = await options.authenticator.authenticate({ session, authorization });
    if (answer.kind === 'known') request.identity = answer.identity;
    if (answer.kind === 'refused') refuseOrRemember(request, answer);
    refuseForeignRequest(request, options);
  });
}

/** A program with a bad token must hear of it at once. A browser with an old cookie goes on as a guest. */
function refuseOrRemember(
  request: FastifyRequest,
  refusal: Extract<Authentication, { kind: 'refused' }>,
): void {
  if (refusal.why === 'unavailable')
    throw new ProblemError(
      { status: 503, title: 'Who you are cannot be checked now', detail: refusal.detail },
      { 'retry-after': '10' },
    );
  if (refusal.by !== 'session')
    throw new ProblemError(
      { status: 401, title: 'The token does not count', detail: refusal.detail },
      { 'www-authenticate': 'Bearer error="invalid_token"' },
    );
  request.refusal = refusal;
}
