import { createHash } from 'node:crypto';
import type { ItemKey, Sighting } from '../item/item.ts';

/** A place that news comes from. It reads and reports; it has no state and makes no decisions. */
export interface Source {
  readonly id: string;
  readonly name: string;
  /** `feed`, `youtube`, `hackernews` or a kind of a plugin. */
  readonly kind: string;
  /**
   * Reads the current items. `state` is the state after the last reading; the caller stores the new one, and only after
   * the sightings (X5).
   */
  read(state: SourceState, signal: AbortSignal, options?: ReadOptions): Promise<SourceReading>;
}

export interface ReadOptions {
  /** Report everything that is listed, even if nothing has changed since `state`. Default: false. */
  readonly full?: boolean;
}

/** State of a source between readings: conditional-GET markers, the highest ID seen. JSON, opaque to others. */
export type SourceState = Readonly<Record<string, string | number | boolean | null>>;

/** How often a source changes; `null` where unknown. Times in milliseconds. */
export interface PublishingHints {
  /** How long a response stays fresh according to the publisher: `ttl`, `sy:updatePeriod`, `Cache-Control: max-age`. */
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
      readonly memory: SourceState;
      /** The source has moved permanently (301): use this address from now on. */
      readonly movedTo?: string;
      /** Not to be read again before this time (Retry-After). */
      readonly notBefore?: number;
      readonly hints?: PublishingHints;
      /** Problems that did not prevent reading, for people. */
      readonly warnings: readonly string[];
    }
  | {
      readonly outcome: 'unchanged';
      readonly memory: SourceState;
      readonly notBefore?: number;
      readonly hints?: PublishingHints;
    }
  | {
      readonly outcome: 'failed';
      readonly why: SourceErrorKind;
      readonly detail: string;
      readonly retryAt?: number;
      readonly spent?: SourceState;
    }
  /** The network is down: not an error of the source. `spent`: state to store nevertheless, such as used quota. */
  | { readonly outcome: 'offline'; readonly detail: string; readonly spent?: SourceState };

export type SourceErrorKind =
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

/** Records of the sources between readings; shared by all pipelines. */
export interface SourceStore {
  load(sourceId: string): Promise<SourceRecord | null>;
  /** Replaces the record and ends the claim on the source. */
  save(record: SourceRecord): Promise<void>;
  /**
   * Claims a source for one reading, so that replicas do not read it at the same time; the owner's claim is renewed.
   * `null` while another owner has it. A store of one machine may grant every claim.
   */
  claim(sourceId: string, owner: string, leaseMs: number): Promise<ClaimedSource | null>;
  list(): Promise<readonly SourceRecord[]>;
  remove(sourceId: string): Promise<void>;
}

/** The source was removed or paused during the reading; nothing of it is stored. */
export class SourceGoneError extends Error {
  override readonly name = 'SourceGoneError';
}

export interface ClaimedSource {
  /** As stored; `null` if the source was never read. */
  readonly record: SourceRecord | null;
}

export interface SourceRecord {
  readonly sourceId: string;
  readonly memory: SourceState;
  /** Its new address, if it moved. */
  readonly movedTo: string | null;
  readonly lastTriedAt: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastTrouble: {
    readonly why: SourceErrorKind;
    readonly detail: string;
    readonly at: number;
  } | null;
  readonly failuresInARow: number;
  readonly nextAt: number | null;
  readonly itemsSeen: number;
  /** Whether the first contact has taken its baseline. */
  readonly baselineTakenAt: number | null;
  /** Hashes of the item keys that it reported lately (`rememberReported`); `null` in records of earlier versions. */
  readonly reported: string | null;
}

/** The record of a source that was never read. */
export function newSourceRecord(sourceId: string): SourceRecord {
  return {
    sourceId,
    memory: {},
    movedTo: null,
    lastTriedAt: null,
    lastSuccessAt: null,
    lastTrouble: null,
    failuresInARow: 0,
    nextAt: null,
    itemsSeen: 0,
    baselineTakenAt: null,
    reported: null,
  };
}

/**
 * How much of a source counts as news at first contact (B19, X19). With both limits an item has to be within both: the newest
 * `newest` of those that are young enough.
 */
export type FirstContact =
  | { readonly newest?: number; readonly newerThan?: number }
  /** For sources whose reading is already limited to what is new, by a look-back window for example. */
  | 'everything';

/** Default if neither the pipeline nor the source is configured. A channel is read through a look-back window. */
export function defaultFirstContact(kind: Source['kind']): FirstContact {
  return kind === 'youtube' ? 'everything' : { newest: 10 };
}

/** The keys that only set the baseline: recorded as known, never processed. */
export function baselineOf(
  sightings: readonly Sighting[],
  firstContact: FirstContact,
  now: number,
): ReadonlySet<ItemKey> {
  if (firstContact === 'everything') return new Set();
  const { newest = Number.POSITIVE_INFINITY, newerThan = Number.POSITIVE_INFINITY } = firstContact;
  const news = sightings
    .filter(({ publishedAt }) => publishedAt >= now - newerThan)
    .toSorted((a, b) => b.publishedAt - a.publishedAt)
    .slice(0, Math.max(0, newest));
  const fresh = new Set(news);
  return new Set(sightings.filter((sighting) => !fresh.has(sighting)).map(({ key }) => key));
}

const HASH_LENGTH = 8;
const MIN_REPORTED = 200;
const MAX_REPORTED = 2_000;

/**
 * The reported keys in a source's record: those of this reading first, then those before, several
 * times what the source lists at once.
 */
export function rememberReported(sightings: readonly Sighting[], before: string | null): string {
  const hashes = new Set([...sightings.map(({ key }) => keyHash(key)), ...unpacked(before)]);
  const limit = Math.min(MAX_REPORTED, Math.max(MIN_REPORTED, sightings.length * 3));
  return [...hashes].slice(0, limit).join('');
}

/** The keys among these that the source reported before; `null` if its record has no such list. */
export function reportedAmong(
  sightings: readonly Sighting[],
  before: string | null,
): ReadonlySet<ItemKey> | null {
  if (before === null) return null;
  const hashes = new Set(unpacked(before));
  return new Set(sightings.map(({ key }) => key).filter((key) => hashes.has(keyHash(key))));
}

function unpacked(packed: string | null): string[] {
  return packed?.match(new RegExp(`.{${HASH_LENGTH}}`, 'g')) ?? [];
}

/** 48 bits: enough for the few thousand items of one source. */
function keyHash(key: ItemKey): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, HASH_LENGTH);
}
