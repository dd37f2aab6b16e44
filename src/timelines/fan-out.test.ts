import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { forThisFile, startRedis } from '../../test/redis.ts';
import { requires } from '../../test/requirements.ts';
import { ServiceUnavailableError } from '../social/rules.ts';
import { MemoryChangeFeed } from '../storage/memory/change-feed.ts';
import { createMemoryTimelineBackend, MemoryReceivedDrops } from '../storage/memory/timelines.ts';
import { RedisConnection } from '../storage/redis/connection.ts';
import { createRedisTimelineBackend } from '../storage/redis/timelines.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { allHandled } from './all-handled.fixture.ts';
import { dropCreated } from './change-feed.ts';
import { DEFAULT_THRESHOLDS, startTimelines } from './timeline-service.ts';
import { homeTimeline, type TimelineName } from './timeline-store.ts';

it('C8 a deleted drop leaves the shared timelines at once, also while the user service is unavailable', async () => {
  const clock = new ManualClock();
  await using store = SqliteSocialStore.open({ path: ':memory:', clock });
  let isDown = false;
  const failedCalls: string[] = [];
  const social = new Proxy(store, {
    get(target, name) {
      if (name === 'getFollowersPage' && isDown)
        return async () => {
          failedCalls.push(String(name));
          throw new ServiceUnavailableError('avion.UserService', 'down', 'connection refused');
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  await using backend = createMemoryTimelineBackend({ clock, log: silentLogger });
  await using service = await startTimelines({
    social,
    changes: social.changes,
    backend,
    clock,
    log: silentLogger,
  });
  const author = await store.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
  const reader = await store.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
  await social.follow(reader.id, author.id);
  const { drop } = await social.post({ userId: author.id, visibility: 'public', text: 'deleted' });
  await allHandled(backend.eventLog);
  const ids = async (timeline: TimelineName): Promise<readonly string[] | undefined> =>
    (await backend.store.page(timeline, { limit: 10 }))?.entries.map(({ id }) => id);
  const shared = ['timeline:local', 'timeline:global'] as const;
  // Reading builds the homes.
  for (const timeline of [homeTimeline(author.id), homeTimeline(reader.id)])
    await service.timelines.page(timeline, { limit: 10 });
  for (const timeline of [...shared, homeTimeline(author.id), homeTimeline(reader.id)])
    expect(await ids(timeline)).toEqual([drop.id]);

  isDown = true;
  await social.deleteDrop(drop.id);
  await expect.poll(() => failedCalls.length).toBe(1);
  for (const timeline of [...shared, homeTimeline(author.id)]) expect(await ids(timeline)).toEqual([]);

  isDown = false;
  await clock.advance(MINUTE);
  await allHandled(backend.eventLog);
  expect(await ids(homeTimeline(reader.id))).toEqual([]);
});

it('C8 C11 a delete wins in the streams of followers who are not written to, also during the fan-out', async () => {
  const clock = new ManualClock();
  await using social = SqliteSocialStore.open({ path: ':memory:', clock });
  await using backend = createMemoryTimelineBackend({ clock, log: silentLogger });
  let gate: Promise<void> = Promise.resolve();
  const streams = new Proxy(backend.streams, {
    get(target, name) {
      if (name === 'subscribedHomes') return () => gate.then(() => target.subscribedHomes());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const thresholds = { activeOnlyAbove: 0, mergeAbove: 0, activeWithinMs: MINUTE };
  const parts = {
    social,
    changes: social.changes,
    backend: { ...backend, streams },
    clock,
    log: silentLogger,
    thresholds,
  };
  await using _service = await startTimelines(parts);
  const author = await social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
  const reader = await social.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
  await social.follow(reader.id, author.id);
  await allHandled(backend.eventLog);
  const streamed: string[] = [];
  await streams.subscribe(homeTimeline(reader.id), {
    onEvent: ({ event }) =>
      void streamed.push('dropId' in event ? `${event.type} ${event.dropId}` : event.type),
    onGap: () => void streamed.push('gap'),
  });
  const post = async (): Promise<string> =>
    (await social.post({ userId: author.id, visibility: 'public', text: 'x' })).drop.id;

  const first = await post();
  await allHandled(backend.eventLog);
  await social.deleteDrop(first);
  await allHandled(backend.eventLog);
  expect(streamed).toEqual([`new_drop ${first}`, `drop_deleted ${first}`]);

  let open = (): void => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const second = await post();
  await social.deleteDrop(second);
  const waits = async () => backend.eventLog.waiting();
  await expect.poll(waits).toBe(1);
  open();
  await allHandled(backend.eventLog);
  expect(streamed.slice(2)).not.toContain(`new_drop ${second}`);
});

requires('redis-server')('a fan-out on Redis', () => {
  const redis = forThisFile(() => startRedis());

  it.each([
    ['few followers', DEFAULT_THRESHOLDS],
    ['followers of whom only the active ones are written to', { ...DEFAULT_THRESHOLDS, activeOnlyAbove: 0 }],
    ['followers who are not written to', { ...DEFAULT_THRESHOLDS, activeOnlyAbove: 0, mergeAbove: 0 }],
  ])(
    'C13 a reader who is blocked while a drop is fanned out to %s does not get it',
    async (_, thresholds) => {
      const clock = systemClock;
      await redis().command('FLUSHALL');
      const parts = { clock, log: silentLogger, events: silentEvents };
      await using store = SqliteSocialStore.open({ path: ':memory:', clock });
      await using connection = await RedisConnection.open({ nodes: [redis().address], ...parts });
      const received = { durable: new MemoryReceivedDrops(9) };
      const spoolFile = join(tmpdir(), `kawaraban-never-${process.pid}`);
      await using backend = createRedisTimelineBackend({ connection, ...parts, spoolFile, received });
      let onFollowersRead = (): void => {};
      let gate: Promise<void> | null = null;
      const social = new Proxy(store, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (name !== 'getFollowersPage') return typeof value === 'function' ? value.bind(target) : value;
          return async (...args: Parameters<SqliteSocialStore['getFollowersPage']>) => {
            const followers = await target.getFollowersPage(...args);
            onFollowersRead();
            await gate;
            return followers;
          };
        },
      });
      await using service = await startTimelines({
        social,
        changes: social.changes,
        backend,
        clock,
        log: silentLogger,
        thresholds,
      });
      const author = await store.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
      const readers = [];
      for (const name of ['ben', 'cat'])
        readers.push((await store.addUser({ name, displayName: name, kind: 'person' })).id);
      const [ben = '', cat = ''] = readers;
      for (const reader of readers) await social.follow(reader, author.id);
      const allEventsHandled = () => expect.poll(() => backend.eventLog.waiting()).toBe(0);
      await allEventsHandled();
      const streamed: string[] = [];
      const { stop } = await backend.streams.subscribe(homeTimeline(ben), {
        onEvent: ({ event }) => void streamed.push('dropId' in event ? event.dropId : event.type),
        onGap: () => void streamed.push('gap'),
      });
      const home = async (reader: string): Promise<readonly string[]> => {
        const answer = await service.timelines.page(homeTimeline(reader), { limit: 9 });
        return answer.ok ? answer.page.entries.map(({ id }) => id) : [];
      };
      for (const reader of readers) expect(await home(reader)).toEqual([]);

      const followersRead = new Promise<void>((resolve) => {
        onFollowersRead = resolve;
      });
      let open = (): void => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      const { drop } = await social.post({ userId: author.id, visibility: 'followers', text: 'x' });
      await followersRead;
      await social.block(author.id, ben);
      await expect.poll(() => streamed).toContain('reset');
      expect(await home(ben)).toEqual([]);
      gate = null;
      open();
      await expect.poll(() => home(cat)).toEqual([drop.id]);
      await allEventsHandled();
      expect(await home(ben)).toEqual([]);
      expect(streamed).not.toContain(drop.id);
      await stop();
    },
  );

  it.each([
    ['all followers', DEFAULT_THRESHOLDS],
    ['followers who are not written to', { ...DEFAULT_THRESHOLDS, activeOnlyAbove: 0, mergeAbove: 0 }],
  ])(
    'C8 C12 a late event of a deleted drop does not bring it back to %s after Redis lost its data',
    async (_, thresholds) => {
      const clock = systemClock;
      await redis().command('FLUSHALL');
      const parts = { clock, log: silentLogger, events: silentEvents };
      await using social = SqliteSocialStore.open({ path: ':memory:', clock });
      // The changes of the store are not relayed; the test appends its own.
      const changes = new MemoryChangeFeed(clock);
      await using connection = await RedisConnection.open({ nodes: [redis().address], ...parts });
      const received = { durable: new MemoryReceivedDrops(9) };
      const spoolFile = join(tmpdir(), `kawaraban-never-${process.pid}`);
      await using backend = createRedisTimelineBackend({ connection, ...parts, spoolFile, received });
      await using _service = await startTimelines({
        social,
        changes,
        backend,
        clock,
        log: silentLogger,
        thresholds,
      });
      const author = await social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
      const reader = await social.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
      await social.follow(reader.id, author.id);
      await changes.append({ type: 'followed', user_id: reader.id, author_id: author.id });
      const streamed = new Map<TimelineName, string[]>();
      const timelines: TimelineName[] = ['timeline:local', homeTimeline(reader.id)];
      for (const timeline of timelines) {
        const newDrops: string[] = [];
        streamed.set(timeline, newDrops);
        await backend.streams.subscribe(timeline, {
          onEvent: ({ event }) => void (event.type === 'new_drop' && newDrops.push(event.dropId)),
          onGap: () => {},
        });
      }
      // No tombstone is known here.
      const { drop } = await social.post({ userId: author.id, visibility: 'public', text: 'deleted' });
      await social.deleteDrop(drop.id);
      await changes.append(dropCreated(drop));
      const { drop: next } = await social.post({
        userId: author.id,
        visibility: 'public',
        text: 'next',
      });
      await changes.append(dropCreated(next));
      for (const timeline of timelines) await expect.poll(() => streamed.get(timeline)).toEqual([next.id]);
    },
  );
});
