import { describe, expect, it } from 'vitest';
import type { ItemKey, Sighting } from '../item/item.ts';
import { advance } from '../item/lifecycle.ts';
import type { Judge } from '../judge/judge.ts';
import { createLocalJudge } from '../judge/local/local-judge.ts';
import type { Queue } from '../queue/queue.ts';
import { Admission } from '../sources/admission.ts';
import { Poller } from '../sources/poller.ts';
import type { Source } from '../sources/source.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { MemorySourceStore } from '../storage/memory/source-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { checkSources, runWorker } from './process.ts';
import type { Processor } from './processor.ts';
import { summaryProcessor } from './processor.ts';

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
};

const BY = {
  judge: 'remote',
  model: 'm',
  promptVersion: 'p',
  provisional: false,
  usage: { calls: 1, inputTokens: 1, outputTokens: 1, microUsd: 1, ms: 1 },
};

function room() {
  const clock = new ManualClock();
  const policy = { retryLimit: 3, backoff: () => 1000 };
  const { ledger, outbox } = openMemoryLedger({ clock, policy });
  const sources = new MemorySourceStore(clock);
  const handed: ItemKey[] = [];
  const queue: Queue = {
    abilities: { separate: true },
    enqueue: async (items) => void handed.push(...items.map((item) => item.key)),
    consume: async () => {},
    async [Symbol.asyncDispose]() {},
  };
  let storeIsAway = false;
  const admission = new Admission({ clock });
  admission.add({
    pipeline: 'videos',
    sources: ['channel'],
    ledger: new Proxy(ledger, {
      get: (whole, name) =>
        name === 'admit' && storeIsAway
          ? () => Promise.reject(new Error('UNAVAILABLE'))
          : Reflect.get(whole, name).bind(whole),
    }),
    firstContact: 'everything',
    handOver: true,
  });
  const poller = new Poller({
    sources: new Map([['channel', { source: channel, interval: { ms: 1000, isFixed: true } }]]),
    store: sources,
    admission,
    clock,
    random: () => 0,
    owner: 'test',
  });
  const run = () =>
    checkSources(
      {
        pipeline: 'videos',
        ledger,
        queue,
        clock,
        poller,
        sources: ['channel'],
        handOverAgainAfterMs: 60_000,
      },
      new AbortController().signal,
      undefined,
      { fresh: true },
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

  it('D7 a check ends where what it handed over cannot be marked, and the next one hands it over again', async () => {
    const { run, handed, ledger } = room();
    ledger.markHandedOver = async () => {};
    await run();
    expect(handed).toEqual([key]);
    await run();
    expect(handed).toEqual([key, key]);
  });
});

describe('a worker', () => {
  const LEASE = 10 * MINUTE;

  /** Works beside the given room, with a queue that brings nothing. */
  async function workBeside(
    { ledger, outbox, queue, clock, policy }: ReturnType<typeof room>,
    processor: Processor,
    during: () => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    const listening: Queue = {
      ...queue,
      consume: (_handle, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    };
    const press = { publishers: [], ledger, claims: ledger, outbox, policy };
    const about = { pipeline: 'videos', ...press, clock, owner: 'alive' };
    const settings = { queue: listening, processor, concurrency: 2, leaseMs: LEASE };
    const working = runWorker({ ...about, ...settings, events: silentEvents }, stop.signal);
    try {
      await during();
    } finally {
      stop.abort();
      await working;
    }
  }
  const done: Processor = { process: async () => ({ outcome: 'done', summary: '', output: '' }) };
  const stateOf = async ({ ledger }: ReturnType<typeof room>) => (await ledger.find(key))?.state;

  it('X21 takes up what a dead one had, within a minute after its lease, whatever the queue does', async () => {
    const house = room();
    await house.run();
    await house.ledger.claim(key, { owner: 'dead', leaseMs: LEASE });
    await workBeside(house, done, async () => {
      await house.clock.advance(LEASE - 1);
      expect(await stateOf(house)).toBe('waiting');
      await house.clock.advance(50 * SECOND);
      expect(await stateOf(house)).toBe('published');
    });
    expect(house.handed).toEqual([key]);
  });

  it('X21 takes up what the queue brought to somebody who is gone', async () => {
    const house = room();
    await house.run();
    await workBeside(house, done, async () => {
      await house.clock.advance(5 * SECOND);
      expect(await stateOf(house)).toBe('waiting');
      await house.clock.advance(MINUTE);
      expect(await stateOf(house)).toBe('published');
    });
  });

  it('D7 takes up what a check recorded that died before it could hand it over', async () => {
    const house = room();
    await house.ledger.admit([video], { handOver: true });
    await workBeside(house, done, async () => {
      await house.clock.advance(SECOND);
      expect(await stateOf(house)).toBe('published');
    });
  });

  it('X21 finds all that was left behind at once, as many at a time as it may', async () => {
    const house = room();
    const videos = Array.from({ length: 7 }, (_, n) => `${key.slice(0, -1)}${n}` as ItemKey);
    await house.ledger.admit(
      videos.map((each) => ({ ...video, key: each, url: each })),
      { handOver: true },
    );
    let [now, most] = [0, 0];
    const busy: Processor = {
      async process() {
        most = Math.max(most, ++now);
        await house.clock.sleep(SECOND);
        now--;
        return { outcome: 'done', summary: '', output: '' };
      },
    };
    await workBeside(house, busy, async () => {
      await house.clock.advance(5 * SECOND);
      expect((await house.ledger.counts()).byState.published).toBe(7);
    });
    expect(most).toBe(2);
  });

  it.each(['over_budget', 'refused_key', 'unreachable'] as const)(
    'X18 a judge without an answer (%s) loses no video, however long it lasts',
    async (why) => {
      const house = room();
      await house.ledger.admit([video], { handOver: true });
      let asked = 0;
      const summarise: Judge['summarise'] = async () => {
        if (++asked <= 2 * house.policy.retryLimit) return { outcome: 'later', why, detail: 'its words' };
        return { outcome: 'judged', value: { text: 'At last.' }, by: BY };
      };
      const processor = summaryProcessor({ judge: { ...createLocalJudge(), summarise }, language: 'en' });
      await workBeside(house, processor, async () => {
        for (let i = 0; i < 100 && (await stateOf(house)) !== 'published'; i++) {
          await house.clock.advance(5 * MINUTE);
          expect(await stateOf(house)).not.toBe('failed');
        }
        expect(await house.ledger.find(key)).toMatchObject({ state: 'published' });
      });
    },
  );

  it('D6 D9 a message brings in what is new and what failed elsewhere, and not what failed past the limit of attempts', async () => {
    const house = room();
    const sightings = ['newcomer000', 'failedThere', 'pastLimit00'].map((id): Sighting => {
      const each = `${key.slice(0, -11)}${id}` as ItemKey;
      return { ...video, key: each, url: each };
    });
    const [newcomer, failedThere, pastLimit] = sightings.map((sighting) => sighting.key);
    await house.ledger.admit(sightings.slice(1), { handOver: true });
    for (const [each, reason] of [
      [failedThere, 'processor_failed'],
      [pastLimit, 'retry_limit'],
    ] as const) {
      const claim = await house.ledger.claim(each ?? key, { owner: 'w', leaseMs: LEASE });
      if (claim === null) return expect.fail('not claimed');
      const failed = advance(claim.item, { type: 'giveUp', reason }, house.clock.now(), house.policy);
      if (!failed.allowed) return expect.fail(failed.why);
      await house.ledger.record(claim, failed.transition);
    }
    const worked: string[] = [];
    const processor: Processor = {
      process: async ({ key: each }) => {
        worked.push(each);
        return { outcome: 'done', summary: '', output: '' };
      },
    };
    const handled: string[] = [];
    const queue: Queue = {
      ...house.queue,
      consume: async (handle) => {
        for (const sighting of sightings) handled.push(await handle({ key: sighting.key, sighting }));
        // A name without more says nothing of a video that was never recorded.
        handled.push(await handle({ key }));
      },
    };
    const { ledger, outbox, clock, policy } = house;
    const press = { publishers: [], ledger, claims: ledger, outbox, policy };
    const about = { pipeline: 'videos', ...press, clock, owner: 'alive' };
    const stop = new AbortController();
    const working = runWorker(
      { ...about, queue, processor, concurrency: 1, leaseMs: LEASE, events: silentEvents },
      stop.signal,
    );
    await clock.advance(0);
    stop.abort();
    await working;
    expect(handled).toEqual(['done', 'done', 'done', 'done']);
    expect(worked).toEqual([newcomer, failedThere]);
    expect(await ledger.find(pastLimit ?? key)).toMatchObject({ state: 'failed', reason: 'retry_limit' });
  });

  it('a video that cannot be handled is not tried in a hurry', async () => {
    const house = room();
    await house.ledger.admit([video], { handOver: true });
    let tries = 0;
    const broken: Processor = {
      process() {
        tries++;
        throw new Error('broken');
      },
    };
    await workBeside(house, broken, async () => {
      await house.clock.advance(2 * LEASE);
    });
    expect(tries).toBeGreaterThan(0);
    expect(tries).toBeLessThan(4);
  });
});
