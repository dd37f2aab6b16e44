import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  logVerbosity,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  setLogger,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { ServerReflection, ServerReflectionService } from 'nice-grpc-server-reflection';
import { PostServiceDefinition } from '../../../proto/gen/avion/post.ts';
import { TimelineServiceDefinition } from '../../../proto/gen/avion/timeline.ts';
import { UserServiceDefinition } from '../../../proto/gen/avion/user.ts';
import type { Authenticator } from '../../auth/identity.ts';
import { askSocial } from '../../social/ask-social.ts';
import type { SocialStore } from '../../social/services.ts';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { TimelineReader } from '../../timeline/timeline-reader.ts';
import { ServerPortError } from '../server-port-error.ts';
import { Callers } from './callers.ts';
import { gentle } from './gentle-definition.ts';
import { type HealthCheck, HealthDefinition, healthService } from './health-service.ts';
import { type Observe, observed } from './observed.ts';
import { postService } from './post-service.ts';
import { addService, stream } from './service.ts';
import { timelineService } from './timeline-service.ts';
import { userService } from './user-service.ts';

export interface GrpcServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly timelines: TimelineReader;
  readonly social: SocialStore;
  readonly authenticator: Authenticator;
  /** Whether people who have not signed in may read what is public. */
  readonly isPublic: boolean;
  /** Whether the program as a whole can serve. */
  readonly ready: HealthCheck;
  readonly log: Logger;
  readonly events: Events;
  readonly clock?: Clock;
  /** Largest message that is read. */
  readonly maxMessageBytes?: number;
  /** How long calls may take to end when the server stops. */
  readonly stopWithinMs?: number;
}

export interface RunningGrpcServer extends AsyncDisposable {
  /** `host:port` where clients find it. */
  readonly address: string;
}

const DESCRIPTORS = join(import.meta.dirname, '..', '..', '..', 'proto', 'gen', 'avion.binpb');
const SERVICES = [TimelineServiceDefinition, UserServiceDefinition, PostServiceDefinition].map(
  ({ fullName }) => fullName,
);
/** A page of drops can be long; what a client takes is the client's own setting. */
const LARGEST_ANSWER = 64 * 1024 ** 2;

/** Serves the three services of `proto/avion/`, reflection and health. A port that cannot be had is a `ServerPortError`. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<RunningGrpcServer> {
  const {
    host,
    port,
    timelines,
    social,
    log,
    events,
    clock = systemClock,
    stopWithinMs = 5 * SECOND,
  } = options;
  quieten(log);
  const stopping = new AbortController();
  const callers = new Callers(options);
  const answers: HealthCheck = async () => {
    await askSocial(social);
    return true;
  };
  const observe = observed({ clock, events, log });
  const server = new Server({
    'grpc.max_receive_message_length': options.maxMessageBytes ?? 1024 ** 2,
    'grpc.max_send_message_length': LARGEST_ANSWER,
    // A client that went away without a word is noticed, and one that only holds a connection open may.
    'grpc.keepalive_time_ms': 60 * SECOND,
    'grpc.keepalive_timeout_ms': 20 * SECOND,
    'grpc.max_concurrent_streams': 1000,
  });
  addService(
    server,
    gentle(TimelineServiceDefinition),
    timelineService({ timelines, social, callers }),
    observe,
  );
  addService(server, gentle(UserServiceDefinition), userService(social, callers), observe);
  addService(server, gentle(PostServiceDefinition), postService(social, callers), observe);
  addService(
    server,
    HealthDefinition,
    healthService({
      checks: { '': options.ready, ...Object.fromEntries(SERVICES.map((name) => [name, answers])) },
      clock,
      stopping: stopping.signal,
    }),
    observe,
  );
  addReflection(server, await readFile(DESCRIPTORS), observe);

  const name = host.includes(':') ? `[${host}]` : host;
  const bound = await listen(server, `${name}:${port}`).catch((error: unknown) => {
    throw ServerPortError.from(error, host, port, 'server.grpc') ?? error;
  });
  const address = `${host === '0.0.0.0' || host === '::' ? 'localhost' : name}:${bound}`;
  log.info('gRPC listens', { address });
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
  const { serverReflectionInfo } = ServerReflection(descriptors, SERVICES);
  const route = ServerReflectionService.serverReflectionInfo.path.slice(1);
  server.addService(ServerReflectionService, {
    serverReflectionInfo: (call: ServerDuplexStream<unknown, unknown>) => {
      void stream(
        route,
        call,
        call.iterator({ destroyOnReturn: false }),
        (requests) => serverReflectionInfo(requests as never, {} as never),
        observe,
      );
    },
  });
}

function listen(server: Server, address: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
    error === null ? resolve(port) : reject(error),
  );
  return promise;
}

function shutDown(server: Server): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
  return promise;
}

/** gRPC's own words go into our log, and only there. */
function quieten(log: Logger): void {
  const say = (message: unknown): void => log.debug('gRPC', { detail: String(message) });
  setLogVerbosity(logVerbosity.ERROR);
  setLogger({ error: say, info: say, debug: say });
}
