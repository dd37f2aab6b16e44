import type { Item, ItemKey, TopicMention } from '../../item/item.ts';
import type { LearnedVerdict } from '../../item/learned.ts';
import type { Reason, State } from '../../item/lifecycle.ts';
import type { JudgeSpend } from '../../judge/judge.ts';
import type { HistoryEntry, ItemFilter, ItemPage, LedgerCounts } from '../../ledger/ledger.ts';
import type { Delivery } from '../../outbox/outbox.ts';
import type { StoryReason } from '../../same-story/story-reason.ts';
import type { Liveness, Readiness } from '../../scheduler/health.ts';
import type { SocialStore } from '../../social/social-store.ts';
import type { SourceFolder } from '../../sources/source-folders.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import type { StorySets } from '../../stories/story-sets.ts';
import type { TimelineStreams } from '../../timelines/streams.ts';
import type { TimelineReader } from '../../timelines/timeline-store.ts';

/** The program as the server uses it. Created in `src/app/app.ts`; tests use fakes. */
export interface Newsroom {
  readonly info: NewsroomInfo;
  /** Timelines, paged and live. `startEmbeddedTimelines` creates both. */
  readonly timelines: TimelineReader;
  readonly streams: TimelineStreams;
  /** Users, follows and drops; writes here reach the timelines. */
  readonly social: Omit<SocialStore, keyof AsyncDisposable>;

  /** In the order of the configuration. */
  pipelines(viewer: Viewer): Promise<readonly PipelineStatus[]>;
  /** `null`: unknown pipeline. Throws a `BadCursorError` for an invalid cursor. */
  items(pipeline: string, filter: ItemFilter, viewer: Viewer): Promise<ItemPage | null>;
  /** All details of one item; `null` for an unknown pipeline or item. */
  explain(pipeline: string, key: ItemKey, viewer: Viewer): Promise<ItemExplanation | null>;
  /** Why each pipeline that knows the item has decided as it has, in the order of the configuration. */
  why(key: ItemKey, viewer: Viewer): Promise<readonly Why[]>;
  sources(viewer: Viewer): Promise<readonly SourceStatus[]>;
  /** The folders of the sources with the number of sources in each, nested ones included; in alphabetical order. */
  folders(): readonly SourceFolder[];
  /** What each remote judge has spent, with its limits (X9), and its last failure. The local judge costs nothing and is not listed. */
  judges(): Promise<readonly JudgeSpend[]>;
  /** Ranked lists of stories; absent if not enabled. */
  readonly stories?: Pick<
    StorySets,
    'sets' | 'pageSize' | 'find' | 'page' | 'hide' | 'unhide' | 'stories' | 'hidden'
  >;
  /** The text of `/feeds/<id>.atom`; `null` for an unknown publisher. */
  feed(id: string): Promise<string | null>;

  /** The text of `/metrics`, in Prometheus' format. */
  metrics(): Promise<string>;
  /** Readiness; for each component that is not ready, its name and a sentence. */
  readiness(): Promise<Readiness>;
  /** Liveness; where absent, a process that answers is alive. */
  liveness?(): Liveness;
}

/**
 * The audience of a response: feed URLs with their secrets, output of processors and responses of servers are for
 * owners only.
 */
export type Viewer = 'owner' | 'guest';

export interface NewsroomInfo {
  /** Name of the newsroom, shown in the masthead's second line. */
  readonly name: string;
  readonly version: string;
  readonly engine: 'embedded' | 'distributed';
  /** Whether it runs the sample configuration on the simulator. */
  readonly sample: boolean;
  readonly startedAt: number;
}

export interface PipelineStatus {
  readonly id: string;
  readonly name: string;
  readonly kind: 'curate' | 'summarise' | 'process';
  readonly state: PipelineState;
  /** Details of the state, such as what failed or what it waits for. */
  readonly detail: string | null;
  /** As in force: a cron expression or an interval. */
  readonly schedule: string;
  /** The interval of its runs; `null` if a cron expression schedules them. */
  readonly everyMs: number | null;
  /** Minimum score of what it publishes, as in force; `null` if it does not score. */
  readonly minScore: number | null;
  readonly lastRun: PipelineRun | null;
  readonly nextRunAt: number | null;
  readonly counts: LedgerCounts;
  /** IDs of its sources and destinations. */
  readonly sources: readonly string[];
  readonly destinations: readonly string[];
  /** ID of its user, the author of its drops; `null` if it posts to no timeline. */
  readonly userId: string | null;
}

export type PipelineState = 'running' | 'idle' | 'paused' | 'failing';

export interface PipelineRun {
  readonly startedAt: number;
  /** `null` while it is running. */
  readonly endedAt: number | null;
  readonly outcome: 'running' | 'done' | 'partly' | 'failed';
  readonly detail: string | null;
  /** Counts by the names that the pipeline uses: `{ admitted: 12, published: 2 }`. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** What a pipeline decided about an item. */
export interface Why {
  readonly pipeline: string;
  readonly pipelineName: string;
  readonly state: State;
  readonly reason: Reason;
  readonly score: number | null;
  /** The minimum score that decided; `null` if the pipeline has none. */
  readonly minScore: number | null;
  readonly detail: string | null;
  /** What the detail says, if the built-in judge wrote it. */
  readonly mentions?: readonly TopicMention[];
  /** What reactions of people did to the score; only for owners. */
  readonly learned?: LearnedVerdict;
  /** The rule that decided, with its threshold, in English. */
  readonly text: string;
  /** Summary by the pipeline's judge. */
  readonly summary: string | null;
}

export interface ItemExplanation {
  readonly pipeline: string;
  readonly item: Item;
  /** Oldest first. */
  readonly history: readonly HistoryEntry[];
  readonly deliveries: readonly Delivery[];
  /** Names of the other sources that carried it. */
  readonly alsoSeenIn: readonly string[];
  /** Why it is in a story with others, or was kept out of one; `null` if nothing was like it. */
  readonly story: StoryReason | null;
  /** Its history in plain sentences, oldest first; last, without a time, its current status. */
  readonly told: readonly { readonly at: number | null; readonly text: string }[];
}
