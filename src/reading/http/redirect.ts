import type { AddressPolicy } from './address-policy.ts';
import { checkTarget } from './target.ts';

export type Hop =
  | { readonly ok: true; readonly url: URL; readonly permanent: boolean }
  | { readonly ok: false; readonly why: 'bad_address' | 'blocked_address'; readonly detail: string };

/** Where an answer sends us on to, checked; `null` when it does not. */
export function nextHop(
  status: number,
  location: string | undefined,
  from: URL,
  policy: AddressPolicy,
): Hop | null {
  const redirects = status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
  if (!redirects || location === undefined || location.trim() === '') return null;
  const target = checkTarget(asUtf8(location.trim()), policy, from);
  return target.ok ? { ok: true, url: target.url, permanent: status === 301 || status === 308 } : target;
}

/** Headers arrive byte by byte; a server that writes other letters than ASCII means UTF-8. */
function asUtf8(header: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes above ASCII are what is looked for
  if (!/[^\x00-\x7f]/.test(header)) return header;
  const bytes = Buffer.from(header, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? header : text;
}
