import type { ItemKey } from '../../item/item.ts';
import type { CountsEntry } from '../../ledger/counts-log.ts';
import type { DeliveryFilter, DeliveryPage } from '../../outbox/outbox.ts';
import type { Decision, DecisionResult } from '../../pipelines/decide-item.ts';
import type { Jobs } from '../../scheduler/jobs.ts';
import type { RunRecord } from '../../scheduler/run-store.ts';
import type { SourceEditing } from '../../sources/source-editing.ts';

/** What the owner can do beyond looking. `src/app/app.ts` makes one of the running parts. */
export interface ControlRoom {
  readonly jobs: Jobs;
  readonly sources: SourceEditing;
  /** A person's decision on an item, and on its messages. */
  decide(pipeline: string, key: ItemKey, decision: Decision, who: string): Promise<DecisionResult>;
  /** `null`: there is no such pipeline. A bad cursor is a `BadCursorError`. */
  deliveries(pipeline: string, filter: DeliveryFilter): Promise<DeliveryPage | null>;
  decideDelivery(
    pipeline: string,
    key: string,
    decision: 'sent' | 'again' | 'drop',
    who: string,
  ): Promise<'done' | 'unknown' | 'refused'>;
  /** Newest first, those before a run where one is named. `null`: there is no such pipeline. */
  runs(pipeline: string, limit: number, before?: number): Promise<readonly RunRecord[] | null>;
  /** `null`: there is no such pipeline. */
  counts(pipeline: string, from: number, to: number): Promise<readonly CountsEntry[] | null>;
  /** The configuration as it is in force, secrets only by the name of their place. */
  configuration(): { readonly file: string; readonly settings: unknown };
  /** What the store was used for today, beside what is free; `null` where that is no question. */
  storeUsage(): Promise<{ readonly used: StoreUsage; readonly free: StoreUsage } | null>;
}

export interface StoreUsage {
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
}
