import type { Config } from '../config/config.ts';
import type { SourceConfig } from '../config/schema/sources.ts';

import type { Clock } from '../time/clock.ts';
import type { SourceRecord, SourceState, SourceStore } from './source.ts';
import { nextPacificMidnight, pacificDay } from './youtube/data-api.ts';

export interface SourceStatus {
  readonly id: string;
  readonly name: string;
  readonly kind: 'feed' | 'youtube' | 'hackernews';
  /** One that is switched off is not read. */
  readonly enabled: boolean;
  /** Where it is, for people; `null` where there is no single address. No secret in it. */
  readonly url: string | null;
  /** IDs of the pipelines that read it. */
  readonly pipelines: readonly string[];
  /** What tells its items apart and why that was decided; `null` before it was, and where the source has IDs (X19). */
  readonly identity: { readonly by: string; readonly certain: boolean; readonly why: string } | null;
  /** What the key that it is read with has used today, by all its channels; `null` where there is no key (D12). */
  readonly quota: { readonly used: number; readonly limit: number; readonly resetsAt: number } | null;
  /** `null` before the first reading. */
  readonly record: SourceRecord | null;
  /** The user whom one follows to see all that is new in it; `null` where it cannot be followed. */
  readonly userId: string | null;
}

export interface SourceStatusParts {
  readonly config: Config;
  readonly sources: SourceStore;
  readonly clock: Clock;
  /** The user that a source is; `null` where it is not known. */
  readonly sourceUser: (sourceId: string) => string | null;
}

/** Every source of the configuration with what is remembered of it, in the order of the file. */
export async function sourceStatuses({
  config,
  sources,
  clock,
  sourceUser,
}: SourceStatusParts): Promise<SourceStatus[]> {
  const records = new Map((await sources.list()).map((record) => [record.sourceId, record]));
  return Object.values(config.sources).map((source) => {
    const record = records.get(source.id) ?? null;
    return {
      id: source.id,
      name: source.name ?? source.id,
      kind: source.kind,
      enabled: source.enabled,
      url: source.kind === 'feed' ? source.url : null,
      pipelines: Object.values(config.pipelines)
        .filter((pipeline) => pipeline.sources.includes(source.id))
        .map((pipeline) => pipeline.id),
      identity: identityOf(record?.memory ?? {}),
      quota: quotaOf(source, config, records, clock.now()),
      // Hashes for the program alone.
      record: record && { ...record, reported: null },
      userId: sourceUser(source.id),
    };
  });
}

function identityOf({ identity, identityCertain, identityWhy }: SourceState): SourceStatus['identity'] {
  if (typeof identity !== 'string') return null;
  return { by: identity, certain: identityCertain === true, why: String(identityWhy ?? '') };
}

/** Of the key: channels that are read with one key share what it may use (D12). */
function quotaOf(
  source: SourceConfig,
  config: Config,
  records: ReadonlyMap<string, SourceRecord>,
  now: number,
): SourceStatus['quota'] {
  const key = apiKeyId(source);
  if (source.kind !== 'youtube' || key === null) return null;
  const today = pacificDay(now);
  const used = Object.values(config.sources)
    .filter((other) => apiKeyId(other) === key)
    .map(({ id }) => records.get(id)?.memory)
    .filter((memory) => memory?.quotaDay === today)
    .reduce((sum, memory) => sum + Number(memory?.quotaUsed ?? 0), 0);
  return { used, limit: source.quotaPerDay, resetsAt: nextPacificMidnight(now) };
}

function apiKeyId(source: SourceConfig): string | null {
  return source.kind === 'youtube' && source.key !== undefined ? JSON.stringify(source.key.place) : null;
}
