import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Paths of the page, whose own script does the routing. */
const VIEWS = [
  '/',
  '/home',
  '/global',
  '/reader',
  '/article',
  '/pipelines',
  '/items',
  '/item',
  '/sources',
  '/welcome',
  '/sign-in',
  '/me',
  '/stories',
  '/search',
  '/people',
  '/attention',
  '/settings',
] as const;

/**
 * No inline scripts or styles, no framing, and no external resources except the audio or video of an article, which is loaded after a
 * click. The policy `kawaraban` is used for sanitised article text and for the service worker.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  'media-src https: http:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types kawaraban',
].join('; ');

const PUBLIC_ROUTE = { config: { access: 'open', rateLimited: false } } as const;

/** Serves the built page from `root`, with the precompressed files that the build left beside each file. */
export async function pageRoutes(server: FastifyInstance, root: string): Promise<void> {
  if (!existsSync(join(root, 'index.html'))) {
    for (const view of VIEWS)
      server.get(view, PUBLIC_ROUTE, async (_request, reply) => sendNotBuiltPage(reply));
    return;
  }
  await server.register(fastifyStatic, {
    root,
    serve: false,
    preCompressed: true,
    index: false,
    cacheControl: false,
    allowedPath: (path) => !/\.(br|gz)$/.test(path),
    setHeaders: (reply, path) => {
      // Names under assets/ contain a content hash.
      const lasting = path.includes('/assets/');
      reply.header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    },
  });
  for (const view of VIEWS) server.get(view, PUBLIC_ROUTE, (_request, reply) => reply.sendFile('index.html'));
  // Its path in earlier versions.
  server.get('/desk', PUBLIC_ROUTE, (_request, reply) => reply.redirect('/attention', 308));
  for (const file of filesIn(root))
    server.get(`/${file}`, PUBLIC_ROUTE, (_request, reply) => reply.sendFile(file));
}

/** Files of the page by path, without the precompressed ones. */
function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** For an unknown path: the page shows its own "not found". */
export function sendNotFoundPage(reply: FastifyReply): FastifyReply {
  return reply.code(404).sendFile('index.html');
}

function sendNotBuiltPage(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .type('text/plain; charset=utf-8')
    .send(
      'The page has not been built yet. "npm start" builds it; the API under /api/v1 works without it.\n',
    );
}
