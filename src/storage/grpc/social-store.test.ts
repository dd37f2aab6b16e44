import { fixtureAuthenticator } from '../../server/grpc/grpc-server.fixture.ts';
import { startGrpcServer } from '../../server/grpc/grpc-server.ts';
import { describeSocialStore } from '../../social/contract/social-store.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import type { ManualClock } from '../../time/manual-clock.ts';
import { SqliteSocialStore } from '../sqlite/social-store.ts';
import { openGrpcSocialStore } from './social-store.ts';

describeSocialStore('gRPC, over SQLite at the other end', openRemote, { edits: false });

/** A store whose every call goes over the wire to a server that stores in SQLite. */
async function openRemote(clock: ManualClock): Promise<ReturnType<typeof openGrpcSocialStore>> {
  const social = SqliteSocialStore.open({ path: ':memory:', clock });
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    timelines: { page: () => Promise.reject(new Error('not implemented in this test')) },
    social,
    authenticator: fixtureAuthenticator,
    isPublic: false,
    ready: async () => true,
    log: silentLogger,
    events: silentEvents,
  });
  const remote = openGrpcSocialStore({
    users: server.address,
    posts: server.address,
    timeoutMs: 20_000,
    token: () => 'service',
  });
  return {
    ...remote,
    async [Symbol.asyncDispose]() {
      await remote[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await social[Symbol.asyncDispose]();
    },
  };
}
