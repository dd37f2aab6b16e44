import type { ItemKey, Sighting } from '../item/item.ts';

/** A place that news comes from. It reads and reports; it keeps nothing and decides nothing. */
export interface Source {
  readonly id: string;
  readonly name: string;
  readonly kind: 'feed' | 'youtube' | 'hackernews';
  /**
   * Reads what is there now. `memory` is what the last reading left behind; the new one is stored by the caller, and
   * only after the sightings are (X5).
   */
  read(memory: SourceMemory, signal: AbortSignal, options?: ReadOptions): Promise<SourceReading>;
}

export interface ReadOptions {
  /** Report everything that is listed, also where nothing has changed since `memory`. Default: false. */
  readonly full?: boolean;
}

/** What a source wants to know next time: conditional-GET markers, the highest ID seen. JSON, opaque to others. */
export type SourceMemory = Readonly<Record<string, string | number | boolean | null>>;

/** What a source shows about how often it changes; `null` where it shows nothing. Times in milliseconds. */
export interface PublishingHints {
  /** How long an answer stays fresh by the publisher's own word: `ttl`, `sy:updatePeriod`, `Cache-Control: max-age`. */
  readonly freshForMs: number | null;
  /** Average time between its newest entries. */
  readonly gapMs: number | null;
  readonly newestAt: number | null;
  /** Publication time of the oldest entry still listed: what is older has left the feed. */
  readonly oldestAt: number | null;
}

export type SourceReading =
  | {
      readonly outcome: 'read';
      readonly sightings: readonly Sighting[];
      /**
       * Keys among the sightings whose items were reported before under another key, since the source changed how it
       * names them: to be recorded as baseline, so that nothing floods out (X19).
       */
      readonly known?: ReadonlySet<ItemKey>;
      readonly memory: SourceMemory;
      /** The source has moved for good (301): use this address from now on. */
      readonly movedTo?: string;
      /** Not to be read again before this time (Retry-After). */
      readonly notBefore?: number;
      readonly hints?: PublishingHints;
      /** What was odd but could be read, for people. */
      readonly warnings: readonly string[];
    }
  | {
      readonly outcome: 'unchanged';
      readonly memory: SourceMemory;
      readonly notBefore?: number;
      readonly hints?: PublishingHints;
    }
  | {
      readonly outcome: 'failed';
      readonly why: SourceTrouble;
      readonly detail: string;
      readonly retryAt?: number;
      readonly spent?: SourceMemory;
    }
  /** Nothing at all can be reached: nobody is blamed. `spent`: to be remembered all the same, such as used quota. */
  | { readonly outcome: 'offline'; readonly detail: string; readonly spent?: SourceMemory };

export type SourceTrouble =
  | 'not_found'
  | 'gone'
  | 'forbidden'
  | 'rate_limited'
  | 'server_error'
  | 'timeout'
  | 'unreachable'
  | 'not_a_feed'
  | 'too_large'
  | 'blocked_address'
  | 'bad_answer'
  | 'quota';
