import { createHash } from 'node:crypto';
import { type Ask, header, type Reply } from './exchange.ts';

/** Adds ETag and Last-Modified, and answers 304 when the client already has it (RFC 9110, section 13). */
export function conditional(ask: Ask, reply: Reply, modifiedAt: number): Reply {
  const etag = `"${createHash('sha256')
    .update(reply.body ?? '')
    .digest('hex')
    .slice(0, 20)}"`;
  const lastModified = new Date(modifiedAt).toUTCString();
  const headers = { etag, 'last-modified': lastModified, 'cache-control': 'max-age=0' };
  return isFresh(ask, etag, lastModified)
    ? { status: 304, headers }
    : { ...reply, headers: { ...reply.headers, ...headers } };
}

/** If-None-Match, where there is one, decides alone. */
function isFresh(ask: Ask, etag: string, lastModified: string): boolean {
  const tags = header(ask, 'if-none-match');
  if (tags !== undefined) {
    return tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*');
  }
  const since = Date.parse(header(ask, 'if-modified-since') ?? '');
  return Number.isFinite(since) && Date.parse(lastModified) <= since;
}
