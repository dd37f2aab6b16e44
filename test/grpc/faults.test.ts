import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { status } from '@grpc/grpc-js';
import { type Channel, type Client, createChannel, createClient, Metadata, Status } from 'nice-grpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GetDropsByUserIDResponse } from '../../proto/gen/avion/post.ts';
import { TimelineServiceDefinition } from '../../proto/gen/avion/timeline.ts';
import { GetFollowingListResponse, UserServiceDefinition } from '../../proto/gen/avion/user.ts';
import { type GrpcFixture, openGrpcFixture } from '../../src/server/grpc/grpc-server.fixture.ts';
import {
  type FaultyAnswer,
  type FaultyService,
  startFaultyService,
} from '../../src/storage/grpc/faulty-service.fixture.ts';
import { openGrpcSocialStore } from '../../src/storage/grpc/social-store.ts';
import { createMemoryTimelineBackend } from '../../src/storage/memory/timelines.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { openTracing } from '../../src/telemetry/tracing.ts';
import { systemClock } from '../../src/time/clock.ts';
import { startTimelines, type TimelineService } from '../../src/timelines/timeline-service.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

let services: FaultyService;
let social: ReturnType<typeof openGrpcSocialStore>;
let timelines: TimelineService;
let fixture: GrpcFixture;
let channel: Channel;
let client: Client<typeof TimelineServiceDefinition>;
let faultyAnswer: FaultyAnswer | null;
const createBackend = () => createMemoryTimelineBackend({ clock: systemClock, log: silentLogger });
let backend: ReturnType<typeof createBackend>;

/** Ann follows Ben, who has posted one drop; unless the services fail. */
function healthy(method: string): FaultyAnswer {
  if (method === 'GetFollowingList')
    return { bytes: GetFollowingListResponse.encode({ userIds: ['ben'], nextPageToken: '' }).finish() };
  const drops = [{ id: 'd1', userId: 'ben', visibility: 1 as const, createdAt: 1000 }];
  return { bytes: GetDropsByUserIDResponse.encode({ drops }).finish() };
}

beforeEach(async () => {
  faultyAnswer = null;
  services = await startFaultyService((method) => faultyAnswer ?? healthy(method));
  const address = services.address;
  social = openGrpcSocialStore({ users: address, posts: address, timeoutMs: 300 });
  backend = createBackend();
  timelines = await startTimelines({
    social,
    changes: social.changes,
    backend: backend,
    clock: systemClock,
    log: silentLogger,
  });
  fixture = await openGrpcFixture({ timelines: timelines.timelines, social });
  channel = createChannel(fixture.server.address);
  client = createClient(TimelineServiceDefinition, channel);
});
afterEach(async () => {
  channel.close();
  await fixture[Symbol.asyncDispose]();
  await timelines[Symbol.asyncDispose]();
  await backend[Symbol.asyncDispose]();
  await social[Symbol.asyncDispose]();
  await services[Symbol.asyncDispose]();
});

const ann = (more: Record<string, string> = {}) => ({
  metadata: Metadata({ authorization: 'Bearer ann', ...more }),
});

describe('a home whose user and post services fail', () => {
  it.each([
    ['slow', 'silence' as const],
    ['down', { status: status.UNAVAILABLE }],
    ['answering garbage', { bytes: Buffer.from('0aff', 'hex') }],
    [
      'answering what cannot be',
      { bytes: GetFollowingListResponse.encode({ userIds: ['two words'], nextPageToken: '' }).finish() },
    ],
    ['failing inside', { status: status.INTERNAL }],
  ])('C19 %s: UNAVAILABLE in time, and recovery when they are healthy', async (_how, answer) => {
    faultyAnswer = answer;
    await expect(client.getHomeTimeline({}, ann())).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    faultyAnswer = null;
    const home = async () => (await client.getHomeTimeline({}, ann())).dropIds;
    await expect.poll(() => home().catch(() => null)).toEqual(['d1']);
  });
});

describe('a trace', () => {
  it('C25 continues from the caller through the timelines to the services behind them', async () => {
    const collector = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
    const tracing = await openTracing({ endpoint, serviceName: 'x', version: '0', logger: silentLogger });
    await client.getHomeTimeline({}, ann({ traceparent: `00-${TRACE}-b7ad6b7169203331-01` }));
    expect(services.last()?.get('traceparent')).toEqual([
      expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`)),
    ]);
    await tracing[Symbol.asyncDispose]();
    collector.closeAllConnections();
    collector.close();
  });
});

describe('an author with a million followers', () => {
  it('is transferred in pages', async () => {
    const ids = Array.from({ length: 1_000_000 }, (_, i) => `user-${String(i).padStart(8, '0')}`);
    let pages = 0;
    const many = await openGrpcFixture({
      social: {
        ...fixture.social,
        async getFollowersPage(_userId, { limit, after }) {
          pages += 1;
          const from = after === undefined ? 0 : Number(after.slice(5)) + 1;
          return ids.slice(from, from + limit);
        },
      },
    });
    const address = many.server.address;
    const store = openGrpcSocialStore({
      users: address,
      posts: address,
      timeoutMs: 20_000,
      token: () => 'service',
    });
    const read = await store.getFollowersPage('author', { limit: ids.length });
    expect(read).toHaveLength(ids.length);
    expect(new Set(read).size).toBe(ids.length);
    expect(pages).toBe(100);
    const plain = createChannel(address);
    const first = await createClient(UserServiceDefinition, plain).getFollowersList(
      { userId: 'author' },
      { metadata: Metadata({ authorization: 'Bearer service' }) },
    );
    expect(first.userIds).toHaveLength(10_000);
    plain.close();
    await store[Symbol.asyncDispose]();
    await many[Symbol.asyncDispose]();
  });
});
