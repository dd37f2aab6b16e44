import type { Config } from '../config/config.ts';
import type { Item, ItemKey } from '../item/item.ts';
import type { Sighted } from '../ledger/ledger.ts';
import { tellLife } from '../ledger/tell-life.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { RunStore } from '../pipelines/run-store.ts';
import { atomFeed } from '../press/atom/feed.ts';
import type {
  ItemExplanation,
  Newsroom,
  NewsroomInfo,
  PipelineRun,
  PipelineStatus,
  Viewer,
} from '../server/newsroom.ts';
import type { SocialStore } from '../social/services.ts';
import type { TimelineService } from '../stream/timeline-service.ts';
import type { Clock } from '../time/clock.ts';
import type { Judges } from './judges.ts';
import { publicDelivery, publicEntry, publicItem, publicPipeline, publicSource } from './public-view.ts';
import { liveness, type ReadinessParts, readiness } from './readiness.ts';
import { sourceStatuses } from './source-status.ts';
import type { Stories } from './stories.ts';

export interface NewsroomParts extends Omit<ReadinessParts, 'timelines' | 'social'> {
  readonly social: SocialStore;
  readonly info: NewsroomInfo;
  readonly config: Config;
  readonly runs: RunStore;
  readonly judges: Pick<Judges, 'spend'>;
  readonly clock: Clock;
  readonly timelines: TimelineService;
  readonly metrics: () => Promise<string>;
  /** `null` where the configuration does not ask for stories. */
  readonly stories: Stories | null;
  /** The user that a source is; `null` where it is not known. */
  readonly sourceUser: (sourceId: string) => string | null;
}

/** The running parts as the server sees them. */
export function newsroomOf(parts: NewsroomParts): Newsroom {
  const { info, pipelines, timelines } = parts;
  return {
    info,
    timelines: timelines.timelines,
    streams: timelines.streams,
    social: parts.social,
    pipelines: async (viewer) => {
      const all = await Promise.all(
        [...pipelines.values()].map((pipeline) => statusOf(pipeline, parts.runs)),
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
    explain: async (id, key, viewer) => explain(pipelines.get(id), key, viewer),
    sources: async (viewer) => {
      const sources = await sourceStatuses(parts);
      return viewer === 'owner' ? sources : sources.map(publicSource);
    },
    judges: () => parts.judges.spend(),
    ...(parts.stories !== null && { stories: parts.stories.desk }),
    feed: (id) => feedOf(id, parts),
    metrics: parts.metrics,
    readiness: () => readiness({ ...parts, timelines: timelines.timelines }),
    liveness: () => liveness(parts),
  };
}

async function statusOf(pipeline: Pipeline, runs: RunStore): Promise<PipelineStatus> {
  const [last, counts, nextRunAt] = await Promise.all([
    runs.last(pipeline.id),
    pipeline.ledger.counts(),
    pipeline.nextRunAt(),
  ]);
  const { id, name, kind, sources, destinations, userId } = pipeline;
  const state = last?.outcome === 'running' ? 'running' : last?.outcome === 'failed' ? 'failing' : 'idle';
  return {
    id,
    name,
    kind,
    state,
    detail: state === 'failing' ? (last?.summary ?? null) : null,
    schedule: pipeline.scheduleText,
    lastRun: last === null ? null : runOf(last),
    nextRunAt,
    counts,
    sources,
    destinations,
    userId,
  };
}

function runOf(row: NonNullable<Awaited<ReturnType<RunStore['last']>>>): PipelineRun {
  const { startedAt, endedAt, summary, counts } = row;
  const outcome = row.outcome === 'stopped' ? 'partly' : row.outcome;
  return { startedAt, endedAt, outcome, detail: summary, numbers: counts };
}

async function explain(
  pipeline: Pipeline | undefined,
  key: ItemKey,
  viewer: Viewer,
): Promise<ItemExplanation | null> {
  const found = await pipeline?.ledger.find(key);
  if (pipeline === undefined || found == null) return null;
  const [entries, messages, sightings] = await Promise.all([
    pipeline.ledger.history(key),
    pipeline.outbox.ofItem(key),
    pipeline.ledger.sightings(key),
  ]);
  const { kind } = pipeline;
  const item = viewer === 'owner' ? found : publicItem(found, kind);
  const history = viewer === 'owner' ? entries : entries.map((entry) => publicEntry(entry, kind));
  const deliveries = viewer === 'owner' ? messages : messages.map(publicDelivery);
  return {
    pipeline: pipeline.id,
    item,
    history,
    deliveries,
    alsoSeenIn: sourcesBeside(item, sightings),
    told: tellLife({ item, history, deliveries, sightings }),
  };
}

function sourcesBeside(item: Item, sightings: readonly Sighted[]): string[] {
  return [...new Set(sightings.map(({ sourceName }) => sourceName))].filter(
    (name) => name !== item.sourceName,
  );
}

/** What all pipelines said in one feed, the newest first. */
async function feedOf(id: string, { info, config, pipelines }: NewsroomParts): Promise<string | null> {
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
