import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Reply } from './exchange.ts';

const zip = promisify(gzip);
const WORTH_ZIPPING = 1024;
const ZIPPABLE = /^(text\/|application\/(json|feed\+json|xml|rss\+xml|atom\+xml|rdf\+xml))/;

/** Sends a whole response, as an ordinary web server does. */
export function send(out: ServerResponse, reply: Reply): void {
  if (out.destroyed || out.writableEnded) return;
  const body = reply.body === undefined ? null : Buffer.from(reply.body);
  const silent = out.req.method === 'HEAD' || body === null;
  out.writeHead(reply.status, {
    ...reply.headers,
    ...(body === null ? {} : { 'content-length': String(body.length) }),
  });
  out.end(silent ? undefined : body);
}

/** Compresses large text when the client accepts it. */
export async function compressed(reply: Reply, acceptEncoding: string | undefined): Promise<Reply> {
  const type = reply.headers?.['content-type'] ?? '';
  const size = reply.body?.length ?? 0;
  if (size < WORTH_ZIPPING || !ZIPPABLE.test(type) || !/\bgzip\b/.test(acceptEncoding ?? '')) return reply;
  if (reply.headers?.['content-encoding'] !== undefined) return reply;
  return {
    ...reply,
    headers: { ...reply.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    body: await zip(Buffer.from(reply.body ?? '')),
  };
}
