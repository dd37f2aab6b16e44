import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { guestsOnly } from '../auth/identity.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { newsroomRoutes } from './api/newsroom-routes.ts';
import { timelineRoutes } from './api/timelines.ts';
import { csrfKey } from './auth/csrf.ts';
import { type AuthOptions, installAuth } from './auth/install-auth.ts';
import { eventRoutes } from './events.ts';
import { feedRoutes } from './feeds.ts';
import { healthRoutes } from './health.ts';
import type { Newsroom } from './newsroom.ts';
import { answerLostPage, pageRoutes } from './page.ts';
import { answerProblem, ProblemError } from './problem.ts';
import { ServerPortError } from './server-port-error.ts';

export interface ServerOptions {
  readonly newsroom: Newsroom;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly log: Logger;
  /** Folder of the built page; `build/web` of the project where absent. */
  readonly webRoot?: string;
  readonly clock?: Clock;
  /** Who people are. Where absent everybody is a guest. */
  readonly auth?: AuthOptions;
  /** How much of it is served; everything where absent. */
  readonly surface?: Surface;
}

/** `timelines`: their pages and streams, without the page for people. `health`: how the copy is, and its figures. */
export type Surface = 'everything' | 'timelines' | 'health';

export interface RunningServer extends AsyncDisposable {
  /** Where a browser finds it. */
  readonly url: string;
}

/** Nobody can sign in, so nothing is ever revoked. */
const GUESTS: AuthOptions = {
  authenticator: guestsOnly,
  csrf: csrfKey(new Uint8Array(32)),
  revocations: { onRevoked: () => () => {} },
};

const BUILT_PAGE = join(import.meta.dirname, '..', '..', 'build', 'web');

/** Serves the page, the API, the streams and the figures. A port that cannot be had is a `ServerPortError`. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { newsroom, host, port, log } = options;
  const server = await buildServer(options);
  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    throw ServerPortError.from(error, host, port) ?? error;
  }
  const url = addressOf(server, host);
  log.info('the server listens', { url });
  return {
    url,
    async [Symbol.asyncDispose]() {
      await newsroom.streams.drain();
      await server.close();
    },
  };
}

async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const {
    newsroom,
    log,
    webRoot = BUILT_PAGE,
    clock = systemClock,
    auth = GUESTS,
    surface = 'everything',
  } = options;
  const server = Fastify({
    logger: false,
    forceCloseConnections: true,
    requestTimeout: 30_000,
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, _request, reply) => {
      answerProblem(reply, { status: 400, title: 'The request makes no sense', detail: error.message });
    },
  });
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    });
  });
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    log.debug('request', { method: request.method, route, status: reply.statusCode, ms: reply.elapsedTime });
  });
  answerErrors(server, log);
  if (surface === 'health') {
    healthRoutes(server, newsroom);
    return server;
  }
  installAuth(server, auth);
  await server.register(
    async (api) => {
      api.addHook('onRequest', async (_request, reply) => {
        reply.header('cache-control', 'no-store');
        reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
      });
      timelineRoutes(api, newsroom);
      if (surface === 'everything') newsroomRoutes(api, newsroom, () => clock.now());
    },
    { prefix: '/api/v1' },
  );
  eventRoutes(server, { newsroom, revocations: auth.revocations, clock });
  if (surface === 'everything') feedRoutes(server, newsroom);
  healthRoutes(server, newsroom);
  if (surface === 'everything') await pageRoutes(server, webRoot);

  const hasPage = surface === 'everything' && existsSync(join(webRoot, 'index.html'));
  server.setNotFoundHandler((request, reply) => {
    const wantsPage =
      hasPage && request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
    if (wantsPage) return answerLostPage(reply);
    const detail = `There is nothing at ${request.method} ${request.url.slice(0, 200)}.`;
    return answerProblem(reply, { status: 404, title: 'Not found', detail });
  });
  return server;
}

function answerErrors(server: FastifyInstance, log: Logger): void {
  server.setErrorHandler((error, request, reply) => {
    if (error instanceof ProblemError) return answerProblem(reply.headers(error.headers), error.problem);
    const status = statusOf(error);
    if (status < 500) {
      const detail = error instanceof Error ? error.message : 'The request could not be read.';
      return answerProblem(reply, { status, title: 'The request makes no sense', detail });
    }
    log.error('a request failed', { route: request.routeOptions.url ?? 'none', error });
    // What went wrong inside is for the log, not for whoever asks.
    return answerProblem(reply, {
      status: 500,
      title: 'Something went wrong here',
      detail: 'The log of the program says more.',
    });
  });
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 ? status : 500;
}

function addressOf(server: FastifyInstance, host: string): string {
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const open = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${open.includes(':') ? `[${open}]` : open}:${port}`;
}
