import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { guestsOnly } from '../../auth/identity.ts';
import type { SignIn } from '../../auth/sign-in.ts';
import type { Surface } from '../../scheduler/roles.ts';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { inSpan, isTracing, underTrace } from '../../telemetry/tracing.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { ServerPortError } from '../server-port-error.ts';
import { accountRoutes } from './account-routes.ts';
import { type ApiDocument, apiPageRoute, descriptionRoutes, openApiDocument } from './api-description.ts';
import { type AuthOptions, guardRoutes, installAuth } from './auth.ts';
import type { ControlRoom } from './control-room.ts';
import { controlRoutes } from './control-routes.ts';
import { csrfKey } from './csrf.ts';
import { feedRoutes } from './feed-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { type ImageParts, imageRoutes } from './image-routes.ts';
import type { Newsroom } from './newsroom.ts';
import { newsroomRoutes } from './newsroom-routes.ts';
import { pageRoutes, sendNotFoundPage } from './page.ts';
import { answerClientError, installErrorHandler, sendProblem, sentStatus } from './problem.ts';
import { limitAddresses, limitPeople, RateLimiter, type RateLimits } from './rate-limit.ts';
import { collectRoutes, methodsAt, type RegisteredRoute, validateByZod } from './route.ts';
import { sessionRoutes } from './session-routes.ts';
import { socialRoutes } from './social-routes.ts';
import { storyRoutes } from './story-routes.ts';
import { streamRoutes } from './stream-routes.ts';
import { dropRoutes, timelineRoutes } from './timeline-routes.ts';

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
  /** Accounts; where absent nobody can sign in. */
  readonly signIn?: SignIn;
  /** Pictures of articles; where absent none are shown. */
  readonly images?: ImageParts;
  /** What the owner can do beyond looking. */
  readonly control?: ControlRoom;
  readonly rateLimits?: RateLimits;
  /** Bytes of the largest request that is read. */
  readonly maxBodyBytes?: number;
  /** How long an answer may take before it is given up. */
  readonly responseTimeoutMs?: number;
  /** How long requests may take to end when the server stops. */
  readonly shutdownTimeoutMs?: number;
  /** Addresses or ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  /** IP addresses or ranges that may read `/metrics` without signing in; loopback where absent. */
  readonly metricsFrom?: readonly string[];
  /** How much of it is served; everything where absent. */
  readonly surface?: Surface;
  /** Told of every request that was answered. */
  readonly events?: Pick<Events, 'requestServed'>;
}

export interface RunningServer extends AsyncDisposable {
  /** Where a browser finds it. */
  readonly url: string;
  /** All that it answers to. */
  readonly routes: readonly RegisteredRoute[];
}

/** Nobody can sign in, so nothing is ever revoked. */
const GUEST_AUTH: AuthOptions = {
  authenticator: guestsOnly,
  csrf: csrfKey(new Uint8Array(32)),
  revocations: { onRevoked: () => () => {} },
  guests: true,
};

const NO_RATE_LIMITS: RateLimits = { perAddress: 0, perPerson: 0 };

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Longer than any answer should take, and shorter than people wait. */
const DEFAULT_RESPONSE_TIMEOUT_MS = 20_000;

/**
 * Not by `@fastify/helmet`: it builds its middleware for every request (13 µs against 3 for these lines), has no
 * Permissions-Policy, and does not run where the router refuses a malformed URL.
 */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

const DEFAULT_WEB_ROOT = join(import.meta.dirname, '..', '..', '..', 'build', 'web');

/** Serves the page, the API, the streams and the figures. A port that cannot be had is a `ServerPortError`. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { newsroom, host, port, log } = options;
  const { server, routes } = await buildServer(options);
  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    throw ServerPortError.from(error, host, port) ?? error;
  }
  const url = urlOf(server, host);
  log.info('the server listens', { url });
  return {
    url,
    routes,
    async [Symbol.asyncDispose]() {
      await newsroom.streams.drain();
      await shutDown(server, options.shutdownTimeoutMs ?? 0);
    },
  };
}

/** Takes nothing new, lets what is under way end for a while, and cuts off the rest. */
async function shutDown(server: FastifyInstance, withinMs: number): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), withinMs);
  try {
    await server.close();
  } finally {
    clearTimeout(cut);
  }
}

async function buildServer(
  options: ServerOptions,
): Promise<{ readonly server: FastifyInstance; readonly routes: readonly RegisteredRoute[] }> {
  const { newsroom, log, webRoot = DEFAULT_WEB_ROOT, clock = systemClock, auth = GUEST_AUTH } = options;
  const { maxBodyBytes: maxBody = 1024 * 1024, trustedProxies = [], rateLimits = NO_RATE_LIMITS } = options;
  const { surface = 'everything' } = options;
  const server = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    handlerTimeout: options.responseTimeoutMs ?? DEFAULT_RESPONSE_TIMEOUT_MS,
    bodyLimit: maxBody,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    routerOptions: { maxParamLength: 1000 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, _request, reply) => {
      sendProblem(reply.headers(SECURITY_HEADERS), {
        status: 400,
        title: 'The request makes no sense',
        detail: error.message,
      });
    },
  });
  const routes = collectRoutes(server);
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS);
  });
  traceRequests(server);
  const streams = new WeakSet<FastifyReply>();
  server.addHook('onResponse', async (request, reply) => {
    // A stream is counted when it opens; how long it stays open is no duration of a request.
    if (streams.has(reply)) return;
    const route = request.routeOptions.url ?? 'none';
    const { elapsedTime: ms } = reply;
    const status = sentStatus(reply);
    log.debug('request', { method: request.method, route, status, ms });
    options.events?.requestServed({ protocol: 'http', route, status: String(status), ms });
  });
  installErrorHandler(server, log);
  validateByZod(server);
  let apiDocument: Promise<ApiDocument> | undefined;
  const describeApi = (): Promise<ApiDocument> => {
    apiDocument ??= openApiDocument(routes, newsroom.info.version);
    return apiDocument;
  };
  const limiter = new RateLimiter(clock);
  limitAddresses(server, limiter, rateLimits);
  await installAuth(server, auth);
  limitPeople(server, limiter, rateLimits);
  guardRoutes(server, { guests: auth.guests, operatorNetworks: options.metricsFrom ?? LOOPBACK });
  healthRoutes(server, newsroom);
  if (surface === 'health') return { server, routes };

  await server.register(
    async (api) => {
      api.addHook('onRequest', async (_request, reply) => {
        reply.header('cache-control', 'no-store');
        reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
      });
      timelineRoutes(api, newsroom);
      socialRoutes(api, newsroom);
      dropRoutes(api, newsroom);
      descriptionRoutes(api, describeApi);
      if (surface !== 'everything') return;
      newsroomRoutes(api, newsroom, () => clock.now(), options.images?.addresses ?? null);
      if (options.images) imageRoutes(api, options.images);
      storyRoutes(api, newsroom.stories);
      if (options.control) controlRoutes(api, newsroom, options.control);
      if (options.signIn) {
        sessionRoutes(api, { signIn: options.signIn, auth });
        accountRoutes(api, options.signIn);
      }
    },
    { prefix: '/api/v1' },
  );
  streamRoutes(server, {
    newsroom,
    revocations: auth.revocations,
    onStream: (reply) => {
      streams.add(reply);
      const route = reply.request.routeOptions.url ?? 'none';
      const began = clock.monotonic() - reply.elapsedTime;
      return (status) => {
        const ms = clock.monotonic() - began;
        options.events?.requestServed({ protocol: 'sse', route, status: String(status), ms });
      };
    },
  });
  if (surface === 'everything') feedRoutes(server, newsroom);
  if (surface === 'everything') {
    apiPageRoute(server, describeApi);
    await pageRoutes(server, webRoot);
  }

  const hasPage = surface === 'everything' && existsSync(join(webRoot, 'index.html'));
  server.setNotFoundHandler((request, reply) => {
    const wantsPage =
      hasPage && request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
    if (wantsPage) return sendNotFoundPage(reply);
    const [path = ''] = request.url.split('?');
    const allowed = methodsAt(routes, request.url);
    const asked = `${request.method} ${path.slice(0, 200)}`;
    if (allowed.length > 0)
      return sendProblem(reply.header('allow', allowed.join(', ')), {
        status: 405,
        title: 'Not this way',
        detail: `${asked} means nothing here; ${allowed.join(' and ')} do.`,
      });
    return sendProblem(reply, { status: 404, title: 'Not found', detail: `There is nothing at ${asked}.` });
  });
  return { server, routes };
}

/** Each request is a span, which ends with its answer and goes on with the caller's trace (C25). */
function traceRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!isTracing()) {
      done();
      return;
    }
    const facts = {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url ?? 'none',
    };
    const answered = (): Promise<number> => {
      const closed = new Promise<number>((resolve) => {
        reply.raw.once('close', () => resolve(reply.raw.statusCode));
      });
      // What handles the request is called here, inside the span.
      done();
      return closed;
    };
    const failure = (status: number): string | null => (status >= 500 ? `answered with ${status}` : null);
    void underTrace(request.headers, () => inSpan('http.server', facts, answered, failure));
  });
}

function urlOf(server: FastifyInstance, host: string): string {
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const open = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${open.includes(':') ? `[${open}]` : open}:${port}`;
}
