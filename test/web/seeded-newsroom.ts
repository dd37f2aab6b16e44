import type { Item, ItemKey, Verdict } from '../../src/item/item.ts';
import { REASONS, STATES, type State } from '../../src/item/lifecycle.ts';
import type { JudgeSpend } from '../../src/judge/judge.ts';
import { explainItem } from '../../src/ledger/explain.ts';
import { BadCursorError } from '../../src/ledger/filter.ts';
import type { HistoryEntry, ItemFilter, ItemPage, LedgerCounts } from '../../src/ledger/ledger.ts';
import type { Delivery } from '../../src/outbox/outbox.ts';
import type { Readiness } from '../../src/scheduler/health.ts';
import type { ItemExplanation, Newsroom, PipelineStatus } from '../../src/server/http/newsroom.ts';
import type { SocialStore, User } from '../../src/social/social-store.ts';
import type { SourceStatus } from '../../src/sources/source-status.ts';
import { createMemoryTimelineBackend } from '../../src/storage/memory/timelines.ts';
import { SqliteSocialStore } from '../../src/storage/sqlite/social-store.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { systemClock } from '../../src/time/clock.ts';
import { HOUR, MINUTE } from '../../src/time/duration.ts';
import { allHandled } from '../../src/timelines/all-handled.fixture.ts';
import { startTimelines, type TimelineService } from '../../src/timelines/timeline-service.ts';
import { HOSTILE_STORIES, STORIES, type Story } from './sample-stories.ts';

export interface SeedOptions {
  /** How many drops are in the timeline at the start. */
  readonly drops?: number;
  /** Titles that try to do harm or to break the layout. */
  readonly hostile?: boolean;
  readonly empty?: boolean;
}

/** A newsroom with real people, drops, timelines and streams, and with items from a list. For tests and screenshots. */
export interface SeededNewsroom extends Newsroom, AsyncDisposable {
  readonly pipelineUser: User;
  readonly writable: SocialStore;
  /** Posts the next story of the list. */
  postNext(): Promise<string>;
  /** From now on every call fails, until it is set back. */
  broken: boolean;
}

export async function seedNewsroom(options: SeedOptions = {}): Promise<SeededNewsroom> {
  const { drops = 24, hostile = false, empty = false } = options;
  const social = SqliteSocialStore.open({ path: ':memory:', clock: systemClock });
  const daily = await social.addUser({ name: 'daily', displayName: 'Daily Sheet', kind: 'pipeline' });
  const stories = hostile ? [...HOSTILE_STORIES, ...STORIES] : STORIES;
  const backend = createMemoryTimelineBackend({ clock: systemClock, log: silentLogger });
  let posted = 0;
  const service = await startTimelines({
    social,
    changes: social.changes,
    backend,
    clock: systemClock,
    log: silentLogger,
  });

  async function post(story: Story): Promise<string> {
    posted += 1;
    const { drop } = await social.post({
      userId: daily.id,
      visibility: 'public',
      title: story.title,
      text: story.summary,
      url: story.url,
      itemKey: story.url,
      pipeline: 'daily',
    });
    return drop.id;
  }

  if (!empty) {
    const count = Math.max(drops, hostile ? HOSTILE_STORIES.length : 0);
    for (let i = count - 1; i >= 0; i--) await post(pick(stories, i));
    await allHandled(backend.eventLog);
  }
  const items = empty ? [] : stories.map((story, i) => toItem(story, i));
  return assemble(service, social, daily, items, () => post(pick(STORIES, posted)), {
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await social[Symbol.asyncDispose]();
    },
  });
}

function assemble(
  service: TimelineService,
  social: SqliteSocialStore,
  daily: User,
  items: readonly Item[],
  postNext: () => Promise<string>,
  owner: AsyncDisposable,
): SeededNewsroom {
  const check = (): void => {
    if (newsroom.broken) throw new Error('the ledger is unavailable');
  };
  const newsroom: SeededNewsroom = {
    broken: false,
    info: {
      name: 'The sample newsroom',
      version: '0.2.0',
      engine: 'embedded',
      sample: true,
      startedAt: Date.now() - 3 * HOUR,
    },
    pipelineUser: daily,
    writable: social,
    timelines: service.timelines,
    streams: service.streams,
    social,
    postNext,
    async pipelines() {
      check();
      return pipelines(items, daily);
    },
    async items(pipeline, filter) {
      check();
      return pipeline === 'daily' ? page(items, filter) : pipeline === 'videos' ? page([], filter) : null;
    },
    async explain(pipeline, key) {
      check();
      const item = items.find((candidate) => candidate.key === key);
      return pipeline === 'daily' && item ? explain(item) : null;
    },
    async why() {
      check();
      return [];
    },
    async sources() {
      check();
      return sources();
    },
    folders: () => [],
    async judges() {
      check();
      return [SPEND];
    },
    feed: async () => null,
    metrics: async () => '# HELP kawaraban_up Whether it runs\n# TYPE kawaraban_up gauge\nkawaraban_up 1\n',
    readiness: async (): Promise<Readiness> => ({
      ready: !newsroom.broken,
      parts: { ledger: newsroom.broken ? { ok: false, detail: 'cannot be opened' } : { ok: true } },
    }),
    [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose](),
  };
  return newsroom;
}

const SPEND: JudgeSpend = {
  judge: 'gemini',
  lastMinute: { calls: 2 },
  today: { calls: 120, tokens: 340_000, microUsd: 51_000 },
  limits: { callsPerMinute: 10, callsPerDay: 500, microUsdPerDay: 1_000_000 },
  trouble: null,
};

const LIFE: readonly State[] = [
  'published',
  'published',
  'rejected',
  'accepted',
  'published',
  'rejected',
  'deferred',
  'waiting',
  'rejected',
  'published',
  'failed',
  'parked',
];

function toItem(story: Story, i: number): Item {
  const state = pick(LIFE, i);
  const at = Date.now() - i * 37 * MINUTE - 4 * MINUTE;
  const judged = state !== 'waiting' && state !== 'deferred';
  const verdict: Verdict = {
    score: state === 'rejected' ? 31 : 78 + (i % 17),
    topics: story.topics,
    summary: story.summary,
    reason:
      state === 'rejected' ? 'Off the topics that are followed.' : `Speaks of ${story.topics.join(', ')}.`,
    judge: 'local',
    model: 'words-1',
    promptVersion: '1',
    interestsVersion: 'a1b2',
    textHash: 'c3d4',
    madeAt: at,
    provisional: i % 7 === 4,
    minScore: 70,
  };
  return {
    key: story.url as ItemKey,
    url: story.url,
    title: story.title,
    publishedAt: at - HOUR,
    sourceId: story.sourceId,
    sourceName: story.source,
    state,
    reason:
      ({
        rejected: 'low_relevance',
        deferred: 'content_extraction_failed',
        failed: 'retry_limit',
        parked: 'delivery_unknown',
      }[state as string] as Item['reason']) ?? 'none',
    detail: state === 'deferred' ? 'The page answered 503 twice.' : null,
    attempts: state === 'deferred' ? 2 : state === 'failed' ? 4 : 0,
    dueAt: state === 'deferred' ? Date.now() + 12 * MINUTE : null,
    createdAt: at - 10 * MINUTE,
    checkedAt: at,
    verdict: judged ? verdict : null,
  };
}

function page(items: readonly Item[], filter: ItemFilter): ItemPage {
  const start = filter.cursor === undefined ? 0 : Number(filter.cursor);
  if (!Number.isInteger(start)) throw new BadCursorError(String(start));
  const text = filter.text?.toLowerCase();
  const found = items.filter(
    (item) =>
      (!filter.states || filter.states.includes(item.state)) &&
      (!filter.reasons || filter.reasons.includes(item.reason)) &&
      (!filter.sourceId || item.sourceId === filter.sourceId) &&
      (!text || item.title.toLowerCase().includes(text) || item.url.includes(text)),
  );
  const end = start + filter.limit;
  return { items: found.slice(start, end), next: end < found.length ? `${end}` : null };
}

function counts(items: readonly Item[]): LedgerCounts {
  const count = <T extends string>(words: readonly T[], of: (item: Item) => T): Record<T, number> =>
    Object.fromEntries(
      words.map((word) => [word, items.filter((item) => of(item) === word).length]),
    ) as Record<T, number>;
  return {
    byState: count(STATES, (item) => item.state),
    byReason: count(REASONS, (item) => item.reason),
    leased: 1,
    oldestOpen: items.length === 0 ? null : Date.now() - 5 * HOUR,
    tombstones: 0,
  };
}

function pipelines(items: readonly Item[], daily: User): readonly PipelineStatus[] {
  const now = Date.now();
  const shared = { sources: ['tokyo', 'harbour'], destinations: ['discord', 'timeline'], userId: daily.id };
  return [
    {
      ...shared,
      id: 'daily',
      name: 'Daily Sheet',
      kind: 'curate',
      state: 'running',
      detail: null,
      schedule: 'every 15 min',
      everyMs: 15 * MINUTE,
      minScore: 70,
      lastRun: {
        startedAt: now - 4 * MINUTE,
        endedAt: now - 3.6 * MINUTE,
        outcome: 'done',
        detail: null,
        numbers: { admitted: 14, judged: 12, published: 3 },
      },
      nextRunAt: now + 11 * MINUTE,
      counts: counts(items),
    },
    {
      ...shared,
      id: 'videos',
      name: '新作の動画',
      kind: 'process',
      state: 'failing',
      detail: 'The video service refuses the key. Set YOUTUBE_API_KEY to a valid one.',
      schedule: '0 * * * *',
      everyMs: null,
      minScore: null,
      lastRun: {
        startedAt: now - 50 * MINUTE,
        endedAt: now - 50 * MINUTE,
        outcome: 'failed',
        detail: 'quota',
        numbers: {},
      },
      nextRunAt: now + 10 * MINUTE,
      counts: counts([]),
    },
  ];
}

function explain(item: Item): ItemExplanation {
  const line = (minutes: number, event: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
    at: item.checkedAt - minutes * MINUTE,
    event,
    from: null,
    to: null,
    reason: 'none',
    detail: null,
    who: null,
    notes: {},
    ...more,
  });
  const delivery: Delivery = {
    key: `${item.key} discord 1`,
    itemKeys: [item.key],
    destination: 'discord',
    body: 'not for readers',
    state: 'sent',
    remoteId: '1',
    remoteUrl: 'https://discord.example/channels/1/2/3',
    detail: null,
    attempts: 1,
    createdAt: item.checkedAt,
    firstTriedAt: item.checkedAt,
    updatedAt: item.checkedAt,
    dueAt: null,
  };
  const history = [
    line(9, 'admit', { to: 'waiting' }),
    line(6, 'defer', {
      from: 'waiting',
      to: 'deferred',
      reason: 'content_extraction_failed',
      detail: 'The page answered 503.',
    }),
    line(3, 'accept', { from: 'deferred', to: 'accepted', notes: { score: item.verdict?.score ?? 0 } }),
    line(0, 'publish', { from: 'accepted', to: 'published' }),
  ];
  const deliveries: Delivery[] = [
    delivery,
    {
      ...delivery,
      destination: 'mastodon',
      state: 'unknown',
      remoteUrl: null,
      detail: 'The reply was lost.',
    },
  ];
  const explained = explainItem({ item, history, deliveries });
  return {
    pipeline: 'daily',
    item,
    history,
    deliveries,
    alsoSeenIn: ['Harbour Gazette'],
    story: null,
    told: explained,
  };
}

function sources(): readonly SourceStatus[] {
  const now = Date.now();
  const healthy = {
    memory: {},
    movedTo: null,
    lastTriedAt: now - 4 * MINUTE,
    lastSuccessAt: now - 4 * MINUTE,
    lastTrouble: null,
    failuresInARow: 0,
    nextAt: now + 11 * MINUTE,
    itemsSeen: 412,
    baselineTakenAt: now - 90 * HOUR,
    reported: null,
  };
  const source = (id: string, name: string, record: SourceStatus['record']): SourceStatus => ({
    id,
    name,
    kind: 'feed',
    enabled: true,
    origin: 'file',
    folders: [],
    assignedPipelines: [],
    nextAt: null,
    identity: null,
    quota: null,
    url: `https://${id}.example/feed.xml`,
    pipelines: ['daily'],
    record,
    userId: null,
  });
  return [
    source('tokyo', '東京技術新聞', { ...healthy, sourceId: 'tokyo' }),
    source('harbour', 'Harbour Gazette', {
      ...healthy,
      sourceId: 'harbour',
      lastSuccessAt: now - 26 * HOUR,
      failuresInARow: 7,
      nextAt: now + 2 * HOUR,
      lastTrouble: { why: 'not_found', detail: 'HTTP 404', at: now - 4 * MINUTE },
    }),
    source('quiet', 'Quiet Corner', null),
  ];
}

function pick<T>(list: readonly T[], i: number): T {
  const found = list[i % list.length];
  if (found === undefined) throw new Error('an empty list');
  return found;
}
