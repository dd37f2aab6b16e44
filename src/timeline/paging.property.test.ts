import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SqliteSocialStore } from '../social/sqlite/sqlite-social-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { announcing } from './announcing-store.ts';
import { newestFirst } from './cursor.ts';
import { fanOut } from './fan-out.ts';
import { MemoryEventLog } from './memory/memory-event-log.ts';
import { MemoryTimelineStore } from './memory/memory-timeline-store.ts';
import { originOf } from './origin.ts';
import { TimelinePages } from './paging.ts';
import { Rebuilds } from './rebuild.ts';
import { homeOf, type TimelineName } from './timeline-store.ts';

/** Small, so that trimming happens all the time. */
const CAP = 6;
const PEOPLE = 2;

type Step =
  | { do: 'post'; who: number; visibility: 'public' | 'followers' | 'private' }
  | { do: 'delete'; which: number }
  | { do: 'follow' | 'unfollow'; who: number; whom: number }
  | { do: 'read' | 'evict' | 'evictLocal' | 'tick'; who: number };

interface ModelDrop {
  id: string;
  createdAt: number;
  author: number;
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
    { weight: 6, arbitrary: posts },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), which: fc.nat() }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('follow' as const, 'unfollow' as const),
        who: person,
        whom: person,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('read' as const, 'evict' as const, 'evictLocal' as const, 'tick' as const),
        who: person,
      }),
    },
  ),
  { minLength: 5, maxLength: 60, size: 'max' },
);

/** The real parts on one side, plain lists on the other. */
class Bench {
  readonly clock = new ManualClock();
  readonly store = new MemoryTimelineStore({ clock: this.clock, cap: CAP });
  readonly log = new MemoryEventLog({ clock: this.clock, log: silentLogger, groups: ['fan-out'] });
  readonly sqlite = SqliteSocialStore.open({ path: ':memory:', clock: this.clock });
  readonly social = announcing(this.sqlite, this.log);
  readonly origin = originOf(this.sqlite, this.sqlite, this.sqlite);
  readonly pages = new TimelinePages({
    store: this.store,
    origin: this.origin,
    rebuilds: new Rebuilds(this.store, this.origin, CAP),
    mark: () => null,
  });
  readonly stop = new AbortController();
  readonly ids: string[] = [];
  readonly drops: ModelDrop[] = [];
  readonly follows = new Set<string>();
  #fanningOut: Promise<void> | null = null;

  async begin(): Promise<void> {
    for (let i = 0; i < PEOPLE; i++) {
      const user = await this.social.addUser({ name: `p${i}`, displayName: `P${i}`, kind: 'person' });
      this.ids.push(user.id);
    }
    const audience = { newDrop() {}, dropDeleted() {}, reset() {} };
    const { store, origin } = this;
    this.#fanningOut = this.log.consume(
      'fan-out',
      (event) => fanOut(event, { store, users: this.sqlite, origin, audience, cap: CAP }),
      this.stop.signal,
    );
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
        await this.social.deleteDrop(drop.id);
        return;
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
        return this.store.drop(this.home(step.who));
      case 'evictLocal':
        return this.store.drop('timeline:local');
      case 'tick':
        this.clock.jump(step.who);
        return;
    }
  }

  home(who: number): TimelineName {
    return homeOf(this.ids[who] ?? '');
  }

  modelHome(who: number): string[] {
    return this.#model(
      (drop) =>
        drop.author === who || (this.follows.has(`${who}>${drop.author}`) && drop.visibility !== 'private'),
    );
  }

  modelLocal(): string[] {
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
    await this.sqlite[Symbol.asyncDispose]();
  }

  #model(belongs: (drop: ModelDrop) => boolean): string[] {
    const visible = this.drops.filter((drop) => !drop.deleted && belongs(drop));
    return visible.toSorted(newestFirst).map((drop) => drop.id);
  }
}

async function withBench(run: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = new Bench();
  await bench.begin();
  try {
    await run(bench);
  } finally {
    await bench.end();
  }
}

describe('reading timelines in pages, against a plain model', () => {
  it('C7 C8 C13 C14 C15 C16 C17 all pages together are the timeline, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (walk, limit) => {
        await withBench(async (bench) => {
          for (const step of walk) await bench.apply(step);
          await bench.log.idle('fan-out');
          expect(await bench.readAll('timeline:local', limit)).toEqual(bench.modelLocal());
          for (let who = 0; who < PEOPLE; who++)
            expect(await bench.readAll(bench.home(who), limit)).toEqual(bench.modelHome(who));
        });
      }),
      { numRuns: 300 },
    );
  });

  it('C15 drops that arrive while a person reads neither repeat nor hide what was there', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(posts), fc.integer({ min: 1, max: 3 }), async (walk, late, limit) => {
        await withBench(async (bench) => {
          for (const step of walk) await bench.apply(step);
          await bench.log.idle('fan-out');
          const before = bench.modelLocal();
          const read = await bench.readAll('timeline:local', limit, async () => {
            const next = late.pop();
            if (next) await bench.apply(next);
            await bench.log.idle('fan-out');
          });
          expect(read).toEqual(before);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('C14 C15 since_id shows exactly what came after, also when that drop is deleted', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(posts, { maxLength: 12 }), fc.boolean(), async (walk, late, gone) => {
        await withBench(async (bench) => {
          for (const step of walk) await bench.apply(step);
          await bench.log.idle('fan-out');
          const first = await bench.pages.page('timeline:local', { limit: 3 });
          if (!first.ok) throw new Error(first.why);
          const known = new Set(bench.modelLocal());
          const top = first.page.entries[0];
          if (gone && top)
            await bench.apply({ do: 'delete', which: bench.drops.findIndex((d) => d.id === top.id) });
          for (const step of late) await bench.apply(step);
          await bench.log.idle('fan-out');
          const after = await bench.pages.page('timeline:local', { limit: 100, sinceId: first.page.newer });
          if (!after.ok) throw new Error(after.why);
          const expected = bench.modelLocal().filter((id) => !known.has(id));
          expect(after.page.entries.map((entry) => entry.id)).toEqual(expected);
        });
      }),
      { numRuns: 60 },
    );
  });
});
