import type { AccountStore } from '../auth/account-store.ts';
import type { SharedRevocations } from '../auth/revocations.ts';
import type { PipelineConfig } from '../config/settle.ts';
import type { LifecyclePolicy } from '../item/lifecycle.ts';
import type { JudgeMemory } from '../judge/judge-memory.ts';
import type { ItemStore, Ledger } from '../ledger/ledger.ts';
import type { CountsLog } from '../pipelines/counts-log.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import type { LeaseStore } from '../pipelines/lease-store.ts';
import type { RestoredPeriod } from '../pipelines/restored.ts';
import type { RunStore } from '../pipelines/run-store.ts';
import type { Outbox, OutboxStore } from '../press/outbox.ts';
import type { PressMemory } from '../press/press-memory.ts';
import type { Queue } from '../queue/queue.ts';
import type { SocialStore } from '../social/services.ts';
import type { SourceStore } from '../sources/source-store.ts';
import type { StoryStore } from '../stories/story-store.ts';
import type { TimelineKeeping } from '../stream/timeline-service.ts';
import { backoff as backoffAfter } from '../time/retry.ts';
import type { ChangeFeed } from '../timelines/change-feed.ts';

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
  readonly timelines: TimelineKeeping & {
    /** Where replicas tell each other which tokens were revoked. */
    readonly revocations?: SharedRevocations;
  };
  /** What judges share between runs and copies; opened at the first call. */
  judgeMemory(): Promise<JudgeMemory>;
  /** What the press shares between pipelines and copies; opened at the first call. */
  pressMemory(): Promise<PressMemory>;
  /** What the store was used for today beside what is free, where that is a question (A19). */
  usageToday?(): Promise<StoreUsage>;
  /** The stories of one set; opened at the first call. */
  storiesOf(set: string): Promise<StoryStore>;
  /** Does some work and says what it used, where that is a question. */
  measured?<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly used: UsageCounts }>;
  /** The program stops: no call to the store takes longer than this from now on. */
  stopWithin?(ms: number): void;
  /** How the items of a process pipeline reach its workers. */
  queueOf(pipeline: PipelineConfig, ledger: Ledger): Promise<Queue>;
  /** The memory of one pipeline: its items and its outbox, which change together. The signal ends the opening. */
  memoryOf(pipeline: PipelineConfig, signal?: AbortSignal): Promise<PipelineMemory>;
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
export type PipelineMemory = LedgerMemory | CuratorMemory;

export interface LedgerMemory {
  readonly ledger: Ledger;
  readonly outbox: OutboxStore;
  readonly policy: LifecyclePolicy;
  /** Takes in what another program of the same contract recorded or changed since; returns how many items that were. */
  adopt?(signal?: AbortSignal): Promise<number>;
}

export interface CuratorMemory {
  readonly ledger: ItemStore;
  readonly outbox: Outbox;
  readonly curator: CuratorStore;
  readonly policy: LifecyclePolicy;
}

/** The ledger of a pipeline that works with claims. */
export function claimsOf(memory: PipelineMemory): Ledger {
  if ('curator' in memory) throw new Error('The store of this pipeline has no claims.');
  return memory.ledger;
}

/** How long an item waits after each failed attempt, and after how many it counts as failed (B11, B13, D9). */
export function policyOf({ retryLimit, backoff: { first, most, factor } }: PipelineConfig): LifecyclePolicy {
  return {
    retryLimit,
    backoff: (attempts) => backoffAfter(attempts, { baseMs: first, capMs: most, factor }),
  };
}
