import { describe, expect, it } from 'vitest';
import type { ItemKey, Sighting } from '../item/item.ts';
import { openMemoryLedger } from '../ledger/memory/open.ts';
import type { Queue } from '../queue/queue.ts';
import { SourceDesk } from '../sources/desk.ts';
import { MemorySourceStore } from '../sources/memory/memory-source-store.ts';
import type { Source } from '../sources/source.ts';
import { silentEvents } from '../telemetry/events.ts';
import { HOUR, MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { admitArrival } from './admission.ts';
import { check, work } from './process.ts';

const key = 'https://www.youtube.com/watch?v=abcdefghijk' as ItemKey;
const video: Sighting = {
  key,
  url: key,
  title: 'A video',
  publishedAt: Date.UTC(2026, 0, 1),
  sourceId: 'channel',
  sourceName: 'Channel',
  video: { videoId: 'abcdefghijk', channelId: 'UC1', channelTitle: 'Channel' },
};
const channel: Source = {
  id: 'channel',
  name: 'Channel',
  kind: 'youtube',
  read: async () => ({ outcome: 'read', sightings: [video], memory: { read: true }, warnings: [] }),
  afresh: (memory) => memory,
};

function room() {
  const clock = new ManualClock();
  const policy = { retryLimit: 3, backoff: () => 1000 };
  const { ledger, outbox } = openMemoryLedger({ clock, policy });
  const sources = new MemorySourceStore();
  const handed: ItemKey[] = [];
  const queue: Queue = {
    abilities: { separate: true },
    enqueue: async (keys) => void handed.push(...keys),
    consume: async () => {},
    depth: async () => null,
    async [Symbol.asyncDispose]() {},
  };
  let storeIsAway = false;
  let admitted = 0;
  const follower = {
    pipeline: 'videos',
    sources: ['channel'],
    ledger,
    firstContact: 'everything',
    handOver: true,
  } as const;
  const desk = new SourceDesk({
    store: sources,
    clock,
    random: () => 0,
    admit: async (arrival) => {
      if (storeIsAway) throw new Error('UNAVAILABLE');
      for (const n of (await admitArrival(arrival, [follower], clock.now())).values()) admitted += n;
    },
  });
  const followed = [{ source: channel, every: 1000, firstContact: 'everything' as const }];
  const readSources = async (signal: AbortSignal) => {
    const before = admitted;
    const reports = await desk.round(followed, signal, true);
    return {
      read: 0,
      failed: reports.filter((r) => r.outcome === 'not_stored').length,
      admitted: admitted - before,
    };
  };
  const run = () =>
    check(
      { pipeline: 'videos', ledger, queue, clock, readSources, handAgainAfter: 60_000 },
      new AbortController().signal,
    );
  return {
    run,
    handed,
    sources,
    clock,
    ledger,
    outbox,
    queue,
    policy,
    away: (is: boolean) => (storeIsAway = is),
  };
}

describe('looking for videos', () => {
  it('D5 while the store answers with an error a video is neither recorded nor queued, and the next check takes it up', async () => {
    const { run, handed, sources, ledger, away } = room();
    away(true);
    expect(await run()).toMatchObject({ sourcesFailed: 1, admitted: 0 });
    expect(handed).toEqual([]);
    expect(await ledger.find(key)).toBeNull();
    expect(await sources.load('channel')).toBeNull();
    away(false);
    expect(await run()).toMatchObject({ sourcesFailed: 0, admitted: 1 });
    expect(handed).toEqual([key]);
  });

  it('D3 a second check records and queues nothing again', async () => {
    const { run, handed } = room();
    await run();
    expect(await run()).toMatchObject({ admitted: 0 });
    expect(handed).toEqual([key]);
  });

  it('D7 what lies in the queue for too long is handed over again', async () => {
    const { run, handed, clock } = room();
    await run();
    clock.jump(60_001);
    await run();
    expect(handed).toEqual([key, key]);
  });
});

describe('a worker', () => {
  const LEASE = 30 * SECOND;

  /** Works beside the given room, with a queue that delivers nothing. */
  async function workBeside(
    { ledger, outbox, queue, clock, policy }: ReturnType<typeof room>,
    during: () => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    const listening: Queue = {
      ...queue,
      consume: (_handle, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    };
    const working = work(
      {
        pipeline: 'videos',
        publishers: [],
        ledger,
        outbox,
        policy,
        clock,
        owner: 'alive',
        events: silentEvents,
        queue: listening,
        handAgainAfter: HOUR,
        processor: { process: () => Promise.reject(new Error('nothing is delivered')) },
        concurrency: 1,
        leaseMs: LEASE,
      },
      stop.signal,
    );
    await during();
    stop.abort();
    await working;
  }

  it('X21 hands over what a dead one had taken, within a minute after its lease', async () => {
    const house = room();
    await house.run();
    await house.ledger.claim(key, { owner: 'dead', leaseMs: LEASE });
    await workBeside(house, async () => {
      await house.clock.advance(LEASE - 1);
      expect(house.handed).toEqual([key]);
      await house.clock.advance(50 * SECOND);
      expect(house.handed).toEqual([key, key]);
      await house.clock.advance(10 * MINUTE);
      expect(house.handed).toEqual([key, key]);
    });
  });

  it('D7 hands over what a check recorded that died before it could', async () => {
    const house = room();
    await house.ledger.admit([video], { handOver: true });
    await workBeside(house, () => house.clock.advance(0));
    expect(house.handed).toEqual([key]);
  });
});
