import type { ItemKey } from '../../item/item.ts';
import type { CountsEntry } from '../../ledger/counts-log.ts';
import type { DeliveryFilter, DeliveryPage } from '../../outbox/outbox.ts';
import type { Decision, DecisionResult } from '../../pipelines/decide-item.ts';
import type { AliasChange, AliasOutcome, InterestWords } from '../../pipelines/live-interests.ts';
import type { PipelineSettingsChange, PipelineSettingsReport } from '../../pipelines/pipeline-settings.ts';
import type { InterestsReport } from '../../pipelines/suggest-aliases.ts';
import type { Jobs } from '../../scheduler/jobs.ts';
import type { EntryRetentionChange, EntryRetentionReport } from '../../scheduler/retention-settings.ts';
import type { RunRecord } from '../../scheduler/run-store.ts';
import type { SourceEditing } from '../../sources/source-editing.ts';

/** Actions and views of the owner. Created in `src/app/app.ts`. */
export interface ControlRoom {
  readonly jobs: Jobs;
  readonly sources: SourceEditing;
  /** `null`: unknown pipeline. */
  pipelineSettings(pipeline: string): Promise<PipelineSettingsReport | null>;
  /** In force without a restart. Returns the settings afterwards; `null`: unknown pipeline. */
  changePipelineSettings(
    pipeline: string,
    change: PipelineSettingsChange,
    who: string,
  ): Promise<PipelineSettingsReport | null>;
  /** The interests of a curator, with proposals of aliases. `null`: no such pipeline, or one without interests. */
  interests(pipeline: string): Promise<InterestsReport | null>;
  /** Accepts or refuses aliases, in force at the next run. `null`: no such pipeline, or one without interests. */
  decideAliases(
    pipeline: string,
    change: AliasChange,
    who: string,
  ): Promise<{ readonly outcome: AliasOutcome; readonly interests: readonly InterestWords[] } | null>;
  entryRetention(): Promise<EntryRetentionReport>;
  /** In force at the next sweep. Returns the limits afterwards. */
  changeEntryRetention(change: EntryRetentionChange, who: string): Promise<EntryRetentionReport>;
  /** All sources in the form of the configuration file. */
  exportSourcesYaml(): Promise<string>;
  /** Starts reading a source now. */
  pollSource(id: string): 'started' | 'paused' | 'unknown';
  /** Lets a person follow a source, whose user is created if necessary; false if that is not possible. */
  followSource(personId: string, sourceId: string): Promise<boolean>;
  /** An owner's decision on an item, and on its messages. */
  decide(pipeline: string, key: ItemKey, decision: Decision, who: string): Promise<DecisionResult>;
  /** `null`: unknown pipeline. Throws a `BadCursorError` for an invalid cursor. */
  deliveries(pipeline: string, filter: DeliveryFilter): Promise<DeliveryPage | null>;
  decideDelivery(
    pipeline: string,
    key: string,
    decision: 'sent' | 'again' | 'drop',
    who: string,
  ): Promise<'done' | 'unknown' | 'refused'>;
  /** Newest first, before a run if one is named. `null`: unknown pipeline. */
  runs(pipeline: string, limit: number, before?: number): Promise<readonly RunRecord[] | null>;
  /** `null`: unknown pipeline. */
  counts(pipeline: string, from: number, to: number): Promise<readonly CountsEntry[] | null>;
  /** The effective configuration, with secrets only by the name of their source. */
  configuration(): { readonly file: string; readonly settings: unknown };
  /** Today's usage of the store with its free quota; `null` for a store without one. */
  storeUsage(): Promise<{ readonly used: StoreUsage; readonly free: StoreUsage } | null>;
}

export interface StoreUsage {
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
}
