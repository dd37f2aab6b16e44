import type { AccountStore } from '../auth/account-store.ts';
import type { RevocationList } from '../auth/revocations.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import type { LifecyclePolicy } from '../item/lifecycle.ts';
import type { JudgeStores } from '../judge/judge-stores.ts';
import type { ReactionStore } from '../learning/reaction-store.ts';
import type { CountsLog } from '../ledger/counts-log.ts';
import type { ItemStore, Ledger } from '../ledger/ledger.ts';
import type { MessageStore, Outbox } from '../outbox/outbox.ts';
import type { PublishingStores } from '../outbox/publishing-stores.ts';
import type { RestoredPeriod } from '../outbox/restored-backup.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import type { PipelineSettingsStore } from '../pipelines/pipeline-settings-store.ts';
import type { Queue } from '../queue/queue.ts';
import type { EntryStore } from '../reader/entry-store.ts';
import type { ReaderEvents } from '../reader/reader-events.ts';
import type { StoryEditStore } from '../same-story/story-edit-store.ts';
import type { LeaseStore } from '../scheduler/lease.ts';
import type { RunStore } from '../scheduler/run-store.ts';
import type { SocialStore } from '../social/social-store.ts';
import type { SourceIconStore } from '../sources/icons/source-icon-store.ts';
import type { SourceStore } from '../sources/source.ts';
import type { SourceCatalogueStore } from '../sources/source-catalogue-store.ts';
import type { StoryStore } from '../stories/story-store.ts';
import { backoff } from '../time/retry.ts';
import type { ChangeFeed } from '../timelines/change-feed.ts';
import type { TimelineBackend } from '../timelines/timeline-service.ts';

/** All stores of the program. There are two engines: files on this machine, and services that replicas share. */
export interface Engine extends AsyncDisposable {
  readonly kind: 'embedded' | 'distributed';
  /** The period without records, because a backup was restored. */
  readonly restored: RestoredPeriod | null;
  readonly runs: RunStore;
  /** Exclusive rights among replicas. */
  readonly leases: LeaseStore;
  readonly countsLog: CountsLog;
  readonly pipelineSettings: PipelineSettingsStore;
  readonly sources: SourceStore;
  /** The sources that people added or changed. */
  readonly sourceCatalogue: SourceCatalogueStore;
  readonly sourceIcons: SourceIconStore;
  /** The articles of all sources, for people. */
  readonly entries: EntryStore;
  /** What people reacted to. */
  readonly reactions: ReactionStore;
  /** What people decided about stories. */
  readonly storyEdits: StoryEditStore;
  readonly social: SocialStore;
  /** The change feed of `social`. */
  readonly changes: ChangeFeed;
  readonly accounts: AccountStore;
  readonly timelines: TimelineBackend & {
    /** Revoked tokens, shared by replicas. */
    readonly revocations?: RevocationList;
    /** Events for the open pages of all replicas. */
    readonly readerEvents?: ReaderEvents;
  };
  /** Stores that judges share between runs and replicas; opened at the first call. */
  judgeStores(): Promise<JudgeStores>;
  /** Counters and edits that pipelines and replicas share; opened at the first call. */
  publishingStores(): Promise<PublishingStores>;
  /** Today's usage of the store and the free tier, if it is billed (A19). */
  usageToday?(): Promise<StoreUsage>;
  /** The stories of one set; opened at the first call. */
  storyStore(set: string): Promise<StoryStore>;
  /** Measures the usage of some work, if the store is billed. */
  measureUsage?<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly used: UsageCounts }>;
  /** Refuses data of a newer program, and records this version; files are checked before they are opened. */
  claimFormat?(program: string): Promise<void>;
  /** Call it when the program stops: limits all further calls to the store to this time. */
  stopWithin?(ms: number): void;
  /** The queue of a process pipeline. */
  queueFor(pipeline: PipelineConfig, ledger: Ledger): Promise<Queue>;
  /** The stores of one pipeline: its items and its outbox, which change atomically. The signal aborts the opening. */
  pipelineStores(pipeline: PipelineConfig, signal?: AbortSignal): Promise<PipelineStores>;
}

/** Documents read, written and deleted. */
export interface StoreUsage {
  readonly used: UsageCounts;
  readonly free: UsageCounts;
}

export interface UsageCounts {
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
}

/** The stores of a pipeline: a ledger with claims and an outbox, or a curator store that has neither. */
export type PipelineStores = LedgerStores | CuratorStores;

export interface LedgerStores {
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly policy: LifecyclePolicy;
  /** Imports items that another program sharing the database recorded or changed; returns how many. */
  adopt?(signal?: AbortSignal): Promise<number>;
}

export interface CuratorStores {
  readonly ledger: ItemStore;
  readonly outbox: MessageStore;
  readonly curator: CuratorStore;
  readonly policy: LifecyclePolicy;
}

/** The ledger of a pipeline that works with claims. */
export function claimsOf(stores: PipelineStores): Ledger {
  if ('curator' in stores) throw new Error('The store of this pipeline has no claims.');
  return stores.ledger;
}

/** Retry limit and backoff of a pipeline's items (B11, B13, D9). */
export function lifecyclePolicyOf({
  retryLimit,
  backoff: { first, most, factor },
}: PipelineConfig): LifecyclePolicy {
  return {
    retryLimit,
    backoff: (attempts) => backoff(attempts, { baseMs: first, capMs: most, factor }),
  };
}
