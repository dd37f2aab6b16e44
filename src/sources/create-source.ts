import type { Config } from '../config/config.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import type { SourceConfig } from '../config/schema/sources.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { RuleSwitches } from '../item/identity.ts';
import { pluginSource } from '../plugins/plugin-source.ts';
import { nextStart, type Schedule } from '../scheduler/schedule.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { HOUR, MINUTE } from '../time/duration.ts';
import { feedSource } from './feed/feed-source.ts';
import { HackerNewsClient } from './hackernews/hackernews-client.ts';
import { hackerNewsSource } from './hackernews/hackernews-source.ts';
import { usesSource } from './pipeline-sources.ts';
import type { PollInterval } from './polling.ts';
import type { Source } from './source.ts';
import type { CatalogueSource, SourceCatalogue } from './source-catalogue.ts';
import type { PolledSource, PolledSources } from './source-reader.ts';
import { YouTubeQuota } from './youtube/data-api.ts';
import { youtubeSource } from './youtube/youtube-source.ts';

/** Default interval of a video check (D4). */
const VIDEO_INTERVAL = 2 * HOUR;
/** Lower bound of the interval that a frequent pipeline gives its sources. */
const MIN_PIPELINE_INTERVAL = MINUTE;

export interface CreateSourceDependencies {
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The enabled sources, ready to be polled; follows the catalogue. */
export class LiveSources implements PolledSources {
  readonly #deps: CreateSourceDependencies & { readonly catalogue: SourceCatalogue };
  /** Channels that share a key share its quota, also across changes. */
  readonly #quotas = new Map<string, YouTubeQuota>();
  #built: { readonly from: readonly CatalogueSource[]; readonly sources: ReadonlyMap<string, BuiltSource> } =
    {
      from: [],
      sources: new Map(),
    };

  constructor(deps: CreateSourceDependencies & { readonly catalogue: SourceCatalogue }) {
    this.#deps = deps;
  }

  get(id: string): PolledSource | undefined {
    return this.#sources().get(id);
  }

  [Symbol.iterator](): Iterator<[string, PolledSource]> {
    return this.#sources().entries();
  }

  #sources(): ReadonlyMap<string, BuiltSource> {
    const from = this.#deps.catalogue.all();
    if (from !== this.#built.from) {
      const on = from.filter(({ settings }) => settings.enabled);
      this.#built = { from, sources: new Map(on.map((each) => [each.settings.id, this.#build(each)])) };
    }
    return this.#built.sources;
  }

  /** An unchanged source is kept; its interval may change with the pipelines that use it. */
  #build(from: CatalogueSource): BuiltSource {
    const { config } = this.#deps;
    const { settings } = from;
    const pipelines = Object.values(config.pipelines).filter((pipeline) => usesSource(pipeline, from));
    const lookBackMs = Math.max(
      0,
      ...pipelines.map((pipeline) => (pipeline.kind === 'process' ? pipeline.lookBack : 0)),
    );
    const before = this.#built.sources.get(settings.id);
    const isUnchanged = before?.from === from && before.lookBackMs === lookBackMs;
    return {
      from,
      lookBackMs,
      source: isUnchanged ? before.source : createSource(settings, this.#deps, this.#quotas, lookBackMs),
      interval: intervalOf(settings, pipelines, this.#deps),
      ...(settings.firstContact !== undefined && { firstContact: settings.firstContact }),
    };
  }
}

interface BuiltSource extends PolledSource {
  readonly from: CatalogueSource;
  /** The look-back window that the process pipelines of a channel ask for. */
  readonly lookBackMs: number;
}

/**
 * The interval of a source: its own setting, or the default of its kind. If one of its pipelines runs more often, the interval
 * is that of the pipeline.
 */
function intervalOf(
  settings: SourceConfig,
  pipelines: readonly PipelineConfig[],
  { config, clock }: CreateSourceDependencies,
): PollInterval {
  const defaultMs = settings.kind === 'youtube' ? VIDEO_INTERVAL : config.polling.every;
  if (settings.every !== undefined) return { ms: settings.every, isFixed: true };
  const ofPipelines = pipelines
    .filter(({ enabled }) => enabled)
    .map(({ schedule }) => Math.max(MIN_PIPELINE_INTERVAL, timeBetweenRuns(schedule, clock.now())));
  const ms = Math.min(defaultMs, ...ofPipelines);
  return { ms, isFixed: ms < defaultMs || settings.kind === 'youtube' };
}

function timeBetweenRuns(schedule: Schedule, now: number): number {
  const next = nextStart(schedule, now);
  const afterNext = next === null ? null : nextStart(schedule, next);
  return next === null || afterNext === null ? Number.POSITIVE_INFINITY : afterNext - next;
}

/** One source, ready to be read. Channels that share a key share its quota through `quotas`. */
export function createSource(
  settings: SourceConfig,
  deps: CreateSourceDependencies,
  quotas: Map<string, YouTubeQuota>,
  minLookBackMs = 0,
): Source {
  const { config, fetcher, clock } = deps;
  const { id } = settings;
  const name = settings.name ?? id;
  switch (settings.kind) {
    case 'feed':
      return feedSource({
        id,
        name,
        url: settings.url,
        fetcher,
        clock,
        identity: settings.identity,
        identityRules: identityRuleSwitches(config),
        maxBytes: config.network.maxFeed,
        ...(settings.language !== undefined && { language: settings.language }),
      });
    case 'youtube':
      return youtubeSource({
        id,
        name,
        channel: settings.channel,
        fetcher,
        clock,
        lookBack: Math.max(settings.lookBack, minLookBackMs),
        shorts: settings.shorts,
        identityRules: identityRuleSwitches(config),
        ...(settings.feedUrl !== undefined && { siteUrl: settings.feedUrl }),
        // Without its key, in a command that does not need it, a channel is read by its public feed.
        ...(settings.key?.isLoaded && { api: dataApiOf(settings, settings.key.reveal(), quotas, clock) }),
      });
    case 'hackernews':
      return hackerNewsSource({
        id,
        name,
        list: settings.list,
        client: new HackerNewsClient({
          fetcher,
          ...(settings.baseUrl !== undefined && { url: settings.baseUrl }),
        }),
        clock,
        siteUrl: settings.siteUrl,
        minPoints: settings.minPoints,
        limit: settings.limit,
        identityRules: identityRuleSwitches(config),
      });
    case 'plugin':
      return pluginSource(id, name, settings.pluginKind, deps);
  }
}

/** Channels that are read with one key share its quota. */
function dataApiOf(
  { quotaPerDay, baseUrl }: Extract<SourceConfig, { kind: 'youtube' }>,
  key: string,
  quotas: Map<string, YouTubeQuota>,
  clock: Clock,
) {
  const quota = quotas.get(key) ?? new YouTubeQuota({ limit: quotaPerDay, clock });
  quotas.set(key, quota);
  return { key, quota, ...(baseUrl !== undefined && { url: baseUrl }) };
}

/** The rules of identity in force (X3). */
function identityRuleSwitches({ identity }: Config): RuleSwitches {
  return Object.fromEntries(identity.off.map((rule) => [rule, false]));
}
