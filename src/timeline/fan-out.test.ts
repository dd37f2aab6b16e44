import { expect, it } from 'vitest';
import { ServiceUnavailableError } from '../social/refusals.ts';
import { SqliteSocialStore } from '../social/sqlite/sqlite-social-store.ts';
import { FAN_OUT, startTimelines } from '../stream/timeline-service.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { keepInMemory } from './memory/keeping.ts';
import { homeOf, type TimelineName } from './timeline-store.ts';

it('C8 a deleted drop leaves the timelines of everybody at once, also while the user service is away', async () => {
  const clock = new ManualClock();
  await using store = SqliteSocialStore.open({ path: ':memory:', clock });
  let away = false;
  const asked: string[] = [];
  const social = new Proxy(store, {
    get(target, name) {
      if (name === 'getFollowersPage' && away)
        return async () => {
          asked.push(String(name));
          throw new ServiceUnavailableError('avion.UserService', 'down', 'connection refused');
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  await using keeping = keepInMemory({ clock, log: silentLogger, groups: [FAN_OUT] });
  await using service = await startTimelines({ social, keeping, clock, log: silentLogger });
  const author = await store.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
  const reader = await store.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
  await service.social.follow(reader.id, author.id);
  const { drop } = await service.social.post({ userId: author.id, visibility: 'public', text: 'taken back' });
  await keeping.events.idle(FAN_OUT);
  const ids = async (timeline: TimelineName): Promise<readonly string[] | undefined> =>
    (await keeping.store.page(timeline, { limit: 10 }))?.entries.map(({ id }) => id);
  const shared = ['timeline:local', 'timeline:global'] as const;
  // Reading builds the homes.
  for (const timeline of [homeOf(author.id), homeOf(reader.id)])
    await service.timelines.page(timeline, { limit: 10 });
  for (const timeline of [...shared, homeOf(author.id), homeOf(reader.id)])
    expect(await ids(timeline)).toEqual([drop.id]);

  away = true;
  await service.social.deleteDrop(drop.id);
  await expect.poll(() => asked.length).toBe(1);
  for (const timeline of [...shared, homeOf(author.id)]) expect(await ids(timeline)).toEqual([]);

  away = false;
  await clock.advance(MINUTE);
  await keeping.events.idle(FAN_OUT);
  expect(await ids(homeOf(reader.id))).toEqual([]);
});

it('C8 C11 a delete wins in the streams of followers who are not written to, also during the fan-out', async () => {
  const clock = new ManualClock();
  await using social = SqliteSocialStore.open({ path: ':memory:', clock });
  await using keeping = keepInMemory({ clock, log: silentLogger, groups: [FAN_OUT] });
  let gate: Promise<void> = Promise.resolve();
  const streams = new Proxy(keeping.streams, {
    get(target, name) {
      if (name === 'watchedHomes') return () => gate.then(() => target.watchedHomes());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const thresholds = { activeOnlyAbove: 0, mergeAbove: 0, activeWithinMs: MINUTE };
  const parts = { social, keeping: { ...keeping, streams }, clock, log: silentLogger, thresholds };
  await using service = await startTimelines(parts);
  const author = await social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
  const reader = await social.addUser({ name: 'ben', displayName: 'Ben', kind: 'person' });
  await service.social.follow(reader.id, author.id);
  await keeping.events.idle(FAN_OUT);
  const told: string[] = [];
  await streams.watch(homeOf(reader.id), {
    happened: ({ event }) => void told.push('dropId' in event ? `${event.type} ${event.dropId}` : event.type),
    lost: () => void told.push('lost'),
  });
  const post = async (): Promise<string> =>
    (await service.social.post({ userId: author.id, visibility: 'public', text: 'x' })).drop.id;

  const first = await post();
  await keeping.events.idle(FAN_OUT);
  await service.social.deleteDrop(first);
  await keeping.events.idle(FAN_OUT);
  expect(told).toEqual([`new_drop ${first}`, `drop_deleted ${first}`]);

  let open = (): void => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const second = await post();
  await service.social.deleteDrop(second);
  const waits = async () => keeping.events.waiting(FAN_OUT);
  await expect.poll(waits).toBe(1);
  open();
  await keeping.events.idle(FAN_OUT);
  expect(told.slice(2)).not.toContain(`new_drop ${second}`);
});
