import type { Config } from '../config/config.ts';
import type { SourceConfig } from '../config/schema/sources.ts';
import type { Clock } from '../time/clock.ts';
import { usesSource } from './pipeline-sources.ts';
import type { SourceRecord, SourceState, SourceStore } from './source.ts';
import type { CatalogueSource, SourceCatalogue } from './source-catalogue.ts';
import { nextPacificMidnight, pacificDay } from './youtube/data-api.ts';

export interface SourceStatus {
  readonly id: string;
  readonly name: string;
  /** `feed`, `youtube`, `hackernews` or a kind of a plugin. */
  readonly kind: string;
  /** A disabled source is not read. */
  readonly enabled: boolean;
  /** Its address, for people, without secrets; `null` if there is no single one. */
  readonly url: string | null;
  /** Where it was added; one of the configuration file can be removed only there. */
  readonly origin: CatalogueSource['origin'];
  /** Its folder, outermost name first. */
  readonly folders: readonly string[];
  /** IDs of the pipelines that use it. */
  readonly pipelines: readonly string[];
  /** Those among them that it was assigned to, besides those whose configuration names it or its folder. */
  readonly assignedPipelines: readonly string[];
  /** When it is polled next; `null` if it is paused, or was never read. */
  readonly nextAt: number | null;
  /** What identifies its items and why; `null` before that is decided, and for sources with IDs (X19). */
  readonly identity: { readonly by: string; readonly certain: boolean; readonly why: string } | null;
  /** Units that its API key has used today, for all channels; `null` if there is no key (D12). */
  readonly quota: { readonly used: number; readonly limit: number; readonly resetsAt: number } | null;
  /** `null` before the first reading. */
  readonly record: SourceRecord | null;
  /** The user to follow for all its news; `null` if it cannot be followed. */
  readonly userId: string | null;
}

export interface SourceStatusDependencies {
  readonly config: Pick<Config, 'pipelines'>;
  readonly catalogue: Pick<SourceCatalogue, 'all'>;
  readonly sources: SourceStore;
  readonly clock: Clock;
  /** The user of a source; `null` if it is not known. */
  readonly sourceUser: (sourceId: string) => string | null;
}

/** Every source with its record, in the order of the catalogue. */
export async function sourceStatuses({
  config,
  catalogue,
  sources,
  clock,
  sourceUser,
}: SourceStatusDependencies): Promise<SourceStatus[]> {
  const records = new Map((await sources.list()).map((record) => [record.sourceId, record]));
  return catalogue.all().map((listed) => {
    const { settings: source, origin, assignedPipelines } = listed;
    const record = records.get(source.id) ?? null;
    return {
      id: source.id,
      name: source.name ?? source.id,
      kind: kindOf(source),
      enabled: source.enabled,
      url: source.kind === 'feed' ? source.url : null,
      origin,
      folders: source.folders ?? [],
      pipelines: Object.values(config.pipelines)
        .filter((pipeline) => usesSource(pipeline, listed))
        .map((pipeline) => pipeline.id),
      assignedPipelines,
      nextAt: source.enabled ? (record?.nextAt ?? null) : null,
      identity: identityOf(record?.memory ?? {}),
      quota: quotaOf(source, catalogue.all(), records, clock.now()),
      // Internal hashes.
      record: record && { ...record, reported: null },
      userId: sourceUser(source.id),
    };
  });
}

/** The kind of a source, for people. */
export function kindOf(source: SourceConfig): string {
  return source.kind === 'plugin' ? source.pluginKind : source.kind;
}

function identityOf({ identity, identityCertain, identityWhy }: SourceState): SourceStatus['identity'] {
  if (typeof identity !== 'string') return null;
  return { by: identity, certain: identityCertain === true, why: String(identityWhy ?? '') };
}

/** Quota of an API key, which its channels share (D12). */
function quotaOf(
  source: SourceConfig,
  all: readonly CatalogueSource[],
  records: ReadonlyMap<string, SourceRecord>,
  now: number,
): SourceStatus['quota'] {
  const key = apiKeyId(source);
  if (source.kind !== 'youtube' || key === null) return null;
  const today = pacificDay(now);
  const used = all
    .filter(({ settings }) => apiKeyId(settings) === key)
    .map(({ settings }) => records.get(settings.id)?.memory)
    .filter((state) => state?.quotaDay === today)
    .reduce((sum, state) => sum + Number(state?.quotaUsed ?? 0), 0);
  return { used, limit: source.quotaPerDay, resetsAt: nextPacificMidnight(now) };
}

function apiKeyId(source: SourceConfig): string | null {
  return source.kind === 'youtube' && source.key !== undefined ? JSON.stringify(source.key.place) : null;
}
