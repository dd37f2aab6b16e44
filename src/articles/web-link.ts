const MAX_LENGTH = 4_000;

/** An absolute address of the web without a password; `null` for any other. */
export function webLink(written: string | undefined, base: string): string | null {
  if (written === undefined || written.length > MAX_LENGTH) return null;
  const text = written.trim();
  if (text === '') return null;
  const url = URL.parse(text, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null;
  return url.href.length > MAX_LENGTH ? null : url.href;
}
