import { credentials, Metadata as GrpcMetadata, makeGenericClientConstructor } from '@grpc/grpc-js';
import { type Channel, type Client, createChannel, createClient, Metadata, Status } from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PostServiceDefinition, Visibility } from '../../../proto/gen/avion/post.ts';
import { TimelineServiceDefinition } from '../../../proto/gen/avion/timeline.ts';
import { UserKind, UserServiceDefinition } from '../../../proto/gen/avion/user.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { TimelinesUnavailableError } from '../../timelines/timeline-store.ts';
import { type GrpcFixture, openGrpcFixture } from './grpc-server.fixture.ts';
import type { GrpcServerOptions } from './grpc-server.ts';

let stage: GrpcFixture;
let channel: Channel;
let timelines: Client<typeof TimelineServiceDefinition>;
let users: Client<typeof UserServiceDefinition>;
let posts: Client<typeof PostServiceDefinition>;

async function open(options: Partial<GrpcServerOptions> = {}): Promise<void> {
  stage = await openGrpcFixture(options);
  channel = createChannel(stage.server.address);
  timelines = createClient(TimelineServiceDefinition, channel);
  users = createClient(UserServiceDefinition, channel);
  posts = createClient(PostServiceDefinition, channel);
}

async function close(): Promise<void> {
  channel.close();
  await stage[Symbol.asyncDispose]();
}

async function reopen(options: Partial<GrpcServerOptions>): Promise<void> {
  await close();
  await open(options);
}

beforeEach(() => open());
afterEach(close);

const as = (token: string) => ({ metadata: Metadata({ authorization: `Bearer ${token}` }) });

async function post(userId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++)
    ids.push((await stage.social.post({ userId, visibility: 'public', text: `${i}` })).drop.id);
  await stage.fanOutDone();
  return ids.reverse();
}

describe('avion.TimelineService', () => {
  it('C4 pages through home, local and global with the cursors of its answers', async () => {
    const ids = await post(stage.ben.id, 7);
    for (const method of ['getHomeTimeline', 'getLocalTimeline', 'getGlobalTimeline'] as const) {
      const read: string[] = [];
      for (let maxId = ''; ; ) {
        const page = await timelines[method]({ limit: 3, maxId }, as(stage.ann.id));
        read.push(...page.dropIds);
        maxId = page.olderCursor;
        if (maxId === '') break;
      }
      expect(read).toEqual(ids);
      const top = await timelines[method]({}, as(stage.ann.id));
      const [next] = await post(stage.ben.id, 1);
      const newer = await timelines[method]({ sinceId: top.newerCursor }, as(stage.ann.id));
      expect(newer.dropIds).toEqual([next]);
      ids.unshift(next ?? '');
    }
  });

  it('C14 returns 20 drops if no limit is given', async () => {
    const ids = await post(stage.ben.id, 25);
    const { dropIds } = await timelines.getLocalTimeline({});
    expect(dropIds).toEqual(ids.slice(0, 20));
  });

  it.each([
    ['limit', { limit: 101 }],
    ['limit', { limit: -1 }],
    ['since_id', { sinceId: 'not a cursor' }],
    ['max_id', { maxId: '999999999999999999_x' }],
    ['user_id', { userId: 'no spaces allowed' }],
    ['user_id', { userId: 'x'.repeat(129) }],
  ])('C19 returns INVALID_ARGUMENT and names %s', async (field, request) => {
    const call = timelines.getHomeTimeline(request, as(stage.ann.id));
    await expect(call).rejects.toMatchObject({
      code: Status.INVALID_ARGUMENT,
      details: expect.stringMatching(new RegExp(`^${field}: `)),
    });
  });

  it('C19 returns UNAUTHENTICATED without a token and with an expired one', async () => {
    const code = Status.UNAUTHENTICATED;
    await expect(timelines.getHomeTimeline({ userId: stage.ann.id })).rejects.toMatchObject({ code });
    await expect(timelines.getHomeTimeline({}, as('old'))).rejects.toMatchObject({ code });
    await expect(timelines.getLocalTimeline({}, as('old'))).rejects.toMatchObject({ code });
  });

  it('C19 returns UNAVAILABLE when a token cannot be verified at the moment', async () => {
    const code = Status.UNAVAILABLE;
    await expect(timelines.getHomeTimeline({}, as('unverifiable'))).rejects.toMatchObject({ code });
  });

  it('C19 returns PERMISSION_DENIED for the home of another user, known or not, and for a token without the scope', async () => {
    const code = Status.PERMISSION_DENIED;
    for (const userId of [stage.ben.id, 'unknown'])
      await expect(timelines.getHomeTimeline({ userId }, as(stage.ann.id))).rejects.toMatchObject({ code });
    const writing = timelines.getHomeTimeline({}, as(`${stage.ann.id} write`));
    await expect(writing).rejects.toMatchObject({ code });
  });

  it('C19 lets a service read every home, and returns NOT_FOUND for an unknown user', async () => {
    const ids = await post(stage.ben.id, 2);
    const home = await timelines.getHomeTimeline({ userId: stage.ann.id }, as('service'));
    expect(home.dropIds).toEqual(ids);
    const unknown = timelines.getHomeTimeline({ userId: 'unknown' }, as('service'));
    await expect(unknown).rejects.toMatchObject({ code: Status.NOT_FOUND });
    const unnamed = timelines.getHomeTimeline({}, as('service'));
    await expect(unnamed).rejects.toMatchObject({ code: Status.INVALID_ARGUMENT });
  });

  it('C19 returns UNAVAILABLE when a store is unavailable, and hides internal errors', async () => {
    const unavailable = new TimelinesUnavailableError({ cause: new Error('redis at 10.0.0.1 refused') });
    let failure: Error = unavailable;
    await reopen({ timelines: { page: () => Promise.reject(failure) } });
    await expect(timelines.getLocalTimeline({})).rejects.toMatchObject({
      code: Status.UNAVAILABLE,
      details: expect.not.stringContaining('10.0.0.1'),
    });
    failure = new Error('password hunter2');
    await expect(timelines.getLocalTimeline({})).rejects.toMatchObject({
      code: Status.INTERNAL,
      details: expect.not.stringContaining('hunter2'),
    });
  });

  it('rejects guests where the newsroom is closed to them', async () => {
    await reopen({ isPublic: false });
    await expect(timelines.getLocalTimeline({})).rejects.toMatchObject({ code: Status.UNAUTHENTICATED });
    expect(await timelines.getLocalTimeline({}, as(stage.ann.id))).toMatchObject({ dropIds: [] });
  });
});

describe('a call', () => {
  it('C19 with undecodable bytes is INVALID_ARGUMENT, not INTERNAL', async () => {
    const Raw = makeGenericClientConstructor({}, 'raw');
    const raw = new Raw(stage.server.address, credentials.createInsecure());
    const ask = (bytes: string) =>
      new Promise<{ code: number; details: string }>((resolve) => {
        raw.makeUnaryRequest(
          '/avion.TimelineService/GetLocalTimeline',
          (value: Buffer) => value,
          (value: Buffer) => value,
          Buffer.from(bytes, 'hex'),
          new GrpcMetadata(),
          (error) => resolve({ code: error?.code ?? 0, details: error?.details ?? '' }),
        );
      });
    // A string longer than the message, invalid UTF-8, an unterminated group, a truncated length.
    for (const bytes of ['0aff', '0a02c328', '0b', '0affffffffffffffffffff01'])
      expect(await ask(bytes)).toMatchObject({ code: Status.INVALID_ARGUMENT });
    raw.close();
  });

  it('above the size limit is rejected, and the server keeps serving', async () => {
    await reopen({ maxMessageBytes: 1000 });
    const big = timelines.getLocalTimeline({ sinceId: 'x'.repeat(2000) });
    await expect(big).rejects.toMatchObject({ code: Status.RESOURCE_EXHAUSTED });
    expect(await timelines.getLocalTimeline({})).toMatchObject({ dropIds: [] });
  });

  it('that is cancelled or exceeds its deadline aborts its reads', async () => {
    const reasons: string[] = [];
    await reopen({
      timelines: {
        page: (_timeline, _ask, signal) =>
          new Promise((_resolve, reject) => {
            reasons.push('begun');
            signal?.addEventListener('abort', () => {
              reasons.push('stopped');
              reject(signal.reason);
            });
          }),
      },
    });
    const cancel = new AbortController();
    const call = timelines.getLocalTimeline({}, { signal: cancel.signal });
    const refused = expect(call).rejects.toThrow(/aborted/);
    await expect.poll(() => reasons).toEqual(['begun']);
    cancel.abort();
    await refused;
    await expect.poll(() => reasons).toEqual(['begun', 'stopped']);

    const Raw = makeGenericClientConstructor({}, 'raw');
    const raw = new Raw(stage.server.address, credentials.createInsecure());
    const code = await new Promise((resolve) => {
      raw.makeUnaryRequest(
        '/avion.TimelineService/GetLocalTimeline',
        (value: Buffer) => value,
        (value: Buffer) => value,
        Buffer.alloc(0),
        new GrpcMetadata(),
        { deadline: Date.now() + 200 },
        (error) => resolve(error?.code),
      );
    });
    expect(code).toBe(Status.DEADLINE_EXCEEDED);
    await expect.poll(() => reasons).toEqual(['begun', 'stopped', 'begun', 'stopped']);
    raw.close();
  });

  it('C25 is counted with its method, status and duration', async () => {
    const requestServed = vi.fn();
    await reopen({ events: { ...silentEvents, requestServed } });
    await timelines.getLocalTimeline({});
    await timelines.getLocalTimeline({ limit: 1000 }).catch(() => {});
    const route = 'avion.TimelineService/GetLocalTimeline';
    expect(requestServed.mock.calls.map(([event]) => event)).toMatchObject([
      { protocol: 'grpc', route, status: 'OK', ms: expect.any(Number) },
      { protocol: 'grpc', route, status: 'INVALID_ARGUMENT' },
    ]);
  });

  it('in progress is finished when the server stops', async () => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    let begun = false;
    await reopen({
      timelines: {
        page: async () => {
          begun = true;
          await gate;
          return { ok: true, page: { entries: [], older: null, newer: '0_' } };
        },
      },
    });
    const call = timelines.getLocalTimeline({});
    await expect.poll(() => begun).toBe(true);
    const stopped = stage.server[Symbol.asyncDispose]();
    openGate();
    expect(await call).toMatchObject({ newerCursor: '0_' });
    await stopped;
  });

  it('that never ends does not delay the shutdown', async () => {
    let begun = false;
    const page = (): Promise<never> => {
      begun = true;
      return new Promise(() => {});
    };
    await reopen({ shutdownTimeoutMs: 50, timelines: { page } });
    const call = timelines.getLocalTimeline({});
    const refused = expect(call).rejects.toMatchObject({ code: expect.any(Number) });
    await expect.poll(() => begun).toBe(true);
    await stage.server[Symbol.asyncDispose]();
    await refused;
  });
});

describe('avion.UserService and avion.PostService', () => {
  it('let users follow, block and post only in their own name', async () => {
    const { ann, ben } = stage;
    const code = Status.PERMISSION_DENIED;
    const ask = { followerId: ben.id, followedId: ann.id };
    await expect(users.follow(ask, as(ann.id))).rejects.toMatchObject({ code });
    expect(await users.follow({ followedId: ann.id }, as(ben.id))).toEqual({ changed: true });
    await expect(users.block({ blockerId: ben.id, blockedId: ann.id }, as(ann.id))).rejects.toMatchObject({
      code,
    });
    await expect(users.follow({ followedId: ann.id }, as(`${ben.id} read`))).rejects.toMatchObject({ code });
    const text = { visibility: Visibility.VISIBILITY_PUBLIC, text: 'hello' };
    await expect(posts.createDrop({ ...text, userId: ben.id }, as(ann.id))).rejects.toMatchObject({ code });
    const { drop } = await posts.createDrop(text, as(ben.id));
    expect(drop).toMatchObject({ userId: ben.id, text: 'hello' });
    await expect(posts.deleteDrop({ dropId: drop?.id ?? '' }, as(ann.id))).rejects.toMatchObject({ code });
    expect((await posts.deleteDrop({ dropId: drop?.id ?? '' }, as(ben.id))).drop?.id).toBe(drop?.id);
    await expect(posts.getDropsByUserID({ userId: ben.id }, as(ann.id))).rejects.toMatchObject({ code });
    await expect(users.getBlockedList({ userId: ben.id }, as(ann.id))).rejects.toMatchObject({ code });
    const person = { name: 'cat', kind: UserKind.USER_KIND_PERSON };
    await expect(users.createUser(person, as(ann.id))).rejects.toMatchObject({ code });
    expect((await users.createUser(person, as('service'))).user).toMatchObject({ displayName: 'cat' });
  });

  it('C13 a block removes the drops from both homes for good', async () => {
    const { ann, ben } = stage;
    await users.follow({ followedId: ann.id }, as(ben.id));
    await post(ben.id, 2);
    const [own] = await post(ann.id, 1);
    expect((await timelines.getHomeTimeline({}, as(ann.id))).dropIds).toHaveLength(3);
    await users.block({ blockedId: ben.id }, as(ann.id));
    await post(ben.id, 1);
    expect((await timelines.getHomeTimeline({}, as(ann.id))).dropIds).toEqual([own]);
    expect((await timelines.getHomeTimeline({}, as(ben.id))).dropIds).not.toContain(own);
    const again = users.follow({ followedId: ann.id }, as(ben.id));
    await expect(again).rejects.toMatchObject({ code: Status.FAILED_PRECONDITION });
  });

  it('return drops only to users who may see them', async () => {
    const { ann, ben, social } = stage;
    const ids: string[] = [];
    for (const visibility of ['public', 'followers', 'private'] as const)
      ids.push((await social.post({ userId: ben.id, visibility, text: visibility })).drop.id);
    const cat = await social.addUser({ name: 'cat', displayName: 'Cat', kind: 'person' });
    const seenBy = async (token?: string) =>
      (await posts.getDrops({ ids }, token === undefined ? {} : as(token))).drops.map((drop) => drop.text);
    expect(await seenBy()).toEqual(['public']);
    expect(await seenBy(cat.id)).toEqual(['public']);
    expect(await seenBy(ann.id)).toEqual(['public', 'followers']);
    expect(await seenBy(ben.id)).toEqual(['public', 'followers', 'private']);
    expect(await seenBy('service')).toEqual(['public', 'followers', 'private']);
  });

  it('scope idempotency keys to the user', async () => {
    const ask = { visibility: Visibility.VISIBILITY_PUBLIC, text: 'x', idempotencyKey: 'k' };
    const first = await posts.createDrop(ask, as(stage.ann.id));
    const again = await posts.createDrop(ask, as(stage.ann.id));
    expect(again).toEqual({ drop: first.drop, created: false });
    const other = await posts.createDrop(ask, as(stage.ben.id));
    expect(other).toMatchObject({ created: true, drop: { userId: stage.ben.id } });
  });

  it.each([
    ['page_size', () => users.getFollowersList({ userId: 'x', pageSize: 10_001 }, as('service'))],
    ['page_token', () => users.getFollowersList({ userId: 'x', pageToken: 'eA' }, as('service'))],
    ['user_id', () => users.getFollowingList({}, as('service'))],
    ['id_or_name', () => users.getUser({})],
    ['name', () => users.createUser({ name: 'two words', kind: 1 }, as('service'))],
    ['kind', () => users.createUser({ name: 'fine' }, as('service'))],
    ['followed_id', () => users.follow({}, as('x'))],
    ['limit', () => posts.getRecentPublicDrops({ limit: 1001 })],
    ['before.created_at', () => posts.getRecentPublicDrops({ before: { createdAt: -1 } })],
    ['ids', () => posts.getDrops({ ids: Array.from({ length: 101 }, String) })],
    ['visibility', () => posts.createDrop({ text: 'x' }, as('x'))],
    ['url', () => posts.createDrop({ visibility: 1, text: 'x', url: 'javascript:x' }, as('x'))],
    ['drop_id', () => posts.deleteDrop({}, as('x'))],
  ])('C19 name %s where it is invalid', async (field, call) => {
    await expect(call()).rejects.toMatchObject({
      code: Status.INVALID_ARGUMENT,
      details: expect.stringMatching(new RegExp(`^${field.replace('.', '\\.')}: `)),
    });
  });

  it('return NOT_FOUND and ALREADY_EXISTS for users', async () => {
    const code = Status.NOT_FOUND;
    await expect(users.getUser({ idOrName: 'unknown' })).rejects.toMatchObject({ code });
    await expect(users.follow({ followedId: 'unknown' }, as(stage.ann.id))).rejects.toMatchObject({ code });
    const taken = users.createUser({ name: 'ann', kind: UserKind.USER_KIND_PERSON }, as('service'));
    await expect(taken).rejects.toMatchObject({ code: Status.ALREADY_EXISTS });
  });
});

describe('grpc.health.v1.Health', () => {
  it('reports the result of the checks, for the server and each service', async () => {
    let ready = true;
    await reopen({ ready: async () => ready });
    const health = createClient(HealthDefinition, channel);
    expect(await health.check({ service: '' })).toEqual({ status: 1 });
    expect(await health.check({ service: 'avion.TimelineService' })).toEqual({ status: 1 });
    ready = false;
    expect(await health.check({ service: '' })).toEqual({ status: 2 });
    await expect(health.check({ service: 'x' })).rejects.toMatchObject({ code: Status.NOT_FOUND });
  });

  it('reports the shutdown to watchers and ends their calls', async () => {
    const health = createClient(HealthDefinition, channel);
    const seen: number[] = [];
    const watching = (async () => {
      for await (const { status } of health.watch({ service: '' })) seen.push(status);
    })();
    await expect.poll(() => seen).toEqual([1]);
    await stage.server[Symbol.asyncDispose]();
    await watching;
    expect(seen).toEqual([1, 2]);
  });
});

describe('the port', () => {
  it('that is in use is reported with the setting to change', async () => {
    const port = Number(stage.server.address.split(':')[1]);
    await expect(openGrpcFixture({ port })).rejects.toMatchObject({
      name: 'ServerPortError',
      code: 'EADDRINUSE',
      message: expect.stringContaining('server.grpc.port'),
    });
  });
});
