import type { Config } from '../config/config.ts';
import type { Pipeline, SchedulerTurn } from '../pipelines/pipeline.ts';
import { type RunReport, upkeepReport } from '../pipelines/run-report.ts';
import type { RunRow, RunStore } from '../pipelines/run-store.ts';
import { type RunnerParts, runOnce, runOnSchedule } from '../pipelines/runner.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import { HackerNewsClient } from '../sources/hackernews/hackernews-client.ts';
import { type BackfillProgress, type BackfillResult, backfill } from '../stories/backfill.ts';
import type { StoryApi } from '../stories/story-api.ts';
import { StoryDesk, type StorySet } from '../stories/story-desk.ts';
import { StoryLists } from '../stories/story-lists.ts';
import { StoryReader } from '../stories/story-reader.ts';
import type { StoryUse } from '../stories/story-store.ts';
import { StorySync } from '../stories/story-sync.ts';
import { takeVerdicts } from '../stories/verdict-scores.ts';
import type { Tally, WorkProgress } from '../stories/work-progress.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import type { Engine } from './engine.ts';
import { storyApi } from './story-api.ts';

/** The set that Hacker News fills. */
export const HACKER_NEWS = 'hackernews';

export interface StoriesParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly events: Events;
  readonly owner: string;
}

/** The story reader's engine with its worker. */
export interface Stories extends AsyncDisposable {
  readonly desk: StoryDesk;
  /** Runs the worker of every set now; a set whose worker is at work elsewhere answers `null`. */
  sync(signal: AbortSignal, watch?: (progress: WorkProgress) => void): Promise<readonly SyncedSet[]>;
  /** `null` while a worker is at work, here or elsewhere. Only for Hacker News. */
  backfill(
    range: { readonly from: number; readonly to: number },
    signal: AbortSignal,
    watch: (progress: BackfillProgress) => void,
  ): Promise<BackfillResult | null>;
  keepScheduled(turn: SchedulerTurn): Promise<void>;
  status(): Promise<readonly StorySetStatus[]>;
}

export interface SyncedSet {
  readonly set: string;
  readonly tally: Tally | null;
}

/** What `status` shows of a set: its last run with what it cost, and what reading cost today. */
export interface StorySetStatus {
  readonly set: string;
  readonly title: string;
  readonly lastRun: RunRow | null;
  readonly today: StoryUse;
}

/** `null` where the configuration does not ask for stories. */
export async function storiesOf(parts: StoriesParts): Promise<Stories | null> {
  const { config, engine, clock } = parts;
  const settings = config.stories;
  if (!settings.enabled) return null;
  const client = new HackerNewsClient({
    fetcher: parts.fetcher,
    concurrency: settings.concurrency,
    ...(settings.baseUrl !== undefined && { url: settings.baseUrl }),
  });
  const api = storyApi(client);
  const sets = [
    ...(settings.source === 'verdicts' ? [] : [await hackerNews(parts, api)]),
    ...(settings.source === 'hackernews' ? [] : await scoredPipelines(parts)),
  ];
  const measure = engine.measured?.bind(engine) ?? unmeasured;
  const desk = new StoryDesk({ sets, pageSize: settings.pageSize, clock, measure });
  const runner = (set: StorySet, work: RunnerParts['work']): RunnerParts => ({
    pipeline: runName(set.name),
    schedule: { kind: 'every', ms: settings.every },
    runs: engine.runs,
    clock,
    owner: parts.owner,
    events: parts.events,
    work,
  });
  const workOf = (set: StorySet, told: (tally: Tally) => void, watch?: (progress: WorkProgress) => void) => {
    return async (signal: AbortSignal): Promise<RunReport> => {
      const startedAt = clock.now();
      const { value: tally, used } = await measure(() => set.work(signal, watch));
      told(tally);
      return reportOf(set.name, tally, used, startedAt, clock.now());
    };
  };
  return {
    desk,
    async sync(signal, watch) {
      const synced: SyncedSet[] = [];
      for (const set of sets) {
        let tally: Tally | null = null;
        const told = (value: Tally): void => {
          tally = value;
        };
        await runOnce(runner(set, workOf(set, told, watch)), signal, () => {});
        synced.push({ set: set.name, tally });
      }
      return synced;
    },
    async backfill(range, signal, watch) {
      const set = desk.find(HACKER_NEWS);
      if (set === null) return { outcome: 'refused', why: 'Hacker News is not among the sources of stories' };
      let result: BackfillResult | null = null;
      const work = async (stop: AbortSignal): Promise<RunReport> => {
        const startedAt = clock.now();
        const { value, used } = await measure(() => backfill({ ...set, api, clock }, range, stop, watch));
        result = value;
        const tally = value.outcome === 'refused' ? { ...NOTHING, trouble: value.why } : value.tally;
        return reportOf(set.name, tally, used, startedAt, clock.now());
      };
      await runOnce(runner(set, work), signal, () => {});
      return result;
    },
    async keepScheduled({ signal, running = signal, fence }) {
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
            running,
          ),
        ),
      );
    },
    status: () => Promise.all(sets.map((set) => statusOf(set, desk, engine.runs))),
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

async function hackerNews(parts: StoriesParts, api: StoryApi): Promise<StorySet> {
  const { refresh } = parts.config.stories;
  const base = await setOf(HACKER_NEWS, HACKER_NEWS, 'Hacker News', parts);
  const { day, week, month, limit } = refresh;
  const sync = new StorySync({
    ...base,
    api,
    clock: parts.clock,
    settings: { tiers: [day, week, month], limit },
  });
  return { ...base, work: (signal, watch) => sync.run(signal, watch) };
}

/** A set for each pipeline whose judge gives scores (E15). */
async function scoredPipelines(parts: StoriesParts): Promise<StorySet[]> {
  const scored = [...parts.pipelines.values()].filter(({ kind }) => kind === 'curate');
  return Promise.all(
    scored.map(async ({ id, name, ledger }) => {
      const base = await setOf(id, `pipeline-${id}`, name, parts);
      return {
        ...base,
        work: (signal, watch) => takeVerdicts({ pipeline: id, ledger, ...base }, signal, watch),
      };
    }),
  );
}

async function setOf(
  name: string,
  stored: string,
  title: string,
  { config, engine, clock }: StoriesParts,
): Promise<Omit<StorySet, 'work'>> {
  const { cache, listSize } = config.stories;
  const store = await engine.storiesOf(stored);
  const timesToLive = {
    Day: cache.day,
    Week: cache.week,
    Month: cache.month,
    Year: cache.year,
    All: cache.all,
  };
  const lists = new StoryLists({ store, clock, timesToLive, size: listSize });
  return { name, title, store, lists, reader: new StoryReader({ set: stored, store, lists, clock }) };
}

/** No pipeline can be called so. */
function runName(set: string): string {
  return `stories:${set}`;
}

async function statusOf(set: StorySet, desk: StoryDesk, runs: RunStore): Promise<StorySetStatus> {
  const [lastRun, today] = await Promise.all([runs.last(runName(set.name)), desk.useToday(set)]);
  return { set: set.name, title: set.title, lastRun, today };
}

const NOTHING: Tally = { added: 0, refreshed: 0, removed: 0, waiting: 0, failed: 0, trouble: null };

async function unmeasured<T>(
  work: () => Promise<T>,
): Promise<{ value: T; used: { reads: number; writes: number } }> {
  return { value: await work(), used: { reads: 0, writes: 0 } };
}

function reportOf(
  set: string,
  { trouble, ...counts }: Tally,
  { reads, writes }: { readonly reads: number; readonly writes: number },
  startedAt: number,
  endedAt: number,
): RunReport {
  const said = Object.entries(counts).filter(([, n]) => n > 0);
  const did = said.map(([what, n]) => `${n} ${what}`).join(', ') || 'nothing to do';
  const cost = reads + writes > 0 ? [`${reads} reads and ${writes} writes of the store`] : [];
  return upkeepReport({
    pipeline: runName(set),
    startedAt,
    endedAt,
    notes: [did, ...cost, ...(trouble === null ? [] : [trouble])],
    numbers: { ...counts, reads, writes },
  });
}
