import type { Config } from '../../config/config.ts';
import { redactUrl } from '../../fetch/redact-url.ts';
import type { Item, ItemKey } from '../../item/item.ts';
import type { Reason } from '../../item/lifecycle.ts';
import type { Judges } from '../../judge/judge.ts';
import { explainItem, explainStatus } from '../../ledger/explain.ts';
import type { HistoryEntry, RecordedSighting } from '../../ledger/ledger.ts';
import type { Delivery } from '../../outbox/outbox.ts';
import type { Pipeline } from '../../pipelines/pipeline.ts';
import { atomFeed } from '../../publishers/atom/atom.ts';
import type { EntryStore } from '../../reader/entry-store.ts';
import { withoutPerson } from '../../same-story/story-reason.ts';
import { checkLiveness, checkReadiness, type HealthDependencies } from '../../scheduler/health.ts';
import type { RunStore } from '../../scheduler/run-store.ts';
import { describeSchedule } from '../../scheduler/schedule.ts';
import type { SocialStore } from '../../social/social-store.ts';
import type { SourceCatalogue } from '../../sources/source-catalogue.ts';
import { sourceFolders } from '../../sources/source-folders.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import { sourceStatuses } from '../../sources/source-status.ts';
import type { StoryService } from '../../stories/story-service.ts';
import type { Clock } from '../../time/clock.ts';
import type { TimelineService } from '../../timelines/timeline-service.ts';
import type {
  ItemExplanation,
  Newsroom,
  NewsroomInfo,
  PipelineRun,
  PipelineStatus,
  Viewer,
  Why,
} from './newsroom.ts';

export interface NewsroomDependencies extends Omit<HealthDependencies, 'timelines' | 'social'> {
  readonly social: SocialStore;
  readonly info: NewsroomInfo;
  readonly config: Config;
  readonly catalogue: SourceCatalogue;
  readonly runs: RunStore;
  readonly judges: Pick<Judges, 'spend'>;
  readonly entries: Pick<EntryStore, 'findByKeys'>;
  readonly clock: Clock;
  readonly timelines: TimelineService;
  readonly metrics: () => Promise<string>;
  /** `null` if stories are not enabled. */
  readonly stories: StoryService | null;
  /** The user of a source; `null` if unknown. */
  readonly sourceUser: (sourceId: string) => string | null;
}

/** The newsroom over the running program. */
export function createNewsroom(deps: NewsroomDependencies): Newsroom {
  const { info, pipelines, timelines } = deps;
  return {
    info,
    timelines: timelines.timelines,
    streams: timelines.streams,
    social: deps.social,
    pipelines: async (viewer) => {
      const all = await Promise.all(
        [...pipelines.values()].map((pipeline) => pipelineStatus(pipeline, deps.runs)),
      );
      return viewer === 'owner' ? all : all.map(publicPipeline);
    },
    items: async (id, filter, viewer) => {
      const pipeline = pipelines.get(id);
      const page = await pipeline?.ledger.list(filter);
      if (pipeline === undefined || page === undefined) return null;
      if (viewer === 'owner') return page;
      return { ...page, items: page.items.map((item) => publicItem(item, pipeline.kind)) };
    },
    explain: async (id, key, viewer) => itemExplanation(pipelines.get(id), key, viewer, deps),
    why: async (key, viewer) => {
      const all = await Promise.all([...pipelines.values()].map((each) => whyOf(each, key, viewer, deps)));
      return all.filter((each) => each !== null);
    },
    sources: async (viewer) => {
      const sources = await sourceStatuses(deps);
      return viewer === 'owner' ? sources : sources.map(publicSource);
    },
    folders: () => sourceFolders(deps.catalogue),
    judges: () => deps.judges.spend(),
    ...(deps.stories !== null && { stories: deps.stories.sets }),
    feed: (id) => atomFeedFor(id, deps),
    metrics: deps.metrics,
    readiness: () => checkReadiness({ ...deps, timelines: timelines.timelines }),
    liveness: () => checkLiveness(deps),
  };
}

async function pipelineStatus(pipeline: Pipeline, runs: RunStore): Promise<PipelineStatus> {
  const [last, counts, nextRunAt, { schedule, enabled, minScore }] = await Promise.all([
    runs.last(pipeline.id),
    pipeline.ledger.counts(),
    pipeline.nextRunAt(),
    pipeline.currentSettings(),
  ]);
  const { id, name, kind, sources, destinations, userId } = pipeline;
  const state = stateOf(last, enabled);
  return {
    id,
    name,
    kind,
    state,
    detail: state === 'failing' ? (last?.summary ?? null) : null,
    schedule: describeSchedule(schedule),
    everyMs: schedule.kind === 'every' ? schedule.ms : null,
    minScore,
    lastRun: last === null ? null : pipelineRun(last),
    nextRunAt,
    counts,
    sources,
    destinations,
    userId,
  };
}

function stateOf(last: Awaited<ReturnType<RunStore['last']>>, enabled: boolean): PipelineStatus['state'] {
  if (last?.outcome === 'running') return 'running';
  if (!enabled) return 'paused';
  return last?.outcome === 'failed' ? 'failing' : 'idle';
}

function pipelineRun(row: NonNullable<Awaited<ReturnType<RunStore['last']>>>): PipelineRun {
  const { startedAt, endedAt, summary, counts } = row;
  const outcome = row.outcome === 'stopped' ? 'partly' : row.outcome;
  return { startedAt, endedAt, outcome, detail: summary, numbers: counts };
}

async function itemExplanation(
  pipeline: Pipeline | undefined,
  key: ItemKey,
  viewer: Viewer,
  { entries: reader }: NewsroomDependencies,
): Promise<ItemExplanation | null> {
  const found = await pipeline?.ledger.find(key);
  if (pipeline === undefined || found == null) return null;
  const [entries, messages, sightings, shown] = await Promise.all([
    pipeline.ledger.history(key),
    pipeline.outbox.ofItem(key),
    pipeline.ledger.sightings(key),
    reader.findByKeys([key]),
  ]);
  const { kind } = pipeline;
  const why = shown.get(key)?.storyReason ?? null;
  const story = why === null || viewer === 'owner' ? why : withoutPerson(why);
  const item = viewer === 'owner' ? found : publicItem(found, kind);
  const history = viewer === 'owner' ? entries : entries.map((entry) => publicEntry(entry, kind));
  const deliveries = viewer === 'owner' ? messages : messages.map(publicDelivery);
  return {
    pipeline: pipeline.id,
    item,
    history,
    deliveries,
    alsoSeenIn: otherSources(item, sightings),
    story,
    told: explainItem({ item, history, deliveries, sightings, story }),
  };
}

async function whyOf(
  { id, name, kind, ledger }: Pipeline,
  key: ItemKey,
  viewer: Viewer,
  { config }: NewsroomDependencies,
): Promise<Why | null> {
  const found = await ledger.find(key);
  if (found === null) return null;
  const item = viewer === 'owner' ? found : publicItem(found, kind);
  const settings = Object.hasOwn(config.pipelines, id) ? config.pipelines[id] : undefined;
  const { state, reason, detail, verdict } = item;
  const { score = null, summary = null, mentions, learned } = verdict ?? {};
  const counted = mentions !== undefined && detail === verdict?.reason ? { mentions } : {};
  const minScore = verdict?.minScore ?? (settings?.kind === 'curate' ? settings.minRelevanceScore : null);
  const text = explainStatus(item, minScore);
  return {
    pipeline: id,
    pipelineName: name,
    state,
    reason,
    score,
    minScore,
    detail,
    ...counted,
    ...(learned !== undefined && { learned }),
    text,
    summary,
  };
}

function otherSources(item: Item, sightings: readonly RecordedSighting[]): string[] {
  return [...new Set(sightings.map(({ sourceName }) => sourceName))].filter(
    (name) => name !== item.sourceName,
  );
}

/** Messages of all pipelines in one feed, newest first. */
async function atomFeedFor(
  id: string,
  { info, config, pipelines }: NewsroomDependencies,
): Promise<string | null> {
  const settings = Object.hasOwn(config.publishers, id) ? config.publishers[id] : undefined;
  if (settings?.kind !== 'atom') return null;
  const { entries, title = `${info.name}: ${id}` } = settings;
  const pages = await Promise.all(
    [...pipelines.values()]
      .filter(({ destinations }) => destinations.includes(id))
      .map(({ outbox }) => outbox.list({ destination: id, states: ['sent'], limit: entries })),
  );
  const deliveries = pages.flatMap((page) => page.deliveries);
  const path = `/feeds/${id}.atom`;
  const { address } = config.server;
  const self = address === undefined ? path : new URL(path, address).href;
  return atomFeed(deliveries, { id, title, author: info.name, self, entries });
}

type PipelineKind = PipelineStatus['kind'];

/** Notes that guests may see; others, such as the output of a processor, are for owners. */
const PUBLIC_NOTES = ['source', 'destination', 'outcome'];

/**
 * Reasons and steps whose detail comes from a verdict or from the program itself. The detail of any other may quote a judge's
 * server, a destination, a web server or a person.
 */
const PUBLIC_REASONS: readonly Reason[] = [
  'none',
  'low_relevance',
  'no_topic_match',
  'not_valuable',
  'not_ready',
  'not_chosen',
  'same_story',
  'first_contact',
];
const PUBLIC_STEPS = ['accept', 'publish', 'reject', 'defer', 'postpone'];

/** Steps by people, and the admission from a source; others name a worker and its host. */
const PUBLIC_ACTORS = ['admit', 'requeue', 'markSent', 'drop'];

/** An item without texts from processors and servers. */
export function publicItem<T extends Pick<Item, 'detail' | 'reason'> & Partial<Pick<Item, 'verdict'>>>(
  item: T,
  kind: PipelineKind,
): T {
  const shown = kind !== 'process' && PUBLIC_REASONS.includes(item.reason) ? item : { ...item, detail: null };
  const { verdict } = shown;
  if (verdict?.learned === undefined) return shown;
  // What people of the newsroom like is not for everybody.
  const { learned: _, ...own } = verdict;
  return { ...shown, verdict: own };
}

export function publicEntry(entry: HistoryEntry, kind: PipelineKind): HistoryEntry {
  const notes = Object.entries(entry.notes).filter(([name]) => PUBLIC_NOTES.includes(name));
  const { event, who } = entry;
  const { detail, verdict } = publicItem(entry, kind);
  return {
    ...entry,
    ...(verdict !== undefined && { verdict }),
    detail: PUBLIC_STEPS.includes(event) ? detail : null,
    who: PUBLIC_ACTORS.includes(event) ? who : null,
    notes: Object.fromEntries(notes),
  };
}

/** A delivery without the response of the destination. */
export function publicDelivery(delivery: Delivery): Delivery {
  return { ...delivery, detail: null };
}

/** A pipeline without the error of a failed run. */
export function publicPipeline(status: PipelineStatus): PipelineStatus {
  const { lastRun } = status;
  return {
    ...status,
    detail: null,
    lastRun: lastRun?.outcome === 'failed' ? { ...lastRun, detail: null } : lastRun,
  };
}

/** A source without any part of its URL that may be a secret. Its state contains that URL as well. */
export function publicSource(source: SourceStatus): SourceStatus {
  const { url, record } = source;
  return {
    ...source,
    url: url === null ? null : publicUrl(url),
    record: record && {
      ...record,
      memory: {},
      movedTo: record.movedTo === null ? null : publicUrl(record.movedTo),
      lastTrouble: record.lastTrouble && {
        ...record.lastTrouble,
        detail: record.lastTrouble.detail.replaceAll(/https?:\/\/[^\s"'<>)]+/g, redactUrl),
      },
    },
  };
}

/** The URL if it cannot contain a secret; otherwise only its origin, which is still usable as a link. */
function publicUrl(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  return redactUrl(url) === parsed.href ? url : `${parsed.origin}/`;
}
