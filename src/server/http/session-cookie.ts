import type { FastifyReply, FastifyRequest } from 'fastify';

/** With the prefix `__Host-` the browser itself makes sure that no other host has set the cookie. */
const PLAIN = 'kawaraban_session';
const SECURE = `__Host-${PLAIN}`;

/** Whether the browser uses https, as the request itself says or as the page's public address does (behind a proxy). */
export function isSecure({ protocol }: FastifyRequest, origin: string | undefined): boolean {
  return protocol === 'https' || origin?.startsWith('https:') === true;
}

/** The token in the session cookie. By https only the cookie that no other host can set counts. */
export function readSessionCookie({ cookies }: FastifyRequest, secure: boolean): string | undefined {
  return cookies[SECURE] ?? (secure ? undefined : cookies[PLAIN]);
}

/** Scripts cannot read the cookie, and other sites cannot make the browser send it with a change. */
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
