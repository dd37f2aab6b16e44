import type { Config } from '../config/config.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { LeaderTerm, Pipeline } from '../pipelines/pipeline.ts';
import { maintenanceReport, type RunReport } from '../scheduler/run-report.ts';
import type { RunRecord, RunStore } from '../scheduler/run-store.ts';
import { type RunnerDependencies, runOnce, runOnSchedule } from '../scheduler/scheduler.ts';
import { commentsAddress, HackerNewsClient } from '../sources/hackernews/hackernews-client.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { type BackfillProgress, type BackfillResult, backfillStories } from './backfill.ts';
import { hackerNewsStoryApi } from './hackernews-story-api.ts';
import type { StoryApi } from './story.ts';
import { StoryLists } from './story-lists.ts';
import { StoryReader } from './story-reader.ts';
import { type StorySet, StorySets } from './story-sets.ts';
import type { StoryStore, StoryUsage } from './story-store.ts';
import { emptyTally, StorySync, type SyncProgress, type SyncTally } from './story-sync.ts';
import { syncVerdictStories } from './verdict-stories.ts';

/** The set filled from Hacker News. */
export const HACKER_NEWS_SET = 'hackernews';

/** Stores and metering of the engine. */
interface StoryEngine {
  readonly runs: RunStore;
  storyStore(set: string): Promise<StoryStore>;
  /** Runs some work and reports its usage of a metered store. */
  measureUsage?<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly used: Omit<StoryUsage, 'requests'> }>;
}

export interface StoryServiceDependencies {
  readonly config: Config;
  readonly engine: StoryEngine;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly events: Events;
  readonly owner: string;
}

/** Story sets with their workers. */
export interface StoryService extends AsyncDisposable {
  readonly sets: StorySets;
  /** Runs the worker of every set now; `null` for a set whose worker is running elsewhere. */
  sync(signal: AbortSignal, onProgress?: (progress: SyncProgress) => void): Promise<readonly SyncedSet[]>;
  /** `null` while a worker is running, here or elsewhere. Only for Hacker News. */
  backfill(
    range: { readonly from: number; readonly to: number },
    signal: AbortSignal,
    onProgress: (progress: BackfillProgress) => void,
  ): Promise<BackfillResult | null>;
  runOnSchedule(term: LeaderTerm): Promise<void>;
  status(): Promise<readonly StorySetStatus[]>;
}

export interface SyncedSet {
  readonly set: string;
  readonly tally: SyncTally | null;
}

/** Output of `status` for a set: its last run with its cost, and the cost of reading today. */
export interface StorySetStatus {
  readonly set: string;
  readonly title: string;
  readonly lastRun: RunRecord | null;
  readonly today: StoryUsage;
}

/** `null` if stories are not enabled. */
export async function createStoryService(deps: StoryServiceDependencies): Promise<StoryService | null> {
  const { config, engine, clock } = deps;
  const settings = config.stories;
  if (!settings.enabled) return null;
  const client = new HackerNewsClient({
    fetcher: deps.fetcher,
    concurrency: settings.concurrency,
    ...(settings.baseUrl !== undefined && { url: settings.baseUrl }),
  });
  const api = hackerNewsStoryApi(client);
  const sets = [
    ...(settings.source === 'verdicts' ? [] : [await createHackerNewsSet(deps, api)]),
    ...(settings.source === 'hackernews' ? [] : await createPipelineSets(deps)),
  ];
  const measure = engine.measureUsage?.bind(engine) ?? unmeasured;
  const storySets = new StorySets({ sets, pageSize: settings.pageSize, clock, measure });
  const runner = (set: StorySet, work: RunnerDependencies['work']): RunnerDependencies => ({
    pipeline: runName(set.name),
    schedule: { kind: 'every', ms: settings.every },
    runs: engine.runs,
    clock,
    owner: deps.owner,
    events: deps.events,
    work,
  });
  const workOf = (
    set: StorySet,
    onTally: (tally: SyncTally) => void,
    onProgress?: (progress: SyncProgress) => void,
  ) => {
    return async (signal: AbortSignal): Promise<RunReport> => {
      const startedAt = clock.now();
      const { value: tally, used } = await measure(() => set.sync(signal, onProgress));
      onTally(tally);
      return tallyReport(set.name, tally, used, startedAt, clock.now());
    };
  };
  return {
    sets: storySets,
    async sync(signal, onProgress) {
      const synced: SyncedSet[] = [];
      for (const set of sets) {
        let tally: SyncTally | null = null;
        const onTally = (value: SyncTally): void => {
          tally = value;
        };
        await runOnce(runner(set, workOf(set, onTally, onProgress)), signal, () => {});
        synced.push({ set: set.name, tally });
      }
      return synced;
    },
    async backfill(range, signal, onProgress) {
      const set = storySets.find(HACKER_NEWS_SET);
      if (set === null) return { outcome: 'refused', why: 'Hacker News is not among the sources of stories' };
      let result: BackfillResult | null = null;
      const work = async (stop: AbortSignal): Promise<RunReport> => {
        const startedAt = clock.now();
        const { value, used } = await measure(() =>
          backfillStories({ ...set, api, clock }, range, stop, onProgress),
        );
        result = value;
        const tally = value.outcome === 'refused' ? { ...emptyTally(), trouble: value.why } : value.tally;
        return tallyReport(set.name, tally, used, startedAt, clock.now());
      };
      await runOnce(runner(set, work), signal, () => {});
      return result;
    },
    async runOnSchedule({ signal, runSignal = signal, fence }) {
      await Promise.all(
        sets.map((set) =>
          runOnSchedule(
            {
              ...runner(
                set,
                workOf(set, () => {}),
              ),
              ...(fence !== undefined && { fence }),
            },
            signal,
            runSignal,
          ),
        ),
      );
    },
    status: () => Promise.all(sets.map((set) => setStatus(set, storySets, engine.runs))),
    [Symbol.asyncDispose]: () => storySets[Symbol.asyncDispose](),
  };
}

async function createHackerNewsSet(deps: StoryServiceDependencies, api: StoryApi): Promise<StorySet> {
  const { refresh } = deps.config.stories;
  const comments = commentsAddress(deps.config.stories.siteUrl);
  const base = await createSet(HACKER_NEWS_SET, HACKER_NEWS_SET, 'Hacker News', comments, deps);
  const { day, week, month, limit } = refresh;
  const sync = new StorySync({
    ...base,
    api,
    clock: deps.clock,
    settings: { tiers: [day, week, month], limit },
  });
  return { ...base, sync: (signal, onProgress) => sync.run(signal, onProgress) };
}

/** A set for each pipeline whose judge assigns scores (E15). */
async function createPipelineSets(deps: StoryServiceDependencies): Promise<StorySet[]> {
  const scored = [...deps.pipelines.values()].filter(({ kind }) => kind === 'curate');
  return Promise.all(
    scored.map(async ({ id, name, ledger }) => {
      const base = await createSet(id, `pipeline-${id}`, name, null, deps);
      return {
        ...base,
        sync: (signal, onProgress) =>
          syncVerdictStories({ pipeline: id, ledger, ...base }, signal, onProgress),
      };
    }),
  );
}

async function createSet(
  name: string,
  stored: string,
  title: string,
  comments: string | null,
  { config, engine, clock }: StoryServiceDependencies,
): Promise<Omit<StorySet, 'sync'>> {
  const { cache, listSize } = config.stories;
  const store = await engine.storyStore(stored);
  const timesToLive = {
    Day: cache.day,
    Week: cache.week,
    Month: cache.month,
    Year: cache.year,
    All: cache.all,
  };
  const lists = new StoryLists({ store, clock, timesToLive, size: listSize });
  const reader = new StoryReader({ set: stored, store, lists, clock });
  return { name, title, comments, store, lists, reader };
}

/** Not a valid pipeline ID, so it cannot collide with one. */
function runName(set: string): string {
  return `stories:${set}`;
}

async function setStatus(set: StorySet, storySets: StorySets, runs: RunStore): Promise<StorySetStatus> {
  const [lastRun, today] = await Promise.all([runs.last(runName(set.name)), storySets.usageToday(set)]);
  return { set: set.name, title: set.title, lastRun, today };
}

async function unmeasured<T>(
  work: () => Promise<T>,
): Promise<{ value: T; used: { reads: number; writes: number } }> {
  return { value: await work(), used: { reads: 0, writes: 0 } };
}

function tallyReport(
  set: string,
  { trouble, ...counts }: SyncTally,
  { reads, writes }: { readonly reads: number; readonly writes: number },
  startedAt: number,
  endedAt: number,
): RunReport {
  const nonZero = Object.entries(counts).filter(([, n]) => n > 0);
  const did = nonZero.map(([what, n]) => `${n} ${what}`).join(', ') || 'nothing to do';
  const cost = reads + writes > 0 ? [`${reads} reads and ${writes} writes of the store`] : [];
  return maintenanceReport({
    pipeline: runName(set),
    startedAt,
    endedAt,
    notes: [did, ...cost, ...(trouble === null ? [] : [trouble])],
    numbers: { ...counts, reads, writes },
  });
}
