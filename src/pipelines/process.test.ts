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
import { noEntries } from './no-entries.fixture.ts';
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

function setup() {
  const clock = new ManualClock();
  const policy = { retryLimit: 3, backoff: () => 1000 };
  const { ledger, outbox } = openMemoryLedger({ clock, policy });
  const sources = new MemorySourceStore(clock);
  const enqueued: ItemKey[] = [];
  const queue: Queue = {
    abilities: { separate: true },
    enqueue: async (items) => void enqueued.push(...items.map((item) => item.key)),
    consume: async () => {},
    async [Symbol.asyncDispose]() {},
  };
  let storeUnavailable = false;
  const admission = new Admission({ clock });
  admission.add({
    pipeline: 'videos',
    sources: ['channel'],
    ledger: new Proxy(ledger, {
      get: (whole, name) =>
        name === 'admit' && storeUnavailable
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
    enqueued,
    sources,
    clock,
    ledger,
    outbox,
    queue,
    policy,
    setStoreUnavailable: (unavailable: boolean) => (storeUnavailable = unavailable),
  };
}

describe('checking for videos', () => {
  it('D5 while the store fails a video is neither recorded nor queued, and the next check records it', async () => {
    const { run, enqueued, sources, ledger, setStoreUnavailable } = setup();
    setStoreUnavailable(true);
    expect(await run()).toMatchObject({ sourcesFailed: 1, admitted: 0 });
    expect(enqueued).toEqual([]);
    expect(await ledger.find(key)).toBeNull();
    expect(await sources.load('channel')).toBeNull();
    setStoreUnavailable(false);
    expect(await run()).toMatchObject({ sourcesFailed: 0, admitted: 1 });
    expect(enqueued).toEqual([key]);
  });

  it('D3 a second check records and queues nothing again', async () => {
    const { run, enqueued } = setup();
    await run();
    expect(await run()).toMatchObject({ admitted: 0 });
    expect(enqueued).toEqual([key]);
  });

  it('D7 an item that stays in the queue too long is handed over again', async () => {
    const { run, enqueued, clock } = setup();
    await run();
    clock.jump(60_001);
    await run();
    expect(enqueued).toEqual([key, key]);
  });

  it('D7 a check ends if the hand-over cannot be marked, and the next one repeats it', async () => {
    const { run, enqueued, ledger } = setup();
    ledger.markHandedOver = async () => {};
    await run();
    expect(enqueued).toEqual([key]);
    await run();
    expect(enqueued).toEqual([key, key]);
  });
});

describe('a worker', () => {
  const LEASE = 10 * MINUTE;

  /** Runs a worker with a queue that delivers nothing. */
  async function workDuring(
    { ledger, outbox, queue, clock, policy }: ReturnType<typeof setup>,
    processor: Processor,
    during: () => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    const listening: Queue = {
      ...queue,
      consume: (_handle, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    };
    const publishing = { publishers: [], entries: noEntries, ledger, claims: ledger, outbox, policy };
    const about = { pipeline: 'videos', ...publishing, clock, owner: 'alive' };
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
  const stateOf = async ({ ledger }: ReturnType<typeof setup>) => (await ledger.find(key))?.state;

  it('X21 claims the item of a dead worker within a minute after its lease expired, without the queue', async () => {
    const subject = setup();
    await subject.run();
    await subject.ledger.claim(key, { owner: 'dead', leaseMs: LEASE });
    await workDuring(subject, done, async () => {
      await subject.clock.advance(LEASE - 1);
      expect(await stateOf(subject)).toBe('waiting');
      await subject.clock.advance(50 * SECOND);
      expect(await stateOf(subject)).toBe('published');
    });
    expect(subject.enqueued).toEqual([key]);
  });

  it('X21 claims an item that the queue delivered to a dead consumer', async () => {
    const subject = setup();
    await subject.run();
    await workDuring(subject, done, async () => {
      await subject.clock.advance(5 * SECOND);
      expect(await stateOf(subject)).toBe('waiting');
      await subject.clock.advance(MINUTE);
      expect(await stateOf(subject)).toBe('published');
    });
  });

  it('D7 claims an item whose check crashed before the hand-over', async () => {
    const subject = setup();
    await subject.ledger.admit([video], { handOver: true });
    await workDuring(subject, done, async () => {
      await subject.clock.advance(SECOND);
      expect(await stateOf(subject)).toBe('published');
    });
  });

  it('X21 recovers all unqueued items at once, within its concurrency', async () => {
    const subject = setup();
    const videos = Array.from({ length: 7 }, (_, n) => `${key.slice(0, -1)}${n}` as ItemKey);
    await subject.ledger.admit(
      videos.map((each) => ({ ...video, key: each, url: each })),
      { handOver: true },
    );
    let [now, most] = [0, 0];
    const busy: Processor = {
      async process() {
        most = Math.max(most, ++now);
        await subject.clock.sleep(SECOND);
        now--;
        return { outcome: 'done', summary: '', output: '' };
      },
    };
    await workDuring(subject, busy, async () => {
      await subject.clock.advance(5 * SECOND);
      expect((await subject.ledger.counts()).byState.published).toBe(7);
    });
    expect(most).toBe(2);
  });

  it.each(['over_budget', 'refused_key', 'unreachable'] as const)(
    'X18 an unavailable judge (%s) loses no video, however long the outage',
    async (why) => {
      const subject = setup();
      await subject.ledger.admit([video], { handOver: true });
      let calls = 0;
      const summarise: Judge['summarise'] = async () => {
        if (++calls <= 2 * subject.policy.retryLimit) return { outcome: 'later', why, detail: 'its words' };
        return { outcome: 'judged', value: { text: 'At last.' }, by: BY };
      };
      const processor = summaryProcessor({ judge: { ...createLocalJudge(), summarise }, language: 'en' });
      await workDuring(subject, processor, async () => {
        for (let i = 0; i < 100 && (await stateOf(subject)) !== 'published'; i++) {
          await subject.clock.advance(5 * MINUTE);
          expect(await stateOf(subject)).not.toBe('failed');
        }
        expect(await subject.ledger.find(key)).toMatchObject({ state: 'published' });
      });
    },
  );

  it('D6 D9 a message processes a new video and one that failed elsewhere, but not one past the retry limit', async () => {
    const subject = setup();
    const sightings = ['newcomer000', 'failedThere', 'pastLimit00'].map((id): Sighting => {
      const each = `${key.slice(0, -11)}${id}` as ItemKey;
      return { ...video, key: each, url: each };
    });
    const [newcomer, failedThere, pastLimit] = sightings.map((sighting) => sighting.key);
    await subject.ledger.admit(sightings.slice(1), { handOver: true });
    for (const [each, reason] of [
      [failedThere, 'processor_failed'],
      [pastLimit, 'retry_limit'],
    ] as const) {
      const claim = await subject.ledger.claim(each ?? key, { owner: 'w', leaseMs: LEASE });
      if (claim === null) return expect.fail('not claimed');
      const failed = advance(claim.item, { type: 'giveUp', reason }, subject.clock.now(), subject.policy);
      if (!failed.allowed) return expect.fail(failed.why);
      await subject.ledger.record(claim, failed.transition);
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
      ...subject.queue,
      consume: async (handle) => {
        for (const sighting of sightings) handled.push(await handle({ key: sighting.key, sighting }));
        // A key without a sighting is not enough for a video that was never recorded.
        handled.push(await handle({ key }));
      },
    };
    const { ledger, outbox, clock, policy } = subject;
    const publishing = { publishers: [], entries: noEntries, ledger, claims: ledger, outbox, policy };
    const about = { pipeline: 'videos', ...publishing, clock, owner: 'alive' };
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

  it('a video that cannot be handled is not retried in a tight loop', async () => {
    const subject = setup();
    await subject.ledger.admit([video], { handOver: true });
    let attempts = 0;
    const broken: Processor = {
      process() {
        attempts++;
        throw new Error('broken');
      },
    };
    await workDuring(subject, broken, async () => {
      await subject.clock.advance(2 * LEASE);
    });
    expect(attempts).toBeGreaterThan(0);
    expect(attempts).toBeLessThan(4);
  });
});
