import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyServerFactory,
} from 'fastify';
import { assetPath } from '../../assets/assets.ts';
import { guestsOnly } from '../../auth/identity.ts';
import type { SignIn } from '../../auth/sign-in.ts';
import type { ReaderService } from '../../reader/reader-service.ts';
import type { Surface } from '../../scheduler/roles.ts';
import type { SocialStore } from '../../social/social-store.ts';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { inSpan, isTracing, underTrace } from '../../telemetry/tracing.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { LiveCertificates } from '../../tls/certificate-watch.ts';
import { ServerPortError } from '../server-port-error.ts';
import { accountRoutes } from './account-routes.ts';
import { type ApiDocument, apiPageRoute, descriptionRoutes, openApiDocument } from './api-description.ts';
import { type AuthOptions, guardRoutes, installAuth } from './auth.ts';
import { compressAnswers } from './compression.ts';
import type { ControlRoom } from './control-room.ts';
import { controlRoutes } from './control-routes.ts';
import { csrfKey } from './csrf.ts';
import { feedRoutes } from './feed-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { iconRoutes } from './icon-routes.ts';
import { type ImageDependencies, imageRoutes } from './image-routes.ts';
import { learningRoutes } from './learning-routes.ts';
import type { Newsroom } from './newsroom.ts';
import { newsroomRoutes } from './newsroom-routes.ts';
import { pageRoutes, sendNotFoundPage } from './page.ts';
import { answerClientError, installErrorHandler, sendProblem, sentStatus } from './problem.ts';
import { limitAddresses, limitPeople, RateLimiter, type RateLimits } from './rate-limit.ts';
import { readerEventRoutes } from './reader-events.ts';
import { readerFeedAddressRoutes, readerFeedRoutes } from './reader-feeds.ts';
import { readerRoutes } from './reader-routes.ts';
import { collectRoutes, methodsAt, type RegisteredRoute, ZOD_SCHEMAS } from './route.ts';
import { sessionRoutes } from './session-routes.ts';
import { socialRoutes } from './social-routes.ts';
import { storyRoutes } from './story-routes.ts';
import { type StreamRouteDependencies, streamRoutes } from './stream-routes.ts';
import { dropRoutes, timelineRoutes } from './timeline-routes.ts';

export interface ServerOptions {
  readonly newsroom: Newsroom;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Certificates for https; where absent, it serves http. */
  readonly tls?: ServerTls;
  readonly log: Logger;
  /** Folder of the built page; defaults to `dist/web` of the package. */
  readonly webRoot?: string;
  readonly clock?: Clock;
  /** Authentication. Where absent, every caller is a guest. */
  readonly auth?: AuthOptions;
  /** Accounts; where absent, signing in is not possible. */
  readonly signIn?: SignIn;
  /** Proxy for pictures of articles; where absent, none are shown. */
  readonly images?: ImageDependencies;
  /** Entries of all sources; where absent, there are only timelines. */
  readonly reader?: ReaderService;
  /** Follows users; by default in the social store only. */
  readonly follows?: Pick<SocialStore, 'follow'>;
  /** Actions and views of the owner. */
  readonly control?: ControlRoom;
  readonly rateLimits?: RateLimits;
  /** Maximum size of a request body in bytes. */
  readonly maxBodyBytes?: number;
  /** Timeout of a request. */
  readonly responseTimeoutMs?: number;
  /** Grace period for open requests when the server stops. */
  readonly shutdownTimeoutMs?: number;
  /** Addresses or ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[];
  /** IP addresses or ranges that may read `/metrics` without signing in; loopback by default. */
  readonly metricsFrom?: readonly string[];
  /** Which routes are served; all by default. */
  readonly surface?: Surface;
  /** Notified of every served request. */
  readonly events?: Pick<Events, 'requestServed'>;
}

export interface ServerTls {
  readonly certificates: LiveCertificates;
  /** How long browsers use only https for this host; where absent, they are not told to. */
  readonly hstsMs?: number;
}

export interface RunningServer extends AsyncDisposable {
  /** URL for browsers. */
  readonly url: string;
  /** Every route. */
  readonly routes: readonly RegisteredRoute[];
}

/** For a server without accounts, where nothing is ever revoked. */
const GUEST_AUTH: AuthOptions = {
  authenticator: guestsOnly,
  csrf: csrfKey(new Uint8Array(32)),
  revocations: { onRevoked: () => () => {} },
  guests: true,
};

const NO_RATE_LIMITS: RateLimits = { perAddress: 0, perPerson: 0 };

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Longer than any response should take, and shorter than people wait. */
const DEFAULT_RESPONSE_TIMEOUT_MS = 20_000;

/**
 * Instead of `@fastify/helmet`, which builds its middleware for every request (13 µs against 3 for these lines), has no
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

function securityHeaders(tls: ServerTls | undefined): Readonly<Record<string, string>> {
  if (tls?.hstsMs === undefined) return SECURITY_HEADERS;
  const maxAge = Math.floor(tls.hstsMs / SECOND);
  return { ...SECURITY_HEADERS, 'strict-transport-security': `max-age=${maxAge}` };
}

const DEFAULT_WEB_ROOT = assetPath('dist/web');

/** Serves the page, the API, the streams and the metrics. Throws a `ServerPortError` if it cannot listen on the port. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { newsroom, host, port, log } = options;
  const stopping = new AbortController();
  const { server, routes } = await buildServer(options, stopping.signal);
  const unused = trackUnusedSockets(server.server, options.tls !== undefined);
  const handshakes = options.tls === undefined ? null : trackHandshakes(server.server);
  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    throw ServerPortError.from(error, host, port) ?? error;
  }
  const url = urlOf(server, host, options.tls === undefined ? 'http' : 'https');
  log.info('HTTP server listening', { url });
  return {
    url,
    routes,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all([newsroom.streams.drain(), options.reader?.streams.drain()]);
      const closed = shutDown(server, unused, options.shutdownTimeoutMs ?? 0);
      for (const socket of handshakes?.values() ?? []) socket.destroy();
      await closed;
    },
  };
}

/**
 * Sockets without a request yet, as browsers open them in advance. Node does not count them as idle, so closing the server
 * would wait for them.
 */
function trackUnusedSockets(server: Server, tls: boolean): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  function onClose(this: Socket): void {
    unused.delete(this);
  }
  server.on(tls ? 'secureConnection' : 'connection', (socket) => {
    unused.add(socket);
    socket.on('close', onClose);
  });
  // Not by 'data' of the socket: a listener for it turns off the fast path of Node's parser.
  server.on('request', ({ socket }) => {
    if (unused.delete(socket)) socket.off('close', onClose);
  });
  return unused;
}

/** Sockets whose TLS handshake is not finished, by the address of the client. Closing the server would wait for these too. */
function trackHandshakes(server: Server): ReadonlyMap<string, Socket> {
  const handshakes = new Map<string, Socket>();
  const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket) => {
    const client = clientOf(socket);
    handshakes.set(client, socket);
    socket.once('close', () => handshakes.delete(client));
  });
  server.on('secureConnection', (socket) => handshakes.delete(clientOf(socket)));
  return handshakes;
}

/** Stops accepting requests, closes idle connections, waits for open requests during the grace period, and closes the rest. */
async function shutDown(
  server: FastifyInstance,
  unused: ReadonlySet<Socket>,
  withinMs: number,
): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), withinMs);
  try {
    const closed = server.close();
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
    await closed;
  } finally {
    clearTimeout(cut);
  }
}

async function buildServer(
  options: ServerOptions,
  stopping: AbortSignal,
): Promise<{ readonly server: FastifyInstance; readonly routes: readonly RegisteredRoute[] }> {
  const { newsroom, log, webRoot = DEFAULT_WEB_ROOT, clock = systemClock, auth = GUEST_AUTH } = options;
  const { maxBodyBytes = 1024 * 1024, trustedProxies = [], rateLimits = NO_RATE_LIMITS } = options;
  const { surface = 'everything', reader, tls } = options;
  const headers = securityHeaders(tls);
  const feedSettings = { title: newsroom.info.name, origin: auth.origin };
  const server = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    handlerTimeout: options.responseTimeoutMs ?? DEFAULT_RESPONSE_TIMEOUT_MS,
    bodyLimit: maxBodyBytes,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    routerOptions: { maxParamLength: 2000 },
    clientErrorHandler: answerClientError,
    schemaController: ZOD_SCHEMAS,
    ...(tls !== undefined && { serverFactory: tlsServerFactory(tls) }),
    frameworkErrors: (error, _request, reply) => {
      sendProblem(reply.headers(headers), {
        status: 400,
        code: 'unreadable_request',
        title: 'Invalid request',
        detail: error.message,
      });
    },
  });
  const routes = collectRoutes(server);
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
  // Otherwise a stop would wait until the client closes the connection of a request that was open.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping.aborted) reply.header('connection', 'close');
    done();
  });
  traceRequests(server);
  const streams = new WeakSet<FastifyReply>();
  server.addHook('onResponse', async (request, reply) => {
    // A stream is counted when it opens; the time that it stays open is not a request duration.
    if (streams.has(reply)) return;
    const route = request.routeOptions.url ?? 'none';
    const { elapsedTime: ms } = reply;
    const status = sentStatus(reply);
    const { method } = request;
    options.events?.requestServed({ protocol: 'http', method, route, status: String(status), ms });
  });
  installErrorHandler(server, log);
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
      await compressAnswers(api);
      const drops = { newsroom, reader: reader?.reader ?? null };
      timelineRoutes(api, drops);
      socialRoutes(api, newsroom, options.follows ?? newsroom.social);
      dropRoutes(api, drops);
      descriptionRoutes(api, describeApi);
      if (surface !== 'everything') return;
      newsroomRoutes(api, newsroom, () => clock.now(), options.images?.addresses ?? null);
      if (options.images) imageRoutes(api, options.images);
      storyRoutes(api, newsroom.stories, reader?.learning ?? null);
      if (reader) {
        const { images } = options;
        readerRoutes(api, { service: reader, newsroom, images: images?.addresses ?? null });
        learningRoutes(api, reader.learning);
        if (reader.icons) iconRoutes(api, reader.icons);
        readerFeedAddressRoutes(api, { ...feedSettings, reader: reader.reader });
      }
      if (options.control) controlRoutes(api, newsroom, options.control);
      if (options.signIn) {
        sessionRoutes(api, { signIn: options.signIn, auth });
        accountRoutes(api, options.signIn);
      }
    },
    { prefix: '/api/v1' },
  );
  const onStream: StreamRouteDependencies['onStream'] = (reply) => {
    streams.add(reply);
    const route = reply.request.routeOptions.url ?? 'none';
    const began = clock.monotonic() - reply.elapsedTime;
    return (status) => {
      const ms = clock.monotonic() - began;
      options.events?.requestServed({ protocol: 'sse', route, status: String(status), ms });
    };
  };
  streamRoutes(server, { newsroom, revocations: auth.revocations, onStream });
  if (surface === 'everything') feedRoutes(server, newsroom);
  if (surface === 'everything' && reader) {
    readerFeedRoutes(server, { ...feedSettings, reader: reader.reader });
    readerEventRoutes(server, { streams: reader.streams, revocations: auth.revocations, onStream });
  }
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
    const target = `${request.method} ${path.slice(0, 200)}`;
    if (allowed.length > 0)
      return sendProblem(reply.header('allow', allowed.join(', ')), {
        status: 405,
        code: 'method_not_allowed',
        title: 'Method not allowed',
        detail: `${target} is not supported; use ${allowed.join(' or ')}.`,
      });
    return sendProblem(reply, {
      status: 404,
      code: 'not_found',
      title: 'Not found',
      detail: `There is nothing at ${target}.`,
    });
  });
  return { server, routes };
}

/**
 * HTTPS servers that take new certificates; open connections stay. A factory, since fastify makes a server for each address
 * of `localhost`. HTTP/1.1 alone, as without TLS: streams and the shutdown work on its connections.
 */
function tlsServerFactory({ certificates }: ServerTls): FastifyServerFactory {
  const servers: ReturnType<typeof createTlsServer>[] = [];
  certificates.onChange((changed) => {
    for (const server of servers) server.setSecureContext(changed);
  });
  return (handler, options) => {
    const server = createTlsServer(certificates.current, handler);
    // As fastify sets up its own servers.
    const { keepAliveTimeout, requestTimeout } = options as FastifyHttpOptions<Server>;
    if (keepAliveTimeout !== undefined) server.keepAliveTimeout = keepAliveTimeout;
    if (requestTimeout !== undefined) server.requestTimeout = requestTimeout;
    servers.push(server);
    return server;
  };
}

/** Each request is a span that ends with its response and continues the caller's trace (C25). */
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
      // Runs the handler inside the span.
      done();
      return closed;
    };
    const failure = (status: number): string | null => (status >= 500 ? `answered with ${status}` : null);
    void underTrace(request.headers, () => inSpan('http.server', facts, answered, failure));
  });
}

function urlOf(server: FastifyInstance, host: string, scheme: 'http' | 'https'): string {
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const open = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${scheme}://${open.includes(':') ? `[${open}]` : open}:${port}`;
}
