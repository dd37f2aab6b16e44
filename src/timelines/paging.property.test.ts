import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forThisFile, startRedis } from '../../test/redis.ts';
import { requires } from '../../test/requirements.ts';
import { createMemoryTimelineBackend, MemoryReceivedDrops } from '../storage/memory/timelines.ts';
import { RedisConnection } from '../storage/redis/connection.ts';
import { createRedisTimelineBackend } from '../storage/redis/timelines.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { allHandled } from './all-handled.fixture.ts';
import type { EventDelivery } from './change-feed.ts';
import { newestFirst } from './cursor.ts';
import type { FanOutThresholds } from './fan-out.ts';
import { createFanOutHandler } from './fan-out.ts';
import { createTimelineOrigin } from './origin.ts';
import { TimelinePager } from './paging.ts';
import { TimelineRebuilder } from './rebuild.ts';
import type { StreamLog } from './streams.ts';
import type { PullAuthors, ReceivedDrops } from './timeline-store.ts';
import { homeTimeline, type TimelineName, type TimelineStore } from './timeline-store.ts';

/** Small, so that trimming happens all the time. */
const CAP = 6;
const PEOPLE = 3;

type Step =
  | { do: 'post'; who: number; visibility: 'public' | 'followers' | 'private' }
  | { do: 'receive'; at: number }
  | { do: 'delete'; which: number }
  | { do: 'follow' | 'unfollow'; who: number; whom: number }
  | { do: 'read' | 'evict' | 'evictLocal' | 'tick' | 'lose'; who: number };

interface ModelDrop {
  id: string;
  createdAt: number;
  /** `null`: it was received from elsewhere. */
  author: number | null;
  visibility: string;
  deleted: boolean;
}

const person = fc.nat({ max: PEOPLE - 1 });
const posts = fc.record({
  do: fc.constant('post' as const),
  who: person,
  visibility: fc.constantFrom('public' as const, 'public' as const, 'followers' as const, 'private' as const),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 30, arbitrary: posts },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('receive' as const), at: fc.integer({ min: -5, max: 5 }) }),
    },
    { weight: 10, arbitrary: fc.record({ do: fc.constant('delete' as const), which: fc.nat() }) },
    {
      weight: 15,
      arbitrary: fc.record({
        do: fc.constantFrom('follow' as const, 'follow' as const, 'unfollow' as const),
        who: person,
        whom: person,
      }),
    },
    {
      weight: 15,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'read' as const,
          'read' as const,
          'evict' as const,
          'evictLocal' as const,
          'tick' as const,
        ),
        who: person,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), who: person }) },
  ),
  { minLength: 5, maxLength: 60, size: 'max' },
);

/** The backend under test. */
interface TestedBackend extends AsyncDisposable {
  readonly store: TimelineStore;
  readonly eventLog: EventDelivery;
  readonly streams: StreamLog;
  readonly pullAuthors: PullAuthors;
  readonly received: ReceivedDrops;
  /** Every event that was appended has been handled. */
  allHandled(): Promise<void>;
  /** Loses all data. */
  lose(homes: readonly TimelineName[]): Promise<void>;
}
type OpenBackend = (clock: ManualClock) => Promise<TestedBackend>;

const inMemory: OpenBackend = async (clock) => {
  const backend = createMemoryTimelineBackend({ clock, log: silentLogger, cap: CAP });
  return {
    ...backend,
    allHandled: () => allHandled(backend.eventLog),
    async lose(homes) {
      for (const name of ['timeline:local', 'timeline:global', ...homes] as const)
        await backend.store.evict(name);
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
};

/** The real parts on one side, plain lists on the other. */
class Bench {
  readonly clock: ManualClock;
  readonly backend: TestedBackend;
  readonly social: SqliteSocialStore;
  readonly pages: TimelinePager;
  readonly stop = new AbortController();
  readonly ids: string[] = [];
  readonly drops: ModelDrop[] = [];
  readonly follows = new Set<string>();
  readonly #fanningOut: Promise<void>;

  constructor(clock: ManualClock, backend: TestedBackend, thresholds: FanOutThresholds) {
    this.clock = clock;
    this.backend = backend;
    this.social = SqliteSocialStore.open({ path: ':memory:', clock });
    const origin = createTimelineOrigin(this.social, this.social, this.social, backend.received);
    const { store, pullAuthors, streams, received } = backend;
    // Rebuilds of other replicas take real time; the clock of the model does not advance.
    const rebuilds = new TimelineRebuilder({ store, origin, pullAuthors, clock: systemClock, cap: CAP });
    this.pages = new TimelinePager({ store, posts: this.social, origin, rebuilds });
    const about = { store, users: this.social, origin, rebuilds, pullAuthors, streams, received };
    const fan = { ...about, clock, cap: CAP, thresholds };
    this.#fanningOut = backend.eventLog.deliver(
      this.social.changes,
      createFanOutHandler(fan, silentEvents),
      this.stop.signal,
    );
  }

  async begin(): Promise<void> {
    for (let i = 0; i < PEOPLE; i++) {
      const user = await this.social.addUser({ name: `p${i}`, displayName: `P${i}`, kind: 'person' });
      this.ids.push(user.id);
    }
  }

  async apply(step: Step): Promise<void> {
    switch (step.do) {
      case 'post': {
        const { drop } = await this.social.post({
          userId: this.ids[step.who] ?? '',
          visibility: step.visibility,
          text: 'x',
        });
        this.drops.push({
          id: drop.id,
          createdAt: drop.createdAt,
          author: step.who,
          visibility: step.visibility,
          deleted: false,
        });
        return;
      }
      case 'delete': {
        const drop = this.drops[step.which % Math.max(1, this.drops.length)];
        if (!drop) return;
        drop.deleted = true;
        if (drop.author !== null) await this.social.deleteDrop(drop.id);
        else await this.social.changes.append({ type: 'drop_deleted', drop_id: drop.id, user_id: 'far' });
        return;
      }
      case 'receive': {
        const known = this.drops.filter(({ author }) => author === null).length;
        // So many are kept of them; deleted ones count, because they may come before those that replace them.
        if (known >= CAP) return;
        const drop = { id: `far-${known}`, createdAt: this.clock.now() + step.at };
        this.drops.push({ ...drop, author: null, visibility: 'public', deleted: false });
        return this.social.changes.append({
          type: 'ap_drop_received',
          drop_id: drop.id,
          created_at: drop.createdAt,
        });
      }
      case 'follow':
        if (step.who !== step.whom) this.follows.add(`${step.who}>${step.whom}`);
        await this.social.follow(this.ids[step.who] ?? '', this.ids[step.whom] ?? '');
        return;
      case 'unfollow':
        this.follows.delete(`${step.who}>${step.whom}`);
        await this.social.unfollow(this.ids[step.who] ?? '', this.ids[step.whom] ?? '');
        return;
      case 'read':
        await this.pages.page(this.home(step.who), { limit: 2 });
        return;
      case 'evict':
        return this.backend.store.evict(this.home(step.who));
      case 'evictLocal':
        await this.backend.store.evict('timeline:global');
        return this.backend.store.evict('timeline:local');
      case 'lose':
        // Events that no replica has handled yet are lost with the log.
        await this.backend.allHandled();
        return this.backend.lose(this.ids.map(homeTimeline));
      case 'tick':
        this.clock.jump(step.who);
        return;
    }
  }

  home(who: number): TimelineName {
    return homeTimeline(this.ids[who] ?? '');
  }

  modelHome(who: number): string[] {
    return this.#model(
      (drop) =>
        drop.author === who || (this.follows.has(`${who}>${drop.author}`) && drop.visibility !== 'private'),
    );
  }

  modelLocal(): string[] {
    return this.#model((drop) => drop.author !== null && drop.visibility === 'public');
  }

  modelGlobal(): string[] {
    return this.#model((drop) => drop.visibility === 'public');
  }

  /** All pages from the top to the end, as a reader would ask for them. */
  async readAll(
    timeline: TimelineName,
    limit: number,
    between: () => Promise<void> = async () => {},
  ): Promise<string[]> {
    const read: string[] = [];
    for (let maxId: string | undefined; ; ) {
      const answer = await this.pages.page(timeline, { limit, ...(maxId ? { maxId } : {}) });
      if (!answer.ok) throw new Error(answer.why);
      read.push(...answer.page.entries.map((entry) => entry.id));
      if (answer.page.older === null) return read;
      maxId = answer.page.older;
      await between();
    }
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.#fanningOut;
    await this.backend[Symbol.asyncDispose]();
    await this.social[Symbol.asyncDispose]();
  }

  #model(belongs: (drop: ModelDrop) => boolean): string[] {
    const visible = this.drops.filter((drop) => !drop.deleted && belongs(drop));
    return visible.toSorted(newestFirst).map((drop) => drop.id);
  }
}

const FEW: FanOutThresholds = { activeOnlyAbove: 1000, mergeAbove: 2000, activeWithinMs: 1000 };
/** Two followers are many, and one is already more than a few. */
const MANY: FanOutThresholds = { activeOnlyAbove: 0, mergeAbove: 1, activeWithinMs: 1000 };

function describePaging(where: string, open: OpenBackend, runs: number, thresholds: FanOutThresholds): void {
  async function withBench(run: (bench: Bench) => Promise<void>): Promise<void> {
    const clock = new ManualClock();
    const bench = new Bench(clock, await open(clock), thresholds);
    await bench.begin();
    try {
      await run(bench);
    } finally {
      await bench.end();
    }
  }

  describe(`reading timelines in pages, against a plain model (${where})`, () => {
    it('C7 C8 C9 C13 C14 C15 C16 C17 all pages together are the timeline, after any sequence of events', async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (walk, limit) => {
          await withBench(async (bench) => {
            for (const step of walk) await bench.apply(step);
            await bench.backend.allHandled();
            expect(await bench.readAll('timeline:local', limit)).toEqual(bench.modelLocal());
            expect(await bench.readAll('timeline:global', limit)).toEqual(bench.modelGlobal());
            for (let who = 0; who < PEOPLE; who++)
              expect(await bench.readAll(bench.home(who), limit)).toEqual(bench.modelHome(who));
          });
        }),
        { numRuns: runs, endOnFailure: runs < 100 },
      );
    }, 240_000);

    it('C15 drops that arrive between two pages cause no repeated and no missing entries', async () => {
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.array(posts),
          fc.integer({ min: 1, max: 3 }),
          async (walk, late, limit) => {
            await withBench(async (bench) => {
              for (const step of walk) await bench.apply(step);
              await bench.backend.allHandled();
              const before = bench.modelLocal();
              const read = await bench.readAll('timeline:local', limit, async () => {
                const next = late.pop();
                if (next) await bench.apply(next);
                await bench.backend.allHandled();
              });
              expect(read).toEqual(before);
            });
          },
        ),
        { numRuns: Math.ceil(runs / 5), endOnFailure: runs < 100 },
      );
    }, 240_000);

    it('C14 C15 since_id returns exactly the newer drops, also when its own drop is deleted', async () => {
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.array(posts, { maxLength: 12 }),
          fc.boolean(),
          async (walk, late, gone) => {
            await withBench(async (bench) => {
              for (const step of walk) await bench.apply(step);
              await bench.backend.allHandled();
              const first = await bench.pages.page('timeline:local', { limit: 3 });
              if (!first.ok) throw new Error(first.why);
              const known = new Set(bench.modelLocal());
              const top = first.page.entries[0];
              if (gone && top)
                await bench.apply({ do: 'delete', which: bench.drops.findIndex((d) => d.id === top.id) });
              for (const step of late) await bench.apply(step);
              await bench.backend.allHandled();
              const after = await bench.pages.page('timeline:local', {
                limit: 100,
                sinceId: first.page.newer,
              });
              if (!after.ok) throw new Error(after.why);
              const expected = bench.modelLocal().filter((id) => !known.has(id));
              expect(after.page.entries.map((entry) => entry.id)).toEqual(expected);
            });
          },
        ),
        { numRuns: Math.ceil(runs / 5), endOnFailure: runs < 100 },
      );
    }, 240_000);
  });
}

describePaging('memory', inMemory, 200, FEW);
describePaging('memory, C11 where some have very many followers', inMemory, 200, MANY);

requires('redis-server')('on Redis', () => {
  const server = forThisFile(() => startRedis());
  let rounds = 0;
  const inRedis: OpenBackend = async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-paging-'));
    const parts = { clock: systemClock, log: silentLogger, events: silentEvents };
    const prefix = `r${++rounds}:`;
    const connection = await RedisConnection.open({ nodes: [server().address], prefix, ...parts });
    const received = { durable: new MemoryReceivedDrops(CAP) };
    const backend = createRedisTimelineBackend({
      connection,
      ...parts,
      spoolFile: join(folder, 'spool'),
      received,
      cap: CAP,
    });
    return {
      ...backend,
      async allHandled() {
        await expect.poll(() => backend.eventLog.waiting('fan-out'), { interval: 2 }).toBe(0);
        // What was received is brought back every few seconds, and whenever it is read.
        await backend.received.newest({ limit: 1 });
      },
      async lose() {
        await server().command('FLUSHALL');
      },
      async [Symbol.asyncDispose]() {
        await backend[Symbol.asyncDispose]();
        await connection[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };
  describePaging('Redis', inRedis, 15, FEW);
  describePaging('Redis, C11 where some have very many followers', inRedis, 15, MANY);
});
