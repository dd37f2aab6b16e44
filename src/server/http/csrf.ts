import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from './problem.ts';

/** Derives the token that a page sends in a header besides its cookie. */
export interface CsrfKey {
  tokenFor(sessionId: string): string;
}

export const CSRF_HEADER = 'x-csrf-token';
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export function csrfKey(key: Uint8Array): CsrfKey {
  return {
    tokenFor: (sessionId) => createHmac('sha256', key).update(`csrf ${sessionId}`).digest('base64url'),
  };
}

/**
 * A browser also sends the cookie with requests that another site triggers. So a write must come from our own page by
 * the browser's own headers and, with a cookie, carry a token that only our own page can read.
 *
 * `@fastify/csrf-protection` checks neither Origin nor Sec-Fetch-Site, the only evidence when a
 * guest signs in, and keeps a secret in a second cookie; this token is derived from the session's ID and a key.
 */
export function rejectCrossSiteRequest(
  request: FastifyRequest,
  { csrf, origin }: { readonly csrf: CsrfKey; readonly origin?: string },
): void {
  if (SAFE_METHODS.has(request.method) || request.identity?.credential === 'token') return;
  if (!isSameOrigin(request, origin))
    throw crossSiteProblem('cross_site_request', 'The request comes from a page of another site.');
  if (request.identity?.credential !== 'session') return;
  const given = request.headers[CSRF_HEADER];
  if (typeof given !== 'string' || !timingSafeEquals(given, csrf.tokenFor(request.identity.id)))
    throw crossSiteProblem(
      'csrf_token_invalid',
      `The header ${CSRF_HEADER} must carry the token that GET /api/v1/session gives.`,
    );
}

/** Clients other than browsers send neither header. */
function isSameOrigin(request: FastifyRequest, ownOrigin: string | undefined): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin } = request.headers;
  if (origin === undefined) return true;
  return origin === ownOrigin || URL.parse(origin)?.host === request.host;
}

function crossSiteProblem(code: 'cross_site_request' | 'csrf_token_invalid', detail: string): ProblemError {
  return new ProblemError({ status: 403, code, title: 'Cross-site request rejected', detail });
}

function timingSafeEquals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
