import type { AuthService } from '../auth/auth-service.ts';
import { createCachingAuthenticator } from '../auth/authenticator.ts';
import { withServiceToken } from '../auth/service-token.ts';
import type { Config } from '../config/config.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { ReaderService } from '../reader/reader-service.ts';
import { type Roles, surfaceOf } from '../scheduler/roles.ts';
import type { RunningGrpcServer } from '../server/grpc/grpc-server.ts';
import type { ControlRoom } from '../server/http/control-room.ts';
import { csrfKey } from '../server/http/csrf.ts';
import { SignedImageUrls } from '../server/http/image-routes.ts';
import type { Newsroom } from '../server/http/newsroom.ts';
import { type RunningServer, type ServerOptions, startServer } from '../server/http/server.ts';
import type { SocialStore } from '../social/social-store.ts';
import type { SourceFollows } from '../sources/source-follows.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import { CertificateWatch, type CertificateWatchOptions } from '../tls/certificate-watch.ts';
import type { CertificateFiles } from '../tls/certificates.ts';

/** Addresses of the running servers. */
export interface RunningServers extends RunningServer {
  /** `host:port` of gRPC; `null` if it is disabled. */
  readonly grpc: string | null;
}

export interface ServeDependencies {
  readonly config: Config;
  readonly newsroom: Newsroom;
  readonly social: SocialStore;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly roles: Roles;
  readonly webRoot?: string;
  readonly control: ControlRoom;
  /** `null`: this replica serves only timelines. */
  readonly reader: ReaderService | null;
  readonly follows: SourceFollows;
  readonly auth: AuthService;
  readonly fetcher: Fetcher;
}

/** Starts the web server and, if enabled, gRPC. */
export async function serve(deps: ServeDependencies, port: number): Promise<RunningServers> {
  const certificates = new AsyncDisposableStack();
  let web: RunningServer | null = null;
  let grpc: RunningGrpcServer | null = null;
  const close = async (): Promise<void> => {
    await Promise.all([grpc?.[Symbol.asyncDispose](), web?.[Symbol.asyncDispose]()]);
    await certificates.disposeAsync();
  };
  try {
    web = await serveWeb(deps, port, certificates);
    grpc = await serveGrpc(deps, certificates);
  } catch (error) {
    await close();
    throw error;
  }
  const { url, routes } = web;
  return { url, routes, grpc: grpc?.address ?? null, [Symbol.asyncDispose]: close };
}

async function serveWeb(
  deps: ServeDependencies,
  port: number,
  certificates: AsyncDisposableStack,
): Promise<RunningServer> {
  const { newsroom, control, reader, follows, telemetry, clock, roles } = deps;
  const { tls } = deps.config.server;
  const files = tls && { certificate: tls.certificate, key: tls.key };
  return startServer({
    ...webServerOptions(deps),
    newsroom,
    control,
    ...(reader !== null && { reader, follows }),
    port,
    ...(files !== undefined && {
      tls: {
        certificates: watchCertificates('http', files, deps, certificates),
        ...(tls?.hsts !== undefined && { hstsMs: tls.hsts }),
      },
    }),
    log: telemetry.logger,
    events: telemetry.events,
    clock,
    surface: surfaceOf(roles),
    ...(deps.webRoot !== undefined && { webRoot: deps.webRoot }),
  });
}

function watchCertificates(
  use: CertificateWatchOptions['use'],
  files: CertificateFiles,
  { clock, telemetry: { logger: log, metrics } }: ServeDependencies,
  stack: AsyncDisposableStack,
): CertificateWatch {
  return stack.use(new CertificateWatch({ use, files, clock, log, metrics }));
}

async function serveGrpc(
  deps: ServeDependencies,
  certificates: AsyncDisposableStack,
): Promise<RunningGrpcServer | null> {
  const { config, newsroom, social, telemetry, clock, auth } = deps;
  const { grpc, public: isPublic, maxBody, stopWithin } = config.server;
  if (!grpc.enabled || !deps.roles.has('timeline')) return null;
  const { startGrpcServer } = await import('../server/grpc/grpc-server.ts');
  const { host, port, serviceToken, tls } = grpc;
  const authenticator =
    serviceToken === undefined
      ? auth.authenticator
      : withServiceToken(auth.authenticator, () => serviceToken.reveal());
  return startGrpcServer({
    host,
    port,
    ...(tls !== undefined && {
      tls: watchCertificates('grpc', grpcCertificateFiles(tls), deps, certificates),
    }),
    timelines: newsroom.timelines,
    social,
    authenticator: createCachingAuthenticator(authenticator, { clock, revocations: auth.revocations }),
    isPublic,
    ready: async () => (await newsroom.readiness()).ready,
    log: telemetry.logger,
    events: telemetry.events,
    clock,
    maxMessageBytes: maxBody,
    shutdownTimeoutMs: stopWithin,
  });
}

function grpcCertificateFiles({
  certificate,
  key,
  clientCa,
}: NonNullable<Config['server']['grpc']['tls']>): CertificateFiles {
  return { certificate, key, ...(clientCa !== undefined && { ca: clientCa }) };
}

export interface WebServerDependencies {
  readonly config: Config;
  readonly auth: AuthService;
  /** For pictures. */
  readonly fetcher: Fetcher;
}

/** Options of the web server from the configuration. */
export function webServerOptions({
  config: { server, telemetry },
  auth,
  fetcher,
}: WebServerDependencies): Pick<
  ServerOptions,
  | 'host'
  | 'images'
  | 'auth'
  | 'signIn'
  | 'rateLimits'
  | 'maxBodyBytes'
  | 'shutdownTimeoutMs'
  | 'trustedProxies'
  | 'metricsFrom'
> {
  const origin = server.address === undefined ? null : new URL(server.address).origin;
  return {
    host: server.host,
    maxBodyBytes: server.maxBody,
    shutdownTimeoutMs: server.stopWithin,
    trustedProxies: server.trustedProxies,
    metricsFrom: telemetry.metricsFrom,
    rateLimits: server.rateLimit,
    ...(server.images.enabled && {
      images: {
        addresses: new SignedImageUrls(auth.keyFor('images')),
        fetcher,
        maxBytes: server.images.largest,
      },
    }),
    auth: {
      authenticator: auth.authenticator,
      revocations: auth.revocations,
      csrf: csrfKey(auth.keyFor('csrf')),
      guests: server.public,
      ...(origin === null ? {} : { origin }),
    },
    signIn: auth.signIn,
  };
}
