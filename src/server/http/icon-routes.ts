import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SourceIcons } from '../../sources/icons/source-icons.ts';
import { notFound } from './problem.ts';
import { addRoute } from './route.ts';

/** The icon as the page asks for it; another icon has another path. */
export function iconPath(sourceId: string, hash: string): string {
  return `/api/v1/icons/${encodeURIComponent(sourceId)}/${hash}`;
}

/** `/icons/<source>/<hash>`: the icon of a source. */
export function iconRoutes(server: FastifyInstance, icons: Pick<SourceIcons, 'picture'>): void {
  addRoute(
    server,
    {
      method: 'GET',
      url: '/icons/:source/:hash',
      about: 'The icon of a source, by the path in its `icon`.',
      group: 'Reader',
      access: 'everybody',
      params: z.object({
        source: z.string().max(200, 'is too long'),
        hash: z.string().regex(/^[0-9a-f]{32}$/, 'must be the hash of an icon'),
      }),
      answer: z.string().describe('The picture itself.'),
      mediaType: 'image/*',
      problems: [404],
    },
    async ({ params, reply }) => {
      const icon = await icons.picture(params.source, params.hash);
      if (icon === null) throw notFound('such icon');
      return reply
        .headers({
          'cache-control': 'public, max-age=604800, immutable',
          // A vector graphic can contain scripts and addresses: nothing of it runs, and nothing is loaded.
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        })
        .type(icon.type)
        .send(Buffer.from(icon.bytes));
    },
  );
}
