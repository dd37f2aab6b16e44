import pLimit from 'p-limit';
import type { ItemKey, Sighting } from '../item/item.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';
import { type Logger, silentLogger } from '../telemetry/logger.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { isFuture } from '../time/future.ts';
import type { FirstContact } from './baseline.ts';
import { inWords, nextTime, POLLING_POLICY, type PollingPolicy } from './polling.ts';
import type { Source, SourceReading } from './source.ts';
import { type SourceRecord, type SourceStore, unknownSource } from './source-store.ts';

/** A source and how it is to be followed. */
export interface FollowedSource {
  readonly source: Source;
  /** Least time between two readings. */
  readonly every: number;
  /** What counts as news at first contact, for pipelines that do not say it themselves. */
  readonly firstContact?: FirstContact;
}

/** What one reading brought, for the ledgers of every pipeline that follows the source. */
export interface Arrival {
  readonly source: Source;
  readonly sightings: readonly Sighting[];
  /** Keys of items that were reported before under another key: to be recorded and never worked on (X19). */
  readonly known: ReadonlySet<ItemKey>;
  /** Nothing is remembered of an earlier reading. */
  readonly isFirst: boolean;
  /** As the source is configured. */
  readonly firstContact?: FirstContact;
}

export interface SourceDeskOptions {
  readonly store: SourceStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Stores the sightings; resolves only when that is done, and rejects when it is not. */
  readonly admit: (arrival: Arrival, signal: AbortSignal) => Promise<void>;
  /**
   * Somebody who follows this source forgets what waits when its process ends. What another process read last is then read
   * again, lest it be lost with that process (X5).
   */
  readonly forgetful?: (sourceId: string) => boolean;
  readonly policy?: PollingPolicy;
  /** How many sources are read at once. */
  readonly concurrency?: number;
  /** The longest that one reading may take; a slower source has failed with a time-out. */
  readonly readingLimitMs?: number;
  readonly logger?: Logger;
  readonly events?: Pick<Events, 'sourceRead' | 'sourceFailed' | 'wentOffline'>;
  /** Errors of the stores that end more than one reading: the whole round fails with them (A16). */
  readonly endsRound?: (error: unknown) => boolean;
}

export type PollOutcome = SourceReading['outcome'] | 'not_due' | 'not_stored';

export interface PollReport {
  readonly sourceId: string;
  readonly outcome: PollOutcome;
  readonly sightings: number;
  /** How many of them were reported before under another key. */
  readonly known: number;
  /** Why not, in words for people. */
  readonly detail: string | null;
  readonly nextAt: number | null;
}

/**
 * Reads the sources whose time has come and brings what they report to the ledgers. One source's trouble never holds up
 * another's news, and what a source has to remember is stored only after its news is (X5).
 */
export class SourceDesk {
  readonly #options: SourceDeskOptions;
  readonly #policy: PollingPolicy;
  readonly #logger: Logger;
  readonly #events: Pick<Events, 'sourceRead' | 'sourceFailed' | 'wentOffline'>;
  #isOffline = false;
  /** Polls under way, by source; `null` where its caller's signal stopped it. */
  readonly #underWay = new Map<string, Promise<PollReport | null>>();
  /** When this process itself last read each source. */
  readonly #lastRead = new Map<string, number | null>();

  constructor(options: SourceDeskOptions) {
    this.#options = options;
    this.#policy = options.policy ?? POLLING_POLICY;
    this.#logger = options.logger ?? silentLogger;
    this.#events = options.events ?? silentEvents;
  }

  /** Reads every source that is due, several at once; `force` reads them all. */
  async round(
    followed: readonly FollowedSource[],
    signal: AbortSignal,
    force = false,
  ): Promise<readonly PollReport[]> {
    const limit = pLimit(this.#options.concurrency ?? 8);
    const polls = await Promise.allSettled(followed.map((one) => limit(() => this.poll(one, signal, force))));
    return polls.map((poll) => {
      if (poll.status === 'rejected') throw poll.reason;
      return poll.value;
    });
  }

  /**
   * One source: due? read, hand on, and only then remember. A poll of the same source that is under way is waited for, and its
   * report is the answer: what it reads is admitted for every pipeline.
   */
  async poll(followed: FollowedSource, signal: AbortSignal, force = false): Promise<PollReport> {
    const { source } = followed;
    for (;;) {
      const other = this.#underWay.get(source.id);
      if (signal.aborted) return report(source, 'not_due', null);
      if (other === undefined) break;
      const done = await orAborted(other, signal);
      if (done !== null && !(force && done.outcome === 'not_due')) return done;
    }
    const poll = this.#poll(followed, signal, force).finally(() => this.#underWay.delete(source.id));
    this.#underWay.set(source.id, poll);
    return (await poll) ?? report(source, 'not_due', null);
  }

  async #poll(followed: FollowedSource, signal: AbortSignal, force: boolean): Promise<PollReport | null> {
    const { source } = followed;
    try {
      const record = (await this.#options.store.load(source.id)) ?? unknownSource(source.id);
      const now = this.#options.clock.now();
      if (!force && record.nextAt !== null && record.nextAt > now && !this.#isOpen(record, now))
        return report(source, 'not_due', record.nextAt);

      const facts = { source: source.id, kind: source.kind };
      return await inSpan('source.read', facts, () => this.#work(followed, record, signal), troubleOf);
    } catch (error) {
      if (signal.aborted) return null;
      if (this.#options.endsRound?.(error) === true) throw error;
      // Nothing is remembered, so the same news is read again soon.
      this.#logger.error('news could not be stored; it will be read again', { source: source.id, error });
      const again = this.#options.clock.now() + this.#policy.offlineMs;
      return { ...report(source, 'not_stored', again), detail: wordsOf(error) };
    }
  }

  async #work(followed: FollowedSource, record: SourceRecord, signal: AbortSignal): Promise<PollReport> {
    const { source } = followed;
    const began = this.#options.clock.monotonic();
    const reading = await this.#read(source, this.#afresh(source, record), signal);
    const ms = this.#options.clock.monotonic() - began;
    const known = (reading.outcome === 'read' ? reading.known : undefined) ?? new Set<ItemKey>();
    if (reading.outcome === 'read' && reading.sightings.length > 0) {
      const { firstContact } = followed;
      const isFirst = record.baselineTakenAt === null;
      const arrival = { source, sightings: reading.sightings, known, isFirst };
      await this.#options.admit({ ...arrival, ...(firstContact !== undefined && { firstContact }) }, signal);
    }
    const next = this.#remember(record, reading, followed);
    await this.#options.store.save(next);
    this.#lastRead.set(source.id, next.lastTriedAt);
    return this.#tell(source, reading, known, next, ms);
  }

  /**
   * Its next time counts for nothing: a clock that was ahead has set it, or another process read it well, and what that admitted
   * waits in that process alone.
   */
  #isOpen({ sourceId, lastTriedAt, lastSuccessAt }: SourceRecord, now: number): boolean {
    if (lastTriedAt !== null && isFuture(lastTriedAt, now)) {
      this.#logger.warn('Last poll of the source is in the future, polling now', {
        source: sourceId,
        aheadMs: lastTriedAt - now,
      });
      return true;
    }
    if (this.#options.forgetful?.(sourceId) !== true) return false;
    return lastSuccessAt === lastTriedAt && this.#lastRead.get(sourceId) !== lastTriedAt;
  }

  #afresh(source: Source, record: SourceRecord): SourceRecord {
    const isOurs = this.#lastRead.get(source.id) === record.lastTriedAt;
    if (isOurs || this.#options.forgetful?.(source.id) !== true) return record;
    return { ...record, memory: source.afresh(record.memory) };
  }

  /** The source's own answer, or a failure in its name when it throws or takes too long. */
  async #read(source: Source, record: SourceRecord, signal: AbortSignal): Promise<SourceReading> {
    const { clock, readingLimitMs = 2 * MINUTE } = this.#options;
    const ended = new AbortController();
    const late = new AbortController();
    const limit = clock.sleep(readingLimitMs, ended.signal).then(
      (): SourceReading => {
        late.abort();
        return { outcome: 'failed', why: 'timeout', detail: 'the reading took too long' };
      },
      () => new Promise<never>(() => {}),
    );
    try {
      return await Promise.race([source.read(record.memory, AbortSignal.any([signal, late.signal])), limit]);
    } catch (error) {
      signal.throwIfAborted();
      this.#logger.error('a source broke while it was read', { source: source.id, error });
      return { outcome: 'failed', why: 'bad_answer', detail: wordsOf(error) };
    } finally {
      ended.abort();
    }
  }

  #remember(record: SourceRecord, reading: SourceReading, { every }: FollowedSource): SourceRecord {
    const now = this.#options.clock.now();
    const failures = reading.outcome === 'failed' ? record.failuresInARow + 1 : 0;
    const nextAt = Math.round(nextTime(reading, failures, every, now, this.#policy, this.#options.random()));
    switch (reading.outcome) {
      case 'offline':
        return { ...record, memory: { ...record.memory, ...reading.spent }, lastTriedAt: now, nextAt };
      case 'failed':
        return {
          ...record,
          memory: { ...record.memory, ...reading.spent },
          lastTriedAt: now,
          nextAt,
          failuresInARow: failures,
          lastTrouble: { why: reading.why, detail: `${inWords(reading.why)} (${reading.detail})`, at: now },
        };
      case 'unchanged':
        return { ...succeeded(record, now, nextAt), memory: reading.memory };
      case 'read':
        return {
          ...succeeded(record, now, nextAt),
          memory: reading.memory,
          movedTo: reading.movedTo ?? record.movedTo,
          itemsSeen: record.itemsSeen + reading.sightings.length,
          baselineTakenAt: record.baselineTakenAt ?? now,
        };
    }
  }

  #tell(
    source: Source,
    reading: SourceReading,
    known: ReadonlySet<ItemKey>,
    record: SourceRecord,
    ms: number,
  ): PollReport {
    const told = report(source, reading.outcome, record.nextAt);
    const about = { source: source.id, kind: source.kind };
    const already = this.#isOffline;
    this.#isOffline = reading.outcome === 'offline';
    switch (reading.outcome) {
      case 'read': {
        const sightings = reading.sightings.length;
        this.#events.sourceRead({ ...about, outcome: 'read', sightings, ms });
        for (const warning of reading.warnings) this.#logger.warn('source is odd', { ...about, warning });
        return { ...told, sightings, known: known.size };
      }
      case 'unchanged':
        this.#events.sourceRead({ ...about, outcome: 'unchanged', sightings: 0, ms });
        return told;
      case 'failed': {
        const { why, detail } = reading;
        this.#events.sourceFailed({ ...about, why, detail, failures: record.failuresInARow });
        return { ...told, detail: record.lastTrouble?.detail ?? detail };
      }
      case 'offline':
        this.#events.wentOffline({ ...about, already, detail: reading.detail });
        return { ...told, detail: reading.detail };
    }
  }
}

function succeeded(record: SourceRecord, now: number, nextAt: number): SourceRecord {
  return { ...record, lastTriedAt: now, lastSuccessAt: now, lastTrouble: null, failuresInARow: 0, nextAt };
}

function report(source: Source, outcome: PollOutcome, nextAt: number | null): PollReport {
  return { sourceId: source.id, outcome, sightings: 0, known: 0, detail: null, nextAt };
}

function troubleOf({ outcome, detail }: PollReport): string | null {
  return outcome === 'failed' || outcome === 'offline' ? (detail ?? outcome) : null;
}

/** The poll's answer, or `null` once the signal comes. */
async function orAborted(poll: Promise<PollReport | null>, signal: AbortSignal): Promise<PollReport | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const stop = (): void => resolve(null);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([poll, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
