import { remembering } from '../auth/remembering.ts';
import type { Config } from '../config/config.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import { linkPath } from '../server/api/people-routes.ts';
import type { ControlRoom } from '../server/control-room.ts';
import type { RunningGrpcServer } from '../server/grpc/grpc-server.ts';
import type { Newsroom } from '../server/newsroom.ts';
import { type RunningServer, startServer } from '../server/server.ts';
import type { SocialStore } from '../social/services.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import { type Roles, surfaceOf } from './roles.ts';
import { withServiceToken } from './service-token.ts';
import type { SigningIn } from './sign-in.ts';
import { webOptions } from './web-options.ts';

/** Where the program can be reached. */
export interface Serving extends RunningServer {
  /** `host:port` of gRPC; `null` where it is switched off. */
  readonly grpc: string | null;
}

export interface ServingParts {
  readonly config: Config;
  readonly newsroom: Newsroom;
  readonly social: SocialStore;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly roles: Roles;
  readonly control: ControlRoom;
  readonly signing: SigningIn;
  readonly fetcher: Fetcher;
}

/** Starts the web server and, where it is wanted, gRPC. */
export async function serve(parts: ServingParts, port: number): Promise<Serving> {
  const { newsroom, control, telemetry, clock, roles } = parts;
  const web = await startServer({
    ...webOptions(parts),
    newsroom,
    control,
    port,
    log: telemetry.logger,
    events: telemetry.events,
    clock,
    surface: surfaceOf(roles),
  });
  let grpc: RunningGrpcServer | null;
  try {
    grpc = await serveGrpc(parts);
  } catch (error) {
    await web[Symbol.asyncDispose]();
    throw error;
  }
  return {
    url: web.url,
    routes: web.routes,
    grpc: grpc?.address ?? null,
    async [Symbol.asyncDispose]() {
      await Promise.all([grpc?.[Symbol.asyncDispose](), web[Symbol.asyncDispose]()]);
    },
  };
}

async function serveGrpc(parts: ServingParts): Promise<RunningGrpcServer | null> {
  const { config, newsroom, social, telemetry, clock, signing } = parts;
  const { grpc, public: isPublic, maxBody, stopWithin } = config.server;
  if (!grpc.enabled || !parts.roles.has('timeline')) return null;
  const { startGrpcServer } = await import('../server/grpc/grpc-server.ts');
  const { host, port, serviceToken } = grpc;
  const authenticator =
    serviceToken === undefined
      ? signing.authenticator
      : withServiceToken(signing.authenticator, () => serviceToken.reveal());
  return startGrpcServer({
    host,
    port,
    timelines: newsroom.timelines,
    social,
    authenticator: remembering(authenticator, { clock, revocations: signing.revocations }),
    isPublic,
    ready: async () => (await newsroom.readiness()).ready,
    log: telemetry.logger,
    events: telemetry.events,
    clock,
    maxMessageBytes: maxBody,
    stopWithinMs: stopWithin,
  });
}

/** The secret is in the part that browsers keep to themselves. */
export function welcomeAddress({ server }: Config, token: string, base?: string): string {
  const open = server.host === '0.0.0.0' || server.host === '::' ? 'localhost' : server.host;
  const host = open.includes(':') ? `[${open}]` : open;
  const address = server.address ?? base ?? `http://${host}:${server.port}`;
  return new URL(linkPath(token), address).href;
}
