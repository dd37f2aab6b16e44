import type { AccountStore } from '../auth/account-store.ts';
import type { RevocationList } from '../auth/revocations.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import type { LifecyclePolicy } from '../item/lifecycle.ts';
import type { JudgeStores } from '../judge/judge-stores.ts';
import type { CountsLog } from '../ledger/counts-log.ts';
import type { ItemStore, Ledger } from '../ledger/ledger.ts';
import type { MessageStore, Outbox } from '../outbox/outbox.ts';
import type { PublishingStores } from '../outbox/publishing-stores.ts';
import type { RestoredPeriod } from '../outbox/restored-backup.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import type { Queue } from '../queue/queue.ts';
import type { LeaseStore } from '../scheduler/lease.ts';
import type { RunStore } from '../scheduler/run-store.ts';
import type { SocialStore } from '../social/social-store.ts';
import type { SourceStore } from '../sources/source.ts';
import type { StoryStore } from '../stories/story-store.ts';
import { backoff as backoffAfter } from '../time/retry.ts';
import type { ChangeFeed } from '../timelines/change-feed.ts';
import type { TimelineBackend } from '../timelines/timeline-service.ts';

/** Where everything is kept. Two of them exist: in files on this machine, and in services that many copies share. */
export interface Engine extends AsyncDisposable {
  readonly kind: 'embedded' | 'distributed';
  /** The time of which nothing is remembered, because a backup was restored. */
  readonly restored: RestoredPeriod | null;
  readonly runs: RunStore;
  /** Who may do what only one copy may do. */
  readonly leases: LeaseStore;
  readonly countsLog: CountsLog;
  readonly sources: SourceStore;
  readonly social: SocialStore;
  /** What is changed in `social`. */
  readonly changes: ChangeFeed;
  readonly accounts: AccountStore;
  readonly timelines: TimelineBackend & {
    /** Where replicas tell each other which tokens were revoked. */
    readonly revocations?: RevocationList;
  };
  /** What judges share between runs and copies; opened at the first call. */
  judgeStores(): Promise<JudgeStores>;
  /** What the press shares between pipelines and copies; opened at the first call. */
  publishingStores(): Promise<PublishingStores>;
  /** What the store was used for today beside what is free, where that is a question (A19). */
  usageToday?(): Promise<StoreUsage>;
  /** The stories of one set; opened at the first call. */
  storyStore(set: string): Promise<StoryStore>;
  /** Does some work and says what it used, where that is a question. */
  measureUsage?<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly used: UsageCounts }>;
  /** The program stops: no call to the store takes longer than this from now on. */
  stopWithin?(ms: number): void;
  /** How the items of a process pipeline reach its workers. */
  queueFor(pipeline: PipelineConfig, ledger: Ledger): Promise<Queue>;
  /** The memory of one pipeline: its items and its outbox, which change together. The signal ends the opening. */
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

/** The memory of a pipeline: items with claims and an outbox, or the store of a curator that has neither. */
export type PipelineStores = LedgerMemory | CuratorMemory;

export interface LedgerMemory {
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly policy: LifecyclePolicy;
  /** Takes in what another program of the same contract recorded or changed since; returns how many items that were. */
  adopt?(signal?: AbortSignal): Promise<number>;
}

export interface CuratorMemory {
  readonly ledger: ItemStore;
  readonly outbox: MessageStore;
  readonly curator: CuratorStore;
  readonly policy: LifecyclePolicy;
}

/** The ledger of a pipeline that works with claims. */
export function claimsOf(memory: PipelineStores): Ledger {
  if ('curator' in memory) throw new Error('The store of this pipeline has no claims.');
  return memory.ledger;
}

/** How long an item waits after each failed attempt, and after how many it counts as failed (B11, B13, D9). */
export function lifecyclePolicyOf({
  retryLimit,
  backoff: { first, most, factor },
}: PipelineConfig): LifecyclePolicy {
  return {
    retryLimit,
    backoff: (attempts) => backoffAfter(attempts, { baseMs: first, capMs: most, factor }),
  };
}
