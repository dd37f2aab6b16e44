import { DETAIL_TEXTS } from '../item/detail-texts.ts';
import type { ItemKey } from '../item/item.ts';
import { keepLeaseRenewed } from '../scheduler/lease.ts';
import { errorMessage } from '../telemetry/errors.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';
import { type Logger, silentLogger } from '../telemetry/logger.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import type { PollBatch } from './admission.ts';
import {
  nextPollAt,
  POLLING_POLICY,
  type PollInterval,
  type PollingPolicy,
  pollInterval,
} from './polling.ts';
import type { Source, SourceReading, SourceRecord, SourceStore } from './source.ts';
import { type FirstContact, rememberReported, reportedAmong, SourceGoneError } from './source.ts';
import { describeSourceError } from './source-error-text.ts';

const MAX_READING_MS = 2 * MINUTE;
/** Lease of a reading: how long a dead replica can block its source. */
export const LEASE_MS = MINUTE;
const RENEW_EVERY_MS = 20 * SECOND;

/** A source and how often it is read. */
export interface PolledSource {
  readonly source: Source;
  readonly interval: PollInterval;
  /** What counts as news at first contact, for pipelines without a setting of their own. */
  readonly firstContact?: FirstContact;
}

/** Every enabled source, by its ID; may change at any time. */
export interface PolledSources extends Iterable<[string, PolledSource]> {
  get(id: string): PolledSource | undefined;
}

export interface ReadingOptions {
  readonly sources: PolledSources;
  readonly store: SourceStore;
  readonly admission: {
    /** Stores what was read; resolves only when it is stored, and rejects otherwise. */
    admit(arrival: PollBatch): Promise<void>;
    /** Whether a pipeline of the source has never received anything from it. */
    hasNewcomer(sourceId: string): Promise<boolean>;
  };
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Owner of the claims of this process. */
  readonly owner: string;
  readonly policy?: PollingPolicy;
  readonly logger?: Logger;
  readonly events?: Pick<Events, 'sourceRead' | 'sourceFailed' | 'wentOffline'>;
}

/**
 * `not_due`: its last reading is still current. `busy`: another replica is reading it. `not_stored`: it was read, but new
 * items could not be admitted. `stopped`: the signal was aborted first.
 */
export type PollOutcome = SourceReading['outcome'] | 'not_due' | 'busy' | 'not_stored' | 'stopped';

export interface PollReport {
  readonly sourceId: string;
  readonly outcome: PollOutcome;
  readonly sightings: number;
  /** How many of them were reported before under another key. */
  readonly known: number;
  /** The reason of a failure, for people; for a source that is not due, that of its last reading. */
  readonly detail: string | null;
  readonly nextAt: number | null;
}

type ReadReading = Extract<SourceReading, { outcome: 'read' }>;

/** The report of a reading, and the record as stored. */
export interface DoneReading {
  readonly report: PollReport;
  readonly record: SourceRecord;
}

class ReadingClaimLostError extends Error {
  override readonly name = 'ReadingClaimLostError';
  constructor() {
    super('another replica took over the reading');
  }
}

/**
 * An earlier version read it last. That version kept the waiting articles of a curator on Firestore in memory, so they are in no
 * store: the next reading takes the whole list, also of an unchanged source (X22).
 */
function isOfEarlierVersion({ baselineTakenAt, reported }: SourceRecord): boolean {
  return baselineTakenAt !== null && reported === null;
}

/** Reads one claimed source: read, admit, and only then store its state (X5). */
export class SourceReader {
  readonly #options: ReadingOptions;
  readonly #policy: PollingPolicy;
  readonly #logger: Logger;
  readonly #events: Pick<Events, 'sourceRead' | 'sourceFailed' | 'wentOffline'>;
  /** Offline readings in a row, by source. */
  readonly #offline = new Map<string, number>();
  #isOffline = false;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#policy = options.policy ?? POLLING_POLICY;
    this.#logger = options.logger ?? silentLogger;
    this.#events = options.events ?? silentEvents;
  }

  /** A reading that lost its claim to another replica stores nothing (X21). */
  async read(polled: PolledSource, record: SourceRecord, signal: AbortSignal): Promise<DoneReading> {
    const { store, clock, owner } = this.#options;
    const over = new AbortController();
    const lost = new AbortController();
    let claimedUntil = clock.now() + LEASE_MS;
    const renew = async (): Promise<boolean> => {
      const requestedAt = clock.now();
      const claimed = await store.claim(record.sourceId, owner, LEASE_MS);
      // Another replica may have finished reading it meanwhile.
      const isHeld = claimed !== null && (claimed.record?.lastTriedAt ?? null) === record.lastTriedAt;
      if (isHeld) claimedUntil = requestedAt + LEASE_MS;
      return isHeld;
    };
    const renewing = keepLeaseRenewed(renew, {
      clock,
      leaseMs: LEASE_MS,
      intervalMs: RENEW_EVERY_MS,
      signal: over.signal,
    }).then((end) => {
      if (end !== null) lost.abort(end.why ?? new ReadingClaimLostError());
    });
    const assertClaimed = async (): Promise<void> => {
      lost.signal.throwIfAborted();
      if (clock.now() >= claimedUntil && !(await renew())) throw new ReadingClaimLostError();
    };
    try {
      const { id, kind } = polled.source;
      return await inSpan(
        'source.read',
        { source: id, kind },
        () => this.#work(polled, record, AbortSignal.any([signal, lost.signal]), assertClaimed),
        ({ report }) => failureOf(report),
      );
    } finally {
      over.abort();
      await renewing;
    }
  }

  async #work(
    polled: PolledSource,
    record: SourceRecord,
    signal: AbortSignal,
    assertClaimed: () => Promise<void>,
  ): Promise<DoneReading> {
    const { sources, store, admission, clock } = this.#options;
    const { source, firstContact } = polled;
    const full = isOfEarlierVersion(record) || (await admission.hasNewcomer(source.id));
    const startedAt = clock.monotonic();
    const reading = await this.#answer(source, record, full, signal);
    const ms = clock.monotonic() - startedAt;
    if (sources.get(source.id) === undefined) throw new SourceGoneError();
    const known = (reading.outcome === 'read' ? reading.known : undefined) ?? new Set<ItemKey>();
    if (reading.outcome === 'read') {
      const { sightings } = reading;
      await admission.admit({
        source,
        sightings,
        known,
        reported: reportedAmong(sightings, record.reported),
        isFirst: record.baselineTakenAt === null,
        ...(firstContact !== undefined && { firstContact }),
      });
    }
    await assertClaimed();
    const next = this.#remember(record, reading, polled.interval);
    await store.save(next);
    return { report: this.#report(source, reading, known, next, ms), record: next };
  }

  /** The source's own result, or a failure if it throws or times out. */
  async #answer(
    source: Source,
    { memory }: SourceRecord,
    full: boolean,
    signal: AbortSignal,
  ): Promise<SourceReading> {
    const ended = new AbortController();
    const late = new AbortController();
    const limit = this.#options.clock.sleep(MAX_READING_MS, ended.signal).then(
      (): SourceReading => {
        late.abort();
        return { outcome: 'failed', why: 'timeout', detail: DETAIL_TEXTS.reading_too_long };
      },
      () => new Promise<never>(() => {}),
    );
    try {
      const read = source.read(memory, AbortSignal.any([signal, late.signal]), { full });
      return await Promise.race([read, limit]);
    } catch (error) {
      signal.throwIfAborted();
      this.#logger.error('Reading a source threw an error', { source: source.id, error });
      return { outcome: 'failed', why: 'bad_answer', detail: errorMessage(error) };
    } finally {
      ended.abort();
    }
  }

  #remember(record: SourceRecord, reading: SourceReading, interval: PollInterval): SourceRecord {
    const now = this.#options.clock.now();
    const nextAt = this.#nextAt(record, reading, interval, now);
    switch (reading.outcome) {
      case 'offline':
        return { ...record, memory: { ...record.memory, ...reading.spent }, lastTriedAt: now, nextAt };
      case 'failed':
        return {
          ...record,
          memory: { ...record.memory, ...reading.spent },
          lastTriedAt: now,
          nextAt,
          failuresInARow: record.failuresInARow + 1,
          lastTrouble: {
            why: reading.why,
            detail: describeSourceError(reading.why, reading.detail),
            at: now,
          },
        };
      case 'unchanged':
        return { ...succeeded(record, now, nextAt), memory: reading.memory };
      case 'read':
        return {
          ...succeeded(record, now, nextAt),
          memory: reading.memory,
          movedTo: reading.movedTo ?? record.movedTo,
          itemsSeen: record.itemsSeen + newItems(reading, record),
          baselineTakenAt: record.baselineTakenAt ?? now,
          reported: rememberReported(reading.sightings, record.reported),
        };
    }
  }

  #nextAt(record: SourceRecord, reading: SourceReading, interval: PollInterval, now: number): number {
    const policy = this.#policy;
    const offline = reading.outcome === 'offline' ? (this.#offline.get(record.sourceId) ?? 0) + 1 : 0;
    this.#offline.set(record.sourceId, offline);
    const hints = 'hints' in reading ? reading.hints : undefined;
    const wasOverdue = record.nextAt === null || now - record.nextAt > interval.ms;
    return Math.round(
      nextPollAt({
        reading,
        failures: reading.outcome === 'failed' ? record.failuresInARow + 1 : offline,
        intervalMs: pollInterval(interval, hints, now, policy),
        spread: wasOverdue && !interval.isFixed ? policy.startSpread : policy.jitter,
        now,
        policy,
        random: this.#options.random(),
      }),
    );
  }

  #report(
    source: Source,
    reading: SourceReading,
    known: ReadonlySet<ItemKey>,
    record: SourceRecord,
    ms: number,
  ): PollReport {
    const base = report(source, reading.outcome, record.nextAt);
    const about = { source: source.id, kind: source.kind };
    const already = this.#isOffline;
    this.#isOffline = reading.outcome === 'offline';
    switch (reading.outcome) {
      case 'read': {
        const sightings = reading.sightings.length;
        this.#events.sourceRead({ ...about, outcome: 'read', sightings, ms });
        for (const warning of reading.warnings)
          this.#logger.warn('source has a problem', { ...about, warning });
        return { ...base, sightings, known: known.size };
      }
      case 'unchanged':
        this.#events.sourceRead({ ...about, outcome: 'unchanged', sightings: 0, ms });
        return base;
      case 'failed': {
        const { why, detail } = reading;
        this.#events.sourceFailed({ ...about, why, detail, failures: record.failuresInARow });
        return { ...base, detail: record.lastTrouble?.detail ?? detail };
      }
      case 'offline':
        this.#events.wentOffline({ ...about, already, detail: reading.detail });
        return { ...base, detail: reading.detail };
    }
  }
}

/** How many of the items it never showed before; none where an earlier version did not record what it showed. */
function newItems({ sightings, known }: ReadReading, { reported, baselineTakenAt }: SourceRecord): number {
  if (baselineTakenAt !== null && reported === null) return 0;
  const before = reportedAmong(sightings, reported);
  const keys = new Set(sightings.map(({ key }) => key));
  return [...keys].filter((key) => before?.has(key) !== true && known?.has(key) !== true).length;
}

function succeeded(record: SourceRecord, now: number, nextAt: number): SourceRecord {
  return { ...record, lastTriedAt: now, lastSuccessAt: now, lastTrouble: null, failuresInARow: 0, nextAt };
}

export function report(source: Source, outcome: PollOutcome, nextAt: number | null): PollReport {
  return { sourceId: source.id, outcome, sightings: 0, known: 0, detail: null, nextAt };
}

function failureOf({ outcome, detail }: PollReport): string | null {
  return outcome === 'failed' || outcome === 'offline' ? (detail ?? outcome) : null;
}
