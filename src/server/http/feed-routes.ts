import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Newsroom } from './newsroom.ts';
import { notFound } from './problem.ts';

/** `/feeds/<id>.atom`: the feed of a publisher of the kind `atom`. */
export function feedRoutes(server: FastifyInstance, newsroom: Pick<Newsroom, 'feed'>): void {
  const config = { access: 'everybody' } as const;
  server.get<{ Params: { id: string } }>('/feeds/:id.atom', { config }, async (request, reply) => {
    const feed = await newsroom.feed(request.params.id);
    if (feed === null) throw notFound(`feed "${request.params.id.slice(0, 80)}"`);
    reply.headers({
      'cache-control': 'no-cache',
      // Feeds may be read by other sites' pages.
      'cross-origin-resource-policy': 'cross-origin',
    });
    return sendFeed(request, reply, feed);
  });
}

/** Sends an Atom feed, or 304 to a client that has it. */
export function sendFeed(request: FastifyRequest, reply: FastifyReply, feed: string): FastifyReply {
  const etag = `"${createHash('sha256').update(feed).digest('base64url').slice(0, 27)}"`;
  reply.headers({ etag, 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" });
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type('application/atom+xml; charset=utf-8').send(feed);
}

/** Whether the client has it cached; also by a weak ETag, which proxies create. */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
