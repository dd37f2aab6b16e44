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
  read(memory: SourceMemory, signal: AbortSignal): Promise<SourceReading>;
  /**
   * The memory with which the next reading reports again what is there still, even if nothing has changed since. How items
   * are told apart stays as it was decided.
   */
  afresh(memory: SourceMemory): SourceMemory;
}

/** What a source wants to know next time: conditional-GET markers, the highest ID seen. JSON, opaque to others. */
export type SourceMemory = Readonly<Record<string, string | number | boolean | null>>;

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
      /** Not to be read again before this time, by the source's own wish. */
      readonly notBefore?: number;
      /** What was odd but could be read, for people. */
      readonly warnings: readonly string[];
    }
  | { readonly outcome: 'unchanged'; readonly memory: SourceMemory; readonly notBefore?: number }
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
