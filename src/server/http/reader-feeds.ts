import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Reader } from '../../reader/reader.ts';
import { requireIdentity } from './auth.ts';
import { sendFeed } from './feed-routes.ts';
import { notFound } from './problem.ts';
import { listQuery, noSuchList, toList } from './reader-routes.ts';
import { addRoute } from './route.ts';

export interface ReaderFeedDependencies {
  readonly reader: Pick<Reader, 'feed' | 'feedSecret' | 'resetFeeds'>;
  /** Name of the newsroom. */
  readonly title: string;
  /** Public origin of the server; by default that of the request. */
  readonly origin?: string | undefined;
}

const pathOf = (secret: string): string => `/feeds/reader/${secret}.atom`;

/** The addresses of the feeds of the caller's lists (R13). */
export function readerFeedAddressRoutes(server: FastifyInstance, deps: ReaderFeedDependencies): void {
  const person = { group: 'Reader', access: 'person' } as const;
  addRoute(
    server,
    {
      ...person,
      method: 'GET',
      url: '/reader/feed-address',
      about: 'Secret address of the Atom feed of a list: anyone with the address can read the list.',
      query: listQuery,
      answer: z.object({ url: z.string() }),
      problems: [404],
    },
    async ({ query, request }) => {
      const found = await deps.reader.feedSecret(requireIdentity(request).userId, toList(query));
      if (found === 'unknown') throw noSuchList(query);
      if (found === 'no_account') throw notFound('account of yours in this newsroom; feeds need one');
      return { url: new URL(pathOf(found.secret), deps.origin ?? originOf(request)).href };
    },
  );
  addRoute(
    server,
    {
      ...person,
      method: 'POST',
      url: '/reader/feed-address/reset',
      about: 'Replaces the addresses of all feeds of the caller; the former ones stop working.',
    },
    async ({ request }) => deps.reader.resetFeeds(requireIdentity(request).userId),
  );
}

/** `/feeds/reader/<secret>.atom`: the feed of a list. The address itself authorises, also where guests are not admitted. */
export function readerFeedRoutes(server: FastifyInstance, deps: ReaderFeedDependencies): void {
  const config = { access: 'open' } as const;
  server.get<{ Params: { secret: string } }>(
    '/feeds/reader/:secret.atom',
    { config },
    async (request, reply) => {
      const { secret } = request.params;
      const self = new URL(pathOf(secret), deps.origin ?? originOf(request)).href;
      const feed = await deps.reader.feed(secret, { title: deps.title, self });
      if (feed === null) throw notFound('such feed; its address may have been replaced');
      return sendFeed(request, reply.header('cache-control', 'private, no-cache'), feed);
    },
  );
}

function originOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}`;
}
