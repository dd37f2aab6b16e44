import type { FastifyReply, FastifyRequest } from 'fastify';

/** With the prefix `__Host-` the browser ensures that no other host has set the cookie. */
const PLAIN = 'kawaraban_session';
const SECURE = `__Host-${PLAIN}`;

/** Whether the browser uses https, by the request itself or by the page's public origin (behind a proxy). */
export function isSecure({ protocol }: FastifyRequest, origin: string | undefined): boolean {
  return protocol === 'https' || origin?.startsWith('https:') === true;
}

/** The token in the session cookie. Over https only the cookie with the `__Host-` prefix is accepted. */
export function readSessionCookie({ cookies }: FastifyRequest, secure: boolean): string | undefined {
  return cookies[SECURE] ?? (secure ? undefined : cookies[PLAIN]);
}

/** Scripts cannot read the cookie, and browsers do not send it with writes from other sites. */
export function setSessionCookie(
  reply: FastifyReply,
  token: string,
  { maxAge, secure }: { readonly maxAge: number; readonly secure: boolean },
): void {
  reply.setCookie(secure ? SECURE : PLAIN, token, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    maxAge: Math.trunc(maxAge),
    secure,
  });
}

export function clearSessionCookie(reply: FastifyReply, secure: boolean): void {
  setSessionCookie(reply, '', { maxAge: 0, secure });
}
