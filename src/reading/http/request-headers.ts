import type { FetchRequest } from '../fetcher.ts';
import { acceptEncoding } from './decompress.ts';

/** Ours to set, or the connection's. A caller's `Host` would also change whose certificate is asked for. */
const NOT_THE_CALLERS: ReadonlySet<string> = new Set([
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
const HARMLESS: ReadonlySet<string> = new Set([
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
    if (value === undefined || NOT_THE_CALLERS.has(key) || (!sameOrigin && !HARMLESS.has(key))) continue;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new TypeError(`the header "${name.slice(0, 40)}" cannot be sent`);
    headers[key] = value;
  }
  return headers;
}
