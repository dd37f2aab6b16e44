import type { Item, ItemKey } from '../../item/item.ts';
import type { JudgeSpend } from '../../judge/judge.ts';
import type { HistoryEntry, ItemFilter, ItemPage, LedgerCounts } from '../../ledger/ledger.ts';
import type { Delivery } from '../../outbox/outbox.ts';
import type { Liveness, Readiness } from '../../scheduler/health.ts';
import type { SocialStore } from '../../social/social-store.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import type { StorySets } from '../../stories/story-sets.ts';
import type { TimelineStreams } from '../../timelines/streams.ts';
import type { TimelineReader } from '../../timelines/timeline-store.ts';

/** All that the server knows of the program behind it. `src/app/app.ts` makes one of the running parts; tests make their own. */
export interface Newsroom {
  readonly info: NewsroomInfo;
  /** Timelines in pages, and live. `startEmbeddedTimelines` makes both. */
  readonly timelines: TimelineReader;
  readonly streams: TimelineStreams;
  /** People, follows and drops; what is written here reaches the timelines. */
  readonly social: Omit<SocialStore, keyof AsyncDisposable>;

  /** In the order of the configuration. */
  pipelines(viewer: Viewer): Promise<readonly PipelineStatus[]>;
  /** `null`: there is no such pipeline. A bad cursor is a `BadCursorError`. */
  items(pipeline: string, filter: ItemFilter, viewer: Viewer): Promise<ItemPage | null>;
  /** Everything that is known of one item; `null` where the pipeline or the item is not there. */
  explain(pipeline: string, key: ItemKey, viewer: Viewer): Promise<ItemExplanation | null>;
  sources(viewer: Viewer): Promise<readonly SourceStatus[]>;
  /** What each remote judge has spent, beside its limits (X9), and its last trouble. The local judge spends nothing and is not among them. */
  judges(): Promise<readonly JudgeSpend[]>;
  /** Ranked lists of stories; absent where nobody asked for them. */
  readonly stories?: Pick<StorySets, 'sets' | 'pageSize' | 'find' | 'page' | 'hide' | 'unhide' | 'hidden'>;
  /** The text of `/feeds/<id>.atom`; `null` where there is no such publisher. */
  feed(id: string): Promise<string | null>;

  /** The text of `/metrics`, in Prometheus' format. */
  metrics(): Promise<string>;
  /** Whether requests can be served; each part by name with a sentence where it cannot. */
  readiness(): Promise<Readiness>;
  /** Whether it goes on at all; where absent, whoever answers is alive. */
  liveness?(): Liveness;
}

/**
 * For whom something is shown: feed addresses with their secrets, what processors printed and what servers answered are
 * for owners alone.
 */
export type Viewer = 'owner' | 'everybody';

export interface NewsroomInfo {
  /** The newsroom's own name, shown in the masthead's second line. */
  readonly name: string;
  readonly version: string;
  readonly engine: 'embedded' | 'distributed';
  /** It runs the sample configuration on the simulator. */
  readonly sample: boolean;
  readonly startedAt: number;
}

export interface PipelineStatus {
  readonly id: string;
  readonly name: string;
  readonly kind: 'curate' | 'summarise' | 'process';
  readonly state: PipelineState;
  /** The state in words where there is something to say: what failed, what it waits for. */
  readonly detail: string | null;
  /** As configured: a cron expression or an interval; `null` where it runs only by hand. */
  readonly schedule: string | null;
  readonly lastRun: PipelineRun | null;
  readonly nextRunAt: number | null;
  readonly counts: LedgerCounts;
  /** IDs of the sources that it reads and of the destinations that it posts to. */
  readonly sources: readonly string[];
  readonly destinations: readonly string[];
  /** ID of its user: the author of its drops; `null` where it posts to no timeline. */
  readonly userId: string | null;
}

export type PipelineState = 'running' | 'idle' | 'paused' | 'failing';

export interface PipelineRun {
  readonly startedAt: number;
  /** `null` while it runs. */
  readonly endedAt: number | null;
  readonly outcome: 'running' | 'done' | 'partly' | 'failed';
  readonly detail: string | null;
  /** What it did, by the words of the pipeline: `{ admitted: 12, published: 2 }`. */
  readonly numbers: Readonly<Record<string, number>>;
}

export interface ItemExplanation {
  readonly pipeline: string;
  readonly item: Item;
  /** Oldest first. */
  readonly history: readonly HistoryEntry[];
  readonly deliveries: readonly Delivery[];
  /** Names of the other sources that carried it. */
  readonly alsoSeenIn: readonly string[];
  /** Its whole life in plain sentences, oldest first; last, without a time, how things stand. */
  readonly told: readonly { readonly at: number | null; readonly text: string }[];
}
