import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Fetcher } from '../../fetch/fetcher.ts';
import { sniffImageType } from '../../fetch/image-type.ts';
import { notFound, ProblemError } from './problem.ts';
import { addRoute } from './route.ts';

export interface ImageDependencies {
  readonly addresses: SignedImageUrls;
  /** The guarded fetcher, which cannot reach internal addresses. */
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  /** Maximum size of a picture in bytes. */
  readonly maxBytes: number;
}

const FETCH_CONCURRENCY = 8;
const FETCH_TIMEOUT_MS = 10_000;

/** Proxies the pictures of articles, so that no other server learns who reads what. */
export function imageRoutes(
  server: FastifyInstance,
  { addresses, fetcher, maxBytes: largest }: ImageDependencies,
): void {
  const limit = pLimit(FETCH_CONCURRENCY);
  addRoute(
    server,
    {
      method: 'GET',
      url: '/image',
      about: 'The picture of an article, by the URL in the `image` of an item.',
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
      if (!addresses.verify(query.u, query.s)) throw notFound('such picture');
      const outcome = await limit(() =>
        fetcher.fetch({
          url: query.u,
          headers: { accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif' },
          maxBytes: largest,
          timeoutMs: FETCH_TIMEOUT_MS,
          polite: false,
        }),
      );
      if (outcome.outcome === 'failed')
        throw new ProblemError({
          status: 502,
          code: 'picture_unavailable',
          title: 'Failed to fetch the picture',
          detail: outcome.detail,
        });
      const kind = outcome.status === 200 ? sniffImageType(outcome.body) : null;
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

/** Signed URLs of pictures. Only these are fetched, so that the proxy is not open to other uses. */
export class SignedImageUrls {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** `null` for an invalid URL. */
  pathFor(url: string | undefined): string | null {
    if (url === undefined || url.length > 2000 || !/^https?:\/\//i.test(url)) return null;
    return `/api/v1/image?${new URLSearchParams({ u: url, s: this.#sign(url) }).toString()}`;
  }

  verify(url: string, signature: string): boolean {
    const [given, right] = [Buffer.from(signature), Buffer.from(this.#sign(url))];
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #sign(url: string): string {
    return createHmac('sha256', this.#key).update(url).digest('base64url').slice(0, 32);
  }
}
