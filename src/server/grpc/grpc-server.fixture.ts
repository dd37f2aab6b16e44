import type { Authenticator, Scope } from '../../auth/identity.ts';
import type { SocialStore, User } from '../../social/social-store.ts';
import { createMemoryTimelineBackend } from '../../storage/memory/timelines.ts';
import { SqliteSocialStore } from '../../storage/sqlite/social-store.ts';
import { type Events, silentEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { systemClock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import { allHandled } from '../../timelines/all-handled.fixture.ts';
import { startTimelines, type TimelineService } from '../../timelines/timeline-service.ts';
import { type GrpcServerOptions, type RunningGrpcServer, startGrpcServer } from './grpc-server.ts';

export interface GrpcFixture extends AsyncDisposable {
  readonly server: RunningGrpcServer;
  readonly social: SocialStore;
  readonly timelines: TimelineService;
  readonly ann: User;
  readonly ben: User;
  /** Resolves when the fan-out of posted drops is finished. */
  fanOutDone(): Promise<void>;
}

/**
 * Tokens of the fixture: `Bearer service`, `Bearer <user ID>`, and `Bearer <user ID> <scope>` for one with only that
 * scope; `Bearer unverifiable` is one that cannot be verified at the moment.
 */
export const fixtureAuthenticator: Authenticator = {
  async authenticate({ authorization = '' }) {
    const [, subject = '', scope] = authorization.split(' ');
    if (subject === 'unverifiable')
      return { kind: 'refused', by: 'token', why: 'unavailable', detail: 'No keys at the moment.' };
    if (subject === '' || subject === 'old')
      return { kind: 'refused', by: 'token', why: 'expired', detail: 'The token has expired.' };
    const scopes: ReadonlySet<Scope> = new Set(scope === undefined ? ['read', 'write'] : [scope as Scope]);
    const credential = subject === 'service' ? 'service' : 'token';
    const expiresAt = Date.now() + MINUTE;
    return {
      kind: 'known',
      identity: {
        userId: subject,
        name: subject,
        role: 'reader',
        scopes,
        expiresAt,
        credential,
        id: subject,
      },
    };
  },
};

/** The services on a social store in memory, with two people: Ann follows Ben. */
export async function openGrpcFixture(
  options: Partial<GrpcServerOptions> & { readonly events?: Events } = {},
): Promise<GrpcFixture> {
  const clock = systemClock;
  const social = SqliteSocialStore.open({ path: ':memory:', clock });
  const backend = createMemoryTimelineBackend({ clock, log: silentLogger });
  const timelines = await startTimelines({
    social,
    changes: social.changes,
    backend,
    clock,
    log: silentLogger,
  });
  const ann = await social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
  const ben = await social.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
  await social.follow(ann.id, ben.id);
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    timelines: timelines.timelines,
    social,
    authenticator: fixtureAuthenticator,
    isPublic: true,
    ready: async () => true,
    log: silentLogger,
    events: silentEvents,
    ...options,
  });
  return {
    server,
    social,
    timelines,
    ann,
    ben,
    fanOutDone: () => allHandled(backend.eventLog),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await timelines[Symbol.asyncDispose]();
      for (const part of [backend, social]) await part[Symbol.asyncDispose]();
    },
  };
}
