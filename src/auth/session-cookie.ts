/** The cookie's name. With `__Host-` the browser itself makes sure that no other host has set it. */
const PLAIN = 'kawaraban_session';
const SECURE = `__Host-${PLAIN}`;

/** What the session cookie holds; `null` where there is none. By https only the one that no other host can set counts. */
export function readSessionCookie(header: string | undefined, secure: boolean): string | null {
  if (header === undefined) return null;
  const held = new Map<string, string>();
  for (const part of header.slice(0, 16_384).split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at)).trim();
    if (!held.has(name)) held.set(name, part.slice(at + 1).trim());
  }
  return held.get(SECURE) ?? (secure ? null : (held.get(PLAIN) ?? null));
}

/** The value of `Set-Cookie` that keeps a session. Scripts cannot read it, and other sites cannot make it be sent with a change. */
export function sessionCookie(token: string, seconds: number, secure: boolean): string {
  const name = secure ? SECURE : PLAIN;
  return `${name}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${Math.trunc(seconds)}${secure ? '; Secure' : ''}`;
}

/** Takes the cookie away again. */
export function endedCookie(secure: boolean): string {
  return sessionCookie('', 0, secure);
}
