import type { DropRef, Visibility } from '../social/social-store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { TraceHeaders } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import { jitteredBackoff } from '../time/retry.ts';
import type { TimelineName } from './timeline-store.ts';

/** An event of the timelines, in the words of the channels (C2, C13). */
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
  /** They bring an author's drops into a home timeline and take them out again (C13). */
  | { readonly type: 'followed'; readonly user_id: string; readonly author_id: string }
  | { readonly type: 'unfollowed'; readonly user_id: string; readonly author_id: string };

/** Asks the process that holds timelines in its memory to drop some of them, and to rebuild them at once with `rebuild` (C26). */
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
  /** The trace that it was written in; empty where there was none (C25). */
  readonly trace: TraceHeaders;
}

/** A change as it comes out of the feed. */
export interface FeedChange extends ChangeAbout {
  readonly change: Change;
}

/**
 * The changes of a social store in the order in which they were committed. An adapter writes a change in the transaction of
 * the follow, drop or delete itself, so that none is lost and none is told that did not happen (C12).
 */
export interface ChangeFeed {
  /** Whether other processes read the same feed, so that a `ClearTimelines` reaches the one that holds the timelines. */
  readonly betweenProcesses: boolean;
  /** Writes a change that belongs to no transaction of the social store. */
  append(change: Change): Promise<void>;
  /**
   * Hands changes to the sink, one at a time and in order, until the signal. A change that the sink refuses is handed over
   * again after a backoff, and so are, after a restart, changes whose removal was not confirmed: at least once.
   *
   * A durable sink gets everything that was not relayed yet, also from before this start and from other processes, and the
   * feed deletes what it took. Any other sink gets what is committed from the opening of the store on, by any process.
   */
  relay(sink: ChangeSink, signal: AbortSignal): Promise<void>;
  /** How many changes this process knows of that the sink has not taken yet. */
  waiting(): Promise<number>;
}

export interface ChangeSink {
  /** Whether what it took outlives this process. */
  readonly durable: boolean;
  /** Where failures are logged. */
  readonly log: Logger;
  /** Resolves once it has the change; throws where that is not possible now. */
  take(change: FeedChange): Promise<void>;
}

/** The way of changes to the fan-out: in this process, or through a log that replicas share. */
export interface EventDelivery {
  /**
   * Relays the feed and handles every event at least once. The new drops of one author are handled one after the other in
   * the order of the feed, with their rests, over all replicas. A handler that throws gets the event again, later, and holds
   * up no other; only where it says that a service is away, the author's later drops wait for it. Ends with the signal.
   */
  deliver(feed: ChangeFeed, handle: ChangeHandler, signal: AbortSignal): Promise<void>;
  /** How many events wait to be handled. */
  waiting(): Promise<number>;
}

/**
 * Handles one event. May answer with the rest of the work where that takes long: it is done beside the others, so that
 * it cannot hold them up, and the event counts as handled only when the rest is done too.
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

  /** Lets the next pass begin at once. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** `pass` answers how long to wait for the next one. What came in with the signal gets a last pass. */
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
