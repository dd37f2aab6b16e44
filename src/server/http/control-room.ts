import type { ItemKey } from '../../item/item.ts';
import type { CountsEntry } from '../../ledger/counts-log.ts';
import type { DeliveryFilter, DeliveryPage } from '../../outbox/outbox.ts';
import type { RunRecord } from '../../scheduler/run-store.ts';

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

export interface Decision {
  readonly kind: 'retry' | 'park' | 'sent' | 'drop';
  readonly because?: string;
}

export type DecisionResult =
  | { readonly done: true; readonly state: string; readonly messages: number }
  | { readonly done: false; readonly why: 'unknown' }
  | { readonly done: false; readonly why: 'refused'; readonly detail: string };

/** Runs that were started by hand and are under way, or ended a while ago. */
export interface Jobs {
  start(pipeline: string, options: JobOptions, who: string): 'unknown' | 'busy' | Job;
  find(id: string): Job | null;
  /** Newest first. */
  list(): readonly Job[];
  /** False where there is nothing to stop. */
  stop(id: string): boolean;
}

export interface JobOptions {
  /** Show what a run would do; write and send nothing. */
  readonly dryRun: boolean;
  /** Read the pipeline's sources first, also those that are not due. */
  readonly fresh: boolean;
}

export interface Job {
  readonly id: string;
  readonly pipeline: string;
  readonly dryRun: boolean;
  readonly startedBy: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly state: 'running' | 'done' | 'refused' | 'failed' | 'stopped';
  readonly progress: { readonly stage: 'sources' | 'items'; readonly done: number } | null;
  /** A sentence where it did not end well. */
  readonly detail: string | null;
  readonly report: unknown;
  /** Of a dry run: the messages as they would be sent. */
  readonly messages: readonly { readonly destination: string; readonly body: string }[];
}

/** Changes of the configuration file. What runs takes them up at its next start. */
export interface SourceEditing {
  preview(address: string, signal: AbortSignal): Promise<SourcePreview>;
  add(ask: SourceAddition, signal: AbortSignal): Promise<EditResult<{ readonly id: string }>>;
  setEnabled(id: string, on: boolean): Promise<EditResult<{ readonly changed: boolean }>>;
  remove(id: string): Promise<EditResult<{ readonly pipelines: readonly string[] }>>;
  exportOpml(): Promise<string>;
  importOpml(
    text: string,
    options: { readonly pipeline?: string; readonly dryRun: boolean },
  ): Promise<OpmlImport>;
}

export type OpmlImport = EditResult<{
  readonly added: readonly { readonly id: string; readonly url: string }[];
  readonly known: number;
  readonly skipped: number;
}>;

export type EditResult<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly why: 'unknown' | 'refused' | 'unreachable'; readonly detail: string };

export interface SourceAddition {
  readonly address: string;
  readonly name?: string;
  readonly pipelines: readonly string[];
  /** Even if it cannot be read now. */
  readonly anyway: boolean;
}

/** What an address may mean: usually one thing, several where a page names several feeds. */
export type SourcePreview =
  | { readonly ok: true; readonly candidates: readonly SourceCandidate[] }
  | { readonly ok: false; readonly detail: string };

export interface SourceCandidate {
  /** To be added by. */
  readonly address: string;
  readonly title: string | null;
  /** ID of a source that is the same. */
  readonly known: string | null;
  readonly identity: { readonly by: string; readonly why: string } | null;
  /** Why it cannot be read, in words; `null` where it can. */
  readonly trouble: string | null;
  /** The newest. */
  readonly items: readonly {
    readonly title: string;
    readonly url: string;
    readonly publishedAt: number;
  }[];
  readonly warnings: readonly string[];
}
