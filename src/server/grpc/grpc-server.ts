import { readFile } from 'node:fs/promises';
import {
  logVerbosity,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  setLogger,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { ServerError, Status } from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import { ServerReflection, ServerReflectionService } from 'nice-grpc-server-reflection';
import { PostServiceDefinition } from '../../../proto/gen/avion/post.ts';
import { TimelineServiceDefinition } from '../../../proto/gen/avion/timeline.ts';
import { UserServiceDefinition } from '../../../proto/gen/avion/user.ts';
import { assetPath } from '../../assets/assets.ts';
import type { Authenticator } from '../../auth/identity.ts';
import { checkSocialStore, type SocialStore } from '../../social/social-store.ts';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { TimelineReader } from '../../timelines/timeline-store.ts';
import type { LiveCertificates } from '../../tls/certificate-watch.ts';
import { ServerPortError } from '../server-port-error.ts';
import { CallAuthorizer } from './call-authorizer.ts';
import { createObserver, type Observe } from './observe.ts';
import { createPostService } from './post-service.ts';
import { addService, type Service, serveStream, withLenientDecoding } from './service.ts';
import { createTimelineService } from './timeline-service.ts';
import { createUserService } from './user-service.ts';

export interface GrpcServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Certificates for TLS; where absent, gRPC is served without. With `ca`, callers must have a certificate. */
  readonly tls?: LiveCertificates;
  readonly timelines: TimelineReader;
  readonly social: SocialStore;
  readonly authenticator: Authenticator;
  /** Whether guests may read public content. */
  readonly isPublic: boolean;
  /** Readiness of the program as a whole. */
  readonly ready: HealthCheck;
  readonly log: Logger;
  readonly events: Events;
  readonly clock?: Clock;
  /** Maximum size of a request message. */
  readonly maxMessageBytes?: number;
  /** Grace period for open calls when the server stops. */
  readonly shutdownTimeoutMs?: number;
}

export interface RunningGrpcServer extends AsyncDisposable {
  /** `host:port` for clients. */
  readonly address: string;
}

const DESCRIPTORS = assetPath('proto/gen/avion.binpb');
const SERVICE_NAMES = [TimelineServiceDefinition, UserServiceDefinition, PostServiceDefinition].map(
  ({ fullName }) => fullName,
);
/** A page of drops can be long; clients set their own limit for responses. */
const MAX_RESPONSE_BYTES = 64 * 1024 ** 2;

/** Serves the three services of `proto/avion/`, reflection and health. Throws a `ServerPortError` if it cannot listen on the port. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<RunningGrpcServer> {
  const {
    host,
    port,
    timelines,
    social,
    log,
    events,
    clock = systemClock,
    shutdownTimeoutMs: stopWithinMs = 5 * SECOND,
  } = options;
  redirectGrpcLogs(log);
  const stopping = new AbortController();
  const callers = new CallAuthorizer(options);
  const answers: HealthCheck = async () => {
    await checkSocialStore(social);
    return true;
  };
  const observe = createObserver({ clock, events, log });
  const server = new Server({
    'grpc.max_receive_message_length': options.maxMessageBytes ?? 1024 ** 2,
    'grpc.max_send_message_length': MAX_RESPONSE_BYTES,
    // Detects clients that disappeared; idle connections stay open.
    'grpc.keepalive_time_ms': 60 * SECOND,
    'grpc.keepalive_timeout_ms': 20 * SECOND,
    'grpc.max_concurrent_streams': 1000,
  });
  addService(
    server,
    withLenientDecoding(TimelineServiceDefinition),
    createTimelineService({ timelines, social, callers }),
    observe,
  );
  addService(server, withLenientDecoding(UserServiceDefinition), createUserService(social, callers), observe);
  addService(server, withLenientDecoding(PostServiceDefinition), createPostService(social, callers), observe);
  addService(
    server,
    HealthDefinition,
    createHealthService({
      checks: { '': options.ready, ...Object.fromEntries(SERVICE_NAMES.map((name) => [name, answers])) },
      clock,
      stopping: stopping.signal,
    }),
    observe,
  );
  addReflection(server, await readFile(DESCRIPTORS), observe);

  const name = host.includes(':') ? `[${host}]` : host;
  const credentials = options.tls
    ? new LiveServerCredentials(options.tls)
    : ServerCredentials.createInsecure();
  const bound = await listen(server, `${name}:${port}`, credentials).catch((error: unknown) => {
    throw ServerPortError.from(error, host, port, 'server.grpc') ?? error;
  });
  const address = `${host === '0.0.0.0' || host === '::' ? 'localhost' : name}:${bound}`;
  log.info('gRPC server listening', { address });
  return {
    address,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      const tooLong = new AbortController();
      const force = clock.sleep(stopWithinMs, tooLong.signal).then(
        () => server.forceShutdown(),
        () => {},
      );
      await Promise.race([shutDown(server), force]);
      tooLong.abort();
    },
  };
}

function addReflection(server: Server, descriptors: Uint8Array, observe: Observe): void {
  const { serverReflectionInfo } = ServerReflection(descriptors, SERVICE_NAMES);
  const route = ServerReflectionService.serverReflectionInfo.path.slice(1);
  server.addService(ServerReflectionService, {
    serverReflectionInfo: (call: ServerDuplexStream<unknown, unknown>) => {
      void serveStream(
        route,
        call,
        call.iterator({ destroyOnReturn: false }),
        (requests) => serverReflectionInfo(requests as never, {} as never),
        observe,
      );
    },
  });
}

/** Takes new certificates; open connections stay. `ServerCredentials.createSsl` has fixed ones. */
class LiveServerCredentials extends ServerCredentials {
  constructor(certificates: LiveCertificates) {
    const required = certificates.current.ca !== undefined;
    super({ requestCert: required, rejectUnauthorized: required }, certificates.current);
    certificates.onChange((changed) => this.updateSecureContextOptions(changed));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

function listen(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync(address, credentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  return promise;
}

function shutDown(server: Server): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
  return promise;
}

/** Redirects grpc-js' own log messages to our log. */
function redirectGrpcLogs(log: Logger): void {
  const write = (message: unknown): void => log.debug('gRPC', { detail: String(message) });
  setLogVerbosity(logVerbosity.ERROR);
  setLogger({ error: write, info: write, debug: write });
}

/** Whether a service is healthy; sends a small query to each of its dependencies. */
export type HealthCheck = () => Promise<boolean>;

export interface HealthOptions {
  /** By the full name of the service; the empty name is the server as a whole. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly clock: Clock;
  /** Aborted when the server begins to stop: clients should go elsewhere from then on. */
  readonly stopping: AbortSignal;
  /** Interval of the checks for a watch. */
  readonly intervalMs?: number;
}

const SERVING_STATUS = { serving: 1, notServing: 2, unknown: 3 } as const;
type ServingStatus = (typeof SERVING_STATUS)[keyof typeof SERVING_STATUS];

export { HealthDefinition };

/** `grpc.health.v1.Health` whose status comes from live checks. */
export function createHealthService(options: HealthOptions): Service<typeof HealthDefinition> {
  const { checks, clock, stopping, intervalMs = 5 * SECOND } = options;

  async function checkService(service: string): Promise<ServingStatus> {
    const check = Object.hasOwn(checks, service) ? checks[service] : undefined;
    if (check === undefined) return SERVING_STATUS.unknown;
    if (stopping.aborted) return SERVING_STATUS.notServing;
    return (await check().catch(() => false)) ? SERVING_STATUS.serving : SERVING_STATUS.notServing;
  }

  return {
    async check({ service }) {
      const status = await checkService(service);
      if (status === SERVING_STATUS.unknown)
        throw new ServerError(Status.NOT_FOUND, `there is no service "${service.slice(0, 100)}" here`);
      return { status };
    },

    async *watch({ service }, { signal }) {
      const ends = AbortSignal.any([signal, stopping]);
      for (let sent: ServingStatus | null = null; ; ) {
        const status = await checkService(service);
        if (status !== sent) yield { status };
        sent = status;
        if (ends.aborted) return;
        await clock.sleep(intervalMs, ends).catch(() => {});
        if (signal.aborted) return;
      }
    },
  };
}
