import type { Item, ItemKey } from '../../item/item.ts';
import type { HistoryEntry, ItemFilter, ItemPage, LedgerCounts } from '../../ledger/ledger.ts';
import type { Delivery } from '../../outbox/outbox.ts';
import type { SocialStore } from '../../social/social-store.ts';
import type { SourceRecord } from '../../sources/source.ts';
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

/** What a remote judge has spent, and its last trouble. Money is in millionths of a US dollar; a limit that is not there is none. */
export interface JudgeSpend {
  readonly judge: string;
  readonly lastMinute: { readonly calls: number };
  readonly today: { readonly calls: number; readonly tokens: number; readonly microUsd: number };
  readonly limits: {
    readonly callsPerMinute?: number;
    readonly callsPerDay?: number;
    readonly tokensPerDay?: number;
    readonly microUsdPerDay?: number;
  };
  /** Why it gave no answer the last time it was asked, in its server's words; `null` where it answered. */
  readonly trouble: { readonly why: string; readonly detail: string; readonly at: number } | null;
}

export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, ReadinessPart>>;
}

export interface ReadinessPart {
  readonly ok: boolean;
  /** It is not ok, and the rest works without it: the replica stays ready. */
  readonly degraded?: boolean;
  readonly detail?: string;
}

export interface Liveness {
  readonly alive: boolean;
  /** Loops that did not come back in time. */
  readonly hung?: readonly string[];
}
