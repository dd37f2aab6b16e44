import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import type { Judge, Provenance, Screening } from '../judge/judge.ts';
import type { Publisher, SendOutcome } from '../publishers/publisher.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { silentEvents } from '../telemetry/events.ts';
import { HOUR } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { noEntries } from './no-entries.fixture.ts';
import { type SummariseDependencies, summarise } from './summarise.ts';

const policy = { retryLimit: 5, backoff: () => HOUR };
const never = new AbortController().signal;
const KEY = 'https://ministry.example/1' as ItemKey;

/** Answers as configured; a stand-in answers while it is unavailable. */
class BotJudge implements Judge {
  readonly id = 'gemini';
  readonly abilities = { takesPdf: false };
  readonly asked: string[] = [];
  unavailable = false;
  /** Screens and cannot summarise. */
  limited = false;
  decision: Screening['decision'] = 'worth_it';

  evaluate(): never {
    throw new Error('a summary bot does not score');
  }
  async screen() {
    this.asked.push(`screen ${this.#by().judge}`);
    // The stand-in accepts everything.
    const decision = this.unavailable ? ('worth_it' as const) : this.decision;
    return { outcome: 'judged' as const, value: { decision, reason: decision }, by: this.#by() };
  }
  async summarise() {
    if (this.limited)
      return { outcome: 'later' as const, why: 'rate_limited' as const, detail: '', retryAt: 0 };
    const by = this.#by();
    this.asked.push(`summarise ${by.judge}`);
    return { outcome: 'judged' as const, value: { text: `As ${by.judge} tells it.` }, by };
  }
  #by(): Provenance {
    const usage = { calls: 1, inputTokens: 1, outputTokens: 1, microUsd: 0, ms: 1 };
    return {
      judge: this.unavailable ? 'local' : 'gemini',
      model: 'm',
      promptVersion: '1',
      provisional: this.unavailable,
      usage,
    };
  }
}

let clock: ManualClock;
let judge: BotJudge;
let memory: ReturnType<typeof openMemoryLedger>;
let answer: SendOutcome;
let sent: string[];
beforeEach(async () => {
  clock = new ManualClock();
  judge = new BotJudge();
  memory = openMemoryLedger({ clock, policy });
  answer = { outcome: 'sent', remoteId: '1' };
  sent = [];
  const published = { sourceId: 's', sourceName: 'S', title: 'News', publishedAt: clock.now() };
  await memory.ledger.admit([{ key: KEY, url: KEY, ...published } as never], {});
});

async function run(change: Partial<SummariseDependencies> = {}) {
  const publisher: Publisher = {
    id: 'town',
    abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: 1 },
    render: ({ items }) => ({ body: items[0]?.summary ?? '', templateVersion: '1' }),
    async send({ body }) {
      sent.push(body);
      return answer;
    },
    readBack: async () => ({ outcome: 'cannot_tell', detail: '' }),
  };
  const deps: SummariseDependencies = {
    pipeline: 'bot',
    ...memory,
    claims: memory.ledger,
    policy,
    clock,
    owner: 'test',
    events: silentEvents,
    publishers: [publisher],
    entries: noEntries,
    style: { language: 'en', sentences: [3, 5], characters: 200 },
    judge,
    maxPerRun: 10,
    leaseMs: HOUR,
    readPage: async (url) => ({
      outcome: 'page',
      page: { url, title: 'News', text: 'A long text.', headings: [] },
      documents: [],
    }),
    poller: { readyFor: async () => ({ read: 1, failed: 0, admitted: 0 }) },
    sources: [],
    ...change,
  };
  await summarise(deps, never);
  const item = await memory.ledger.find(KEY);
  return { state: item?.state, verdict: item?.verdict };
}

describe('the summary bot', () => {
  it('X4 records which judge accepted an item, and why', async () => {
    judge.limited = true;
    const { state, verdict } = await run();
    expect(state).toBe('accepted');
    expect(verdict).toMatchObject({ judge: 'gemini', reason: 'worth_it', summary: null, score: null });
    expect(await memory.ledger.history(KEY)).toContainEqual(
      expect.objectContaining({ verdict: expect.objectContaining({ judge: 'gemini' }) }),
    );
  });

  it('X18 an item accepted by a stand-in is screened again by the judge before its summary', async () => {
    judge.unavailable = true;
    judge.limited = true;
    expect(await run()).toMatchObject({ state: 'accepted', verdict: { provisional: true } });
    judge.limited = false;
    judge.unavailable = false;
    judge.decision = 'not_valuable';
    expect((await run()).state).toBe('deferred');
    expect(judge.asked).toEqual(['screen local', 'summarise gemini', 'screen gemini']);
    expect(sent).toEqual([]);
    // The judge changes its mind in the next attempt, as it may of any deferred item.
    judge.decision = 'worth_it';
    await clock.advance(HOUR);
    expect(await run()).toMatchObject({ state: 'published', verdict: { provisional: false } });
    expect(sent).toEqual(['As gemini tells it.']);
  });

  it('X18 the judge’s own summary is published if it is available again in time', async () => {
    judge.unavailable = true;
    judge.limited = true;
    await run();
    judge.limited = false;
    judge.unavailable = false;
    expect(await run()).toMatchObject({
      state: 'published',
      verdict: { judge: 'gemini', provisional: false },
    });
    expect(sent).toEqual(['As gemini tells it.']);
    expect(judge.asked).toEqual(['screen local', 'summarise gemini', 'screen gemini']);
  });

  it('X2 X18 an enqueued message is not changed, also a stand-in’s, and is published once', async () => {
    judge.unavailable = true;
    answer = { outcome: 'held', detail: 'come back later', until: null };
    expect((await run()).state).toBe('accepted');
    judge.unavailable = false;
    judge.decision = 'not_valuable';
    answer = { outcome: 'sent', remoteId: '1' };
    await clock.advance(2 * HOUR);
    expect(await run()).toMatchObject({ state: 'published', verdict: { judge: 'local', provisional: true } });
    await clock.advance(2 * HOUR);
    await run();
    expect(judge.asked).toEqual(['screen local', 'summarise local']);
    expect(sent).toEqual(['As local tells it.', 'As local tells it.']);
  });

  it('X18 maxPerRun counts published items, not steps', async () => {
    const urls = [2, 3].map((n) => `https://ministry.example/${n}`);
    const published = { sourceId: 's', sourceName: 'S', title: 'News', publishedAt: clock.now() };
    await memory.ledger.admit(
      urls.map((url) => ({ key: url, url, ...published }) as never),
      {},
    );
    for (const expected of [1, 2, 3, 3]) {
      await run({ maxPerRun: 1 });
      expect(sent).toHaveLength(expected);
    }
  });

  it('X18 items that are not worth a summary do not count against maxPerRun', async () => {
    const url = 'https://ministry.example/2';
    const published = { sourceId: 's', sourceName: 'S', title: 'News', publishedAt: clock.now() };
    await memory.ledger.admit([{ key: url, url, ...published } as never], {});
    judge.decision = 'not_valuable';
    await run({ maxPerRun: 1 });
    expect(judge.asked).toEqual(['screen gemini', 'screen gemini']);
  });
});
