import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemKey, Sighting } from '../item/item.ts';
import { interestsOf } from '../judge/interests.ts';
import type { ArticleText, Evaluation, Interests, Judge, Judgement } from '../judge/judge.ts';
import type { Publisher } from '../publishers/publisher.ts';
import { createMemoryVerdictCache } from '../storage/memory/judge-stores.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { silentEvents } from '../telemetry/events.ts';
import { DAY, HOUR } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { type CurateDependencies, curate } from './curate.ts';
import { LedgerCuratorStore } from './ledger-curator-store.ts';
import { noEntries } from './no-entries.fixture.ts';
import { rulesAlone } from './story-deciders.fixture.ts';

const policy = { retryLimit: 5, backoff: () => HOUR };
const never = new AbortController().signal;
const databases = { topic: 'databases', aliases: ['SQL'] };
const gardens = { topic: 'gardens' };

/** Matches a topic if its word is in the text. `mode` makes it unavailable or answered by a stand-in. */
class WordJudge implements Judge {
  readonly id = 'words';
  readonly abilities = { takesPdf: false };
  readonly asked: string[] = [];
  mode: 'available' | 'unavailable' | 'stand-in' = 'available';
  /** Remaining answers. */
  budget = Number.POSITIVE_INFINITY;

  async evaluate(article: ArticleText, interests: Interests): Promise<Judgement<Evaluation>> {
    this.asked.push(article.title);
    if (this.budget-- <= 0)
      return { outcome: 'later', why: 'over_budget', detail: 'today’s calls are used up' };
    if (this.mode === 'unavailable') return { outcome: 'later', why: 'unreachable', detail: 'no answer' };
    const topics = interests.topics.filter(({ topic }) => article.text.includes(topic));
    const standIn = this.mode === 'stand-in';
    return {
      outcome: 'judged',
      value: {
        score: topics.length === 0 ? 10 : standIn ? 60 : 90,
        topics: topics.map(({ topic }) => topic),
        summary: `About ${article.title}`,
        reason: topics.length === 0 ? 'nothing of interest' : 'it names the topic',
      },
      by: {
        judge: standIn ? 'stand-in' : 'words',
        model: 'm',
        promptVersion: '1',
        provisional: standIn,
        usage: { calls: 1, inputTokens: 1, outputTokens: 1, microUsd: 0, ms: 1 },
      },
    };
  }
  screen(): never {
    throw new Error('a curator does not screen');
  }
  summarise(): never {
    throw new Error('a curator does not summarise');
  }
}

let clock: ManualClock;
let judge: WordJudge;
let memory: ReturnType<typeof openMemoryLedger>;
let history: ReturnType<typeof createMemoryVerdictCache>;
let unreadable: Set<string>;

beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 10, 15));
  judge = new WordJudge();
  memory = openMemoryLedger({ clock, policy });
  history = createMemoryVerdictCache();
  unreadable = new Set();
});

function dependencies(
  interests: Interests,
  change: Partial<CurateDependencies['settings']> = {},
): CurateDependencies {
  return {
    pipeline: 'morning',
    ...memory,
    claims: memory.ledger,
    store: new LedgerCuratorStore({ ...memory, owner: 'test' }),
    policy,
    clock,
    owner: 'test',
    events: silentEvents,
    publishers: [],
    entries: noEntries,
    settings: {
      minRelevanceScore: 50,
      maxArticles: 5,
      // Never reached: accepted articles wait and compete again.
      minArticles: 10,
      concurrency: 2,
      maxJudged: 100,
      sameStory: false,
      ...change,
    },
    interests,
    judge,
    stories: rulesAlone(),
    history,
    learning: null,
    reader: {
      warmUp: async () => {},
      read: async (url) =>
        unreadable.has(url)
          ? { outcome: 'unreadable', why: 'not_found', detail: 'gone', retryable: false }
          : {
              outcome: 'article',
              article: {
                url,
                canonicalUrl: null,
                title: '',
                byline: null,
                language: null,
                publishedAt: null,
                text: `A text about ${decodeURIComponent(new URL(url).pathname.slice(1))}.`,
                headings: [],
                imageUrl: null,
                attachments: [],
              },
            },
    },
    poller: { readyFor: async () => ({ read: 1, failed: 0, admitted: 0 }) },
    sources: [],
  };
}

const keyOf = (about: string): ItemKey => `https://example.org/${encodeURIComponent(about)}` as ItemKey;

async function admit(...abouts: string[]): Promise<void> {
  const sightings = abouts.map(
    (about): Sighting => ({
      key: keyOf(about),
      url: keyOf(about),
      title: about,
      publishedAt: clock.now(),
      sourceId: 'feed',
      sourceName: 'Feed',
    }),
  );
  await memory.ledger.admit(sightings, {});
}

const run = (entries: Parameters<typeof interestsOf>[0], change?: Partial<CurateDependencies['settings']>) =>
  curate(dependencies(interestsOf(entries), change), never);
const find = async (about: string) => {
  const item = await memory.ledger.find(keyOf(about));
  if (item === null) throw new Error(`no item about ${about}`);
  return item;
};

describe('A5 a change of interests', () => {
  beforeEach(async () => {
    await admit('databases', 'gardens', 'weather');
    await run([databases, { topic: 'ships' }]);
    expect(judge.asked.sort()).toEqual(['databases', 'gardens', 'weather']);
    judge.asked.length = 0;
  });

  it('A5 nothing is judged twice while the interests are the same, in any order', async () => {
    await run([{ topic: 'ships' }, databases]);
    expect(judge.asked).toEqual([]);
  });

  it('A5 removing a topic re-evaluates only the verdicts that named it', async () => {
    await run([databases]);
    expect(judge.asked).toEqual([]);
    await run([{ topic: 'ships' }]);
    expect(judge.asked).toEqual(['databases']);
    expect(await find('databases')).toMatchObject({ state: 'rejected', reason: 'no_topic_match' });
  });

  it('X2 an article in a digest is not rejected while its message is being sent', async () => {
    const itemKeys = [keyOf('databases')];
    await memory.outbox.enqueue([{ key: 'k', itemKeys, destination: 'discord', body: 'b' }]);
    await run([{ topic: 'ships' }]);
    expect(judge.asked).toEqual([]);
    const held = await memory.outbox.claimNext('discord', 'other', HOUR);
    if (held === null) throw new Error('no message to claim');
    await memory.outbox.finish(held, { state: 'sent', remoteId: '1' });
    await run([{ topic: 'ships' }]);
    expect(await find('databases')).toMatchObject({ state: 'published' });
  });

  it('A5 a new topic re-evaluates rejected articles, each once', async () => {
    const report = await run([databases, gardens]);
    expect(judge.asked.sort()).toEqual(['databases', 'gardens', 'weather']);
    expect(await find('gardens')).toMatchObject({ state: 'accepted', verdict: { topics: ['gardens'] } });
    expect(await find('weather')).toMatchObject({ state: 'rejected', reason: 'no_topic_match' });
    expect(report.items.find(({ title }) => title === 'gardens')).toMatchObject({ outcome: 'accepted' });
    const history = await memory.ledger.history(keyOf('gardens'));
    expect(history.map(({ event }) => event)).toContain('requeue');
    judge.asked.length = 0;
    await run([databases, gardens]);
    expect(judge.asked).toEqual([]);
  });

  it('X21 a run that has lost its lease creates no digest', async () => {
    const publisher: Publisher = {
      id: 'chat',
      abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: 10 },
      render: () => ({ body: '', templateVersion: '1' }),
      send: async () => ({ outcome: 'sent', remoteId: '1' }),
      readBack: async () => ({ outcome: 'absent' }),
    };
    const choosing = {
      ...dependencies(interestsOf([databases]), { minArticles: 1 }),
      publishers: [publisher],
    };
    const undone: true[] = [];
    const lease = { until: () => clock.now(), leaveUndone: () => void undone.push(true) };
    await curate(choosing, never, undefined, { lease });
    expect((await memory.outbox.list({ limit: 9 })).deliveries).toEqual([]);
    expect(undone).not.toEqual([]);
    await curate(choosing, never);
    expect((await memory.outbox.list({ limit: 9 })).deliveries).toMatchObject([{ state: 'sent' }]);
  });

  it('A5 an article rejected days ago stays rejected', async () => {
    await clock.advance(4 * DAY);
    await run([databases, gardens]);
    expect(judge.asked).toEqual(['databases']);
  });

  it('A5 an article rejected by a person stays rejected', async () => {
    await memory.ledger.intervene(keyOf('gardens'), { type: 'requeue' }, 'maria');
    await memory.ledger.intervene(keyOf('gardens'), { type: 'park', reason: 'by_person' }, 'maria');
    await memory.ledger.intervene(keyOf('gardens'), { type: 'drop' }, 'maria');
    await run([databases, gardens]);
    expect(judge.asked).not.toContain('gardens');
  });

  it('X18 a run judges at most maxJudged; the rest waits and is not chosen by an outdated verdict', async () => {
    const report = await run([{ ...databases, priority: 'high' }, gardens], {
      maxJudged: 0,
      minArticles: 1,
    });
    expect(judge.asked).toEqual([]);
    expect(report.notes.join()).toContain('1 wait until they are judged again');
    await run([{ ...databases, priority: 'high' }, gardens], { maxJudged: 2 });
    expect(judge.asked).toHaveLength(2);
    await run([{ ...databases, priority: 'high' }, gardens], { maxJudged: 2 });
    expect(judge.asked).toHaveLength(3);
  });

  it('X18 an unavailable judge leaves every item unchanged', async () => {
    judge.mode = 'unavailable';
    await run([databases, gardens]);
    expect(await find('databases')).toMatchObject({ state: 'accepted', attempts: 0 });
    expect(await find('gardens')).toMatchObject({ state: 'rejected', reason: 'no_topic_match' });
    judge.mode = 'available';
    await run([databases, gardens]);
    expect(await find('gardens')).toMatchObject({ state: 'accepted' });
  });

  it('A8 a candidate whose page was deleted is rejected', async () => {
    unreadable.add(keyOf('databases'));
    await run([databases, gardens]);
    expect(await find('databases')).toMatchObject({
      state: 'rejected',
      reason: 'content_extraction_failed',
    });
  });
});

describe('X18 the verdict of a stand-in', () => {
  beforeEach(async () => {
    judge.mode = 'stand-in';
    await admit('databases', 'weather');
    await run([databases]);
    expect(await find('databases')).toMatchObject({
      state: 'accepted',
      verdict: { provisional: true, score: 60 },
    });
    judge.asked.length = 0;
  });

  it('X18 is re-evaluated when the judge is available again, accepted or not', async () => {
    judge.mode = 'available';
    await run([databases]);
    expect(judge.asked.sort()).toEqual(['databases', 'weather']);
    expect((await find('databases')).verdict).toMatchObject({
      provisional: false,
      score: 90,
      judge: 'words',
    });
    expect((await find('weather')).verdict).toMatchObject({ provisional: false });
    judge.asked.length = 0;
    await run([databases]);
    expect(judge.asked).toEqual([]);
  });

  it('X18 stays while the judge is unavailable, and the judge is not called for each of them', async () => {
    const more = Array.from({ length: 20 }, (_, n) => `databases ${n}`);
    await admit(...more);
    await run([databases]);
    const before = await memory.ledger.history(keyOf('databases'));
    judge.asked.length = 0;
    await run([databases]);
    expect(judge.asked.length).toBeLessThanOrEqual(4);
    expect(await memory.ledger.history(keyOf('databases'))).toEqual(before);
  });
});

describe('X9 a judge at its limit', () => {
  it('X9 X18 articles wait, and the digest says how many', async () => {
    await admit('databases one', 'databases two', 'databases three');
    judge.budget = 1;
    const sent: string[] = [];
    const publisher: Publisher = {
      id: 'discord',
      abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: 10 },
      render: ({ note }) => ({ body: note ?? '', templateVersion: '1' }),
      send: async ({ body }) => {
        sent.push(body);
        return { outcome: 'sent', remoteId: '1' };
      },
      readBack: async () => ({ outcome: 'absent' }),
    };
    await curate(
      { ...dependencies(interestsOf([databases]), { minArticles: 1 }), publishers: [publisher] },
      never,
    );
    expect(sent).toEqual(['2 more articles wait for the judge’s rate limit or budget.']);
    expect((await memory.ledger.counts()).byReason.over_limit).toBe(2);
  });
});
