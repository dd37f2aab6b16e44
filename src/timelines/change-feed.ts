import type { DropRef, Visibility } from '../social/social-store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { TraceHeaders } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import { jitteredBackoff } from '../time/retry.ts';
import type { TimelineName } from './timeline-store.ts';

/** An event of the timelines, with the field names of the channels (C2, C13). */
export type DropEvent =
  | {
      readonly type: 'drop_created';
      readonly drop_id: string;
      readonly user_id: string;
      readonly visibility: Visibility;
      readonly created_at: number;
    }
  | { readonly type: 'drop_deleted'; readonly drop_id: string; readonly user_id: string }
  | { readonly type: 'ap_drop_received'; readonly drop_id: string; readonly created_at: number }
  /** They add an author's drops to a home timeline and remove them (C13). */
  | { readonly type: 'followed'; readonly user_id: string; readonly author_id: string }
  | { readonly type: 'unfollowed'; readonly user_id: string; readonly author_id: string };

/** Asks the process that has timelines in its memory to evict some of them, and to rebuild them at once with `rebuild` (C26). */
export interface ClearTimelines {
  readonly type: 'clear_timelines';
  readonly timelines: readonly TimelineName[];
  readonly rebuild: boolean;
}

export type Change = DropEvent | ClearTimelines;

export function dropCreated({ id, userId, visibility, createdAt }: DropRef): DropEvent {
  return { type: 'drop_created', drop_id: id, user_id: userId, visibility, created_at: createdAt };
}

export interface ChangeAbout {
  /** When it was written. */
  readonly at: number;
  /** The trace that it was written in; empty if there was none (C25). */
  readonly trace: TraceHeaders;
}

/** A change read from the feed. */
export interface FeedChange extends ChangeAbout {
  readonly change: Change;
}

/**
 * The changes of a social store in the order in which they were committed. An adapter writes a change in the transaction of
 * the follow, drop or delete itself, so that no change is lost and none is reported that was not committed (C12).
 */
export interface ChangeFeed {
  /** Whether other processes read the same feed, so that a `ClearTimelines` reaches the one that has the timelines. */
  readonly betweenProcesses: boolean;
  /** Writes a change that belongs to no transaction of the social store. */
  append(change: Change): Promise<void>;
  /**
   * Delivers changes to the sink at least once, one at a time and in order, until the signal. A change that the sink
   * rejects is redelivered after a backoff, and so are, after a restart, changes whose removal was not confirmed.
   *
   * A durable sink gets everything that was not relayed yet, also from before this start and from other processes, and the
   * feed deletes what it accepted. Any other sink gets what any process commits after the store was opened.
   */
  relay(sink: ChangeSink, signal: AbortSignal): Promise<void>;
  /** Number of changes known to this process that the sink has not accepted yet. */
  waiting(): Promise<number>;
}

export interface ChangeSink {
  /** Whether accepted changes outlive this process. */
  readonly durable: boolean;
  /** Where failures are logged. */
  readonly log: Logger;
  /** Resolves once the change is accepted; throws if that is not possible now. */
  accept(change: FeedChange): Promise<void>;
}

/** Delivery of changes to the fan-out: in this process, or through a log that replicas share. */
export interface EventDelivery {
  /**
   * Relays the feed and handles every event at least once. The new drops of one author are handled one after the other in
   * the order of the feed, deferred work included, over all replicas. A failed event is retried and blocks no other; only
   * if a service is unavailable do the author's later drops wait for it. Ends with the signal.
   */
  deliver(feed: ChangeFeed, handle: ChangeHandler, signal: AbortSignal): Promise<void>;
  /** Number of events that are not handled yet. */
  waiting(): Promise<number>;
}

/**
 * Handles one event. May return deferred work that takes long: it runs concurrently, so that it cannot block other events,
 * and the event counts as handled only when that is done too.
 */
export type ChangeHandler = (
  change: Change,
  about: ChangeAbout,
) => Promise<(() => Promise<void>) | undefined>;

const AFTER_FAILURE = { baseMs: 200, capMs: 2 * SECOND };

/** The loop that every adapter of `ChangeFeed` runs: a pass when there is something new, and at least at an interval. */
export class RelayLoop {
  readonly #clock: Clock;
  #isWoken = false;
  #wake = (): void => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts the next pass at once. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** `pass` returns the time to wait until the next one. After the signal there is a last pass for new changes. */
  async run(pass: () => Promise<number>, log: Logger, signal: AbortSignal): Promise<void> {
    for (let failures = 0; ; ) {
      const isLast = signal.aborted;
      this.#isWoken = false;
      let waitMs: number;
      try {
        waitMs = await pass();
        failures = 0;
      } catch (error) {
        failures += 1;
        waitMs = jitteredBackoff(failures, AFTER_FAILURE, Math.random());
        if (failures === 1) log.warn('Failed to relay changes to the timelines, retrying', { error });
      }
      if (isLast) return;
      await this.#wait(waitMs, failures === 0, signal);
      if (signal.aborted && failures === 0 && !this.#isWoken) return;
    }
  }

  async #wait(ms: number, wakeable: boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted || (wakeable && this.#isWoken)) return;
    const ended = new AbortController();
    const end = (): void => ended.abort();
    signal.addEventListener('abort', end, { once: true });
    if (wakeable) this.#wake = end;
    await this.#clock.sleep(ms, ended.signal).catch(() => {});
    this.#wake = () => {};
    signal.removeEventListener('abort', end);
  }
}
