import type { FastifyInstance } from 'fastify';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Fetcher } from '../../reading/fetcher.ts';
import { addRoute } from '../frame/route.ts';
import { notFound, ProblemError } from '../problem.ts';
import type { ImageAddresses } from './image-addresses.ts';
import { imageKind } from './image-kind.ts';

export interface ImageParts {
  readonly addresses: ImageAddresses;
  /** The guarded way out: nothing inside can be reached by it. */
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  /** Bytes of the largest picture. */
  readonly largest: number;
}

const AT_A_TIME = 8;
const WITHIN_MS = 10_000;

/** Pictures of articles, fetched for readers, so that no other server learns who reads what. */
export function imageRoutes(server: FastifyInstance, { addresses, fetcher, largest }: ImageParts): void {
  const limit = pLimit(AT_A_TIME);
  addRoute(
    server,
    {
      method: 'GET',
      url: '/image',
      about: 'The picture of an article, by an address that an item’s `image` gave.',
      group: 'Newsroom',
      access: 'everybody',
      query: z.strictObject({
        u: z.string('is missing').max(2000, 'is too long'),
        s: z.string('is missing'),
      }),
      answer: z.string().describe('The picture itself: PNG, JPEG, GIF, WebP or AVIF.'),
      mediaType: 'image/*',
      problems: [404, 502],
    },
    async ({ query, reply }) => {
      if (!addresses.isOurs(query.u, query.s)) throw notFound('such picture');
      const outcome = await limit(() =>
        fetcher.fetch({
          url: query.u,
          headers: { accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif' },
          maxBytes: largest,
          timeoutMs: WITHIN_MS,
          polite: false,
        }),
      );
      if (outcome.outcome === 'failed')
        throw new ProblemError({
          status: 502,
          title: 'The picture could not be had',
          detail: outcome.detail,
        });
      const kind = outcome.status === 200 ? imageKind(outcome.body) : null;
      if (kind === null) throw notFound('picture that can be shown there');
      return reply
        .headers({
          'cache-control': 'public, max-age=86400, immutable',
          'content-security-policy': "default-src 'none'; sandbox",
        })
        .type(kind)
        .send(Buffer.from(outcome.body));
    },
  );
}
