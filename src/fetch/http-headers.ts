import { DAY, SECOND } from '../time/duration.ts';
import { type AddressPolicy, checkTarget } from './address-policy.ts';
import { acceptEncoding } from './exchange.ts';
import type { FetchRequest } from './fetcher.ts';

/** Ours to set, or the connection's. A caller's `Host` would also change whose certificate is asked for. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What may follow a redirect to another origin. Everything else may be a secret of the first one. */
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'cache-control',
  'if-modified-since',
  'if-none-match',
  'range',
  'user-agent',
]);

export function userAgent(contact: string | null): string {
  const clean = contact?.replace(/[^\x20-\x7e]|[()]/g, '').trim();
  return clean ? `Kawaraban/0.1 (+${clean})` : 'Kawaraban/0.1';
}

/** The headers of one hop. Throws for a header that cannot be sent, without repeating its value. */
export function headersFor(
  request: FetchRequest,
  agent: string,
  sameOrigin: boolean,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'user-agent': agent, 'accept-encoding': acceptEncoding };
  for (const name in request.headers) {
    const value = request.headers[name];
    const key = name.toLowerCase();
    if (value === undefined || RESERVED_HEADERS.has(key) || (!sameOrigin && !CROSS_ORIGIN_HEADERS.has(key)))
      continue;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new TypeError(`the header "${name.slice(0, 40)}" cannot be sent`);
    headers[key] = value;
  }
  return headers;
}

export type RedirectTarget =
  | { readonly ok: true; readonly url: URL; readonly permanent: boolean }
  | { readonly ok: false; readonly why: 'bad_address' | 'blocked_address'; readonly detail: string };

/** The checked target of a redirect; `null` if the response is none. */
export function nextHop(
  status: number,
  location: string | undefined,
  from: URL,
  policy: AddressPolicy,
): RedirectTarget | null {
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

/** Longer times in `Retry-After` are capped to this. */
export const MAX_RETRY_AFTER_MS = DAY;

/**
 * Reads `Retry-After`, seconds or a date, as a time since the epoch; `null` when there is none or it makes no sense.
 * A date is compared with the server's `Date` header if present, so that a wrong clock does no harm.
 */
export function retryAfter(value: string | undefined, now: number, serverDate?: string): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  let wait: number;
  if (/^\d+(\.\d+)?$/.test(text)) {
    wait = Number(text) * SECOND;
  } else {
    const at = Date.parse(text);
    if (Number.isNaN(at) || !/[a-z]/i.test(text)) return null;
    const theirNow = serverDate === undefined ? Number.NaN : Date.parse(serverDate);
    wait = at - (Number.isNaN(theirNow) ? now : theirNow);
  }
  return now + Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(wait)));
}
