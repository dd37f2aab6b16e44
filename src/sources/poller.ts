import pLimit from 'p-limit';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import { sleepFor, stopScopeOf } from '../scheduler/loop.ts';
import type { FailedSource } from '../scheduler/run-report.ts';
import { errorMessage } from '../telemetry/errors.ts';
import { type Logger, silentLogger } from '../telemetry/logger.ts';
import { isFuture } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import type { Source } from './source.ts';
import { newSourceRecord, SourceGoneError, type SourceRecord } from './source.ts';
import {
  LEASE_MS,
  type PolledSource,
  type PollReport,
  type ReadingOptions,
  report,
  SourceReader,
} from './source-reader.ts';

const CONCURRENCY = 8;
/** Retry delay after a reading could not be stored. */
const NOT_STORED_RETRY_MS = MINUTE;
/** How often a source is polled that another replica is reading. */
const BUSY_RETRY_MS = 2 * SECOND;

export interface PollerOptions extends ReadingOptions {
  readonly admission: ReadingOptions['admission'] & {
    /** Number of items admitted for a pipeline since the last call. */
    takeAdmitted(pipeline: string): number;
  };
  /** Sources read concurrently. */
  readonly concurrency?: number;
}

/** State of the sources of a run, once none of them is due. */
export interface SourcesRead {
  /** Sources whose last reading succeeded, and whose last reading failed. */
  readonly read: number;
  readonly failed: number;
  /** Items admitted since the pipeline's last run. */
  readonly admitted: number;
  readonly failures?: readonly FailedSource[];
}

export interface ReadyOptions {
  /** Read every source now, also those that are not due. */
  readonly fresh?: boolean;
}

/** When a source is due, as known to this process. */
type Due = Pick<SourceRecord, 'lastTriedAt' | 'nextAt'>;

/**
 * Reads every enabled source at its own interval, whether or not a pipeline or a follower uses it (X23). A failing source never
 * delays another, and the state of a source is stored only after its news (X5).
 *
 * - One process of the installation runs `keepPolling`, the loop over all sources.
 * - A run calls `readyFor` with its own sources and waits for readings that are due or in flight, in this or another replica.
 *   Without a loop beside it (a command, a function) the run itself reads what is due.
 * - A source is read once at a time: in this process by sharing the reading, among replicas by a claim in its record.
 */
export class Poller implements AsyncDisposable {
  readonly #options: PollerOptions;
  readonly #reader: SourceReader;
  readonly #logger: Logger;
  readonly #due = new Map<string, Due>();
  /** Polls in flight, by source. */
  readonly #inFlight = new Map<string, Promise<PollReport>>();
  readonly #wakeUp: WakeUpSignal;
  readonly #closing = new AbortController();
  /** Polls that `pollNow` started. */
  readonly #requested = new Set<Promise<unknown>>();

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#wakeUp = new WakeUpSignal(options.clock);
    this.#reader = new SourceReader(options);
    this.#logger = options.logger ?? silentLogger;
  }

  /**
   * Polls each source when it is due, until the signal. `running` stops readings in flight, if that is another
   * signal: a process that is no longer the leader starts nothing more, and completes what it began.
   */
  async keepPolling(signal: AbortSignal, running = signal, onIteration?: () => void): Promise<void> {
    const { sources, store, concurrency = CONCURRENCY } = this.#options;
    for (const { sourceId, lastTriedAt, nextAt } of await store.list())
      this.#due.set(sourceId, { lastTriedAt, nextAt });
    const limit = pLimit(concurrency);
    const polls = new Map<string, Promise<void>>();
    let failure: { readonly error: unknown } | null = null;
    const start = async (polled: PolledSource): Promise<void> => {
      try {
        await limit(async () => signal.aborted || (await this.poll(polled, running)));
      } catch (error) {
        failure ??= { error };
      } finally {
        polls.delete(polled.source.id);
        this.#wakeUp.wake();
      }
    };
    try {
      while (!signal.aborted) {
        onIteration?.();
        let waitMs = MINUTE;
        // One that comes back is read by its record.
        for (const id of this.#due.keys()) if (sources.get(id) === undefined) this.#due.delete(id);
        for (const [id, polled] of sources) {
          if (polls.has(id)) continue;
          const dueIn = this.#dueIn(id);
          if (dueIn <= 0) polls.set(id, start(polled));
          else waitMs = Math.min(waitMs, dueIn);
        }
        // At most a minute, since the wall clock may be set meanwhile.
        await this.#wakeUp.wait(waitMs, signal);
        if (failure !== null) throw (failure as { readonly error: unknown }).error;
      }
    } finally {
      await Promise.all(polls.values());
    }
  }

  /** Tells the loop that sources were added, changed or removed. */
  wake(): void {
    this.#wakeUp.wake();
  }

  /** Starts reading a source now, due or not; false if there is no such enabled source. */
  pollNow(sourceId: string): boolean {
    const polled = this.#options.sources.get(sourceId);
    if (polled === undefined) return false;
    const poll = this.poll(polled, this.#closing.signal, true)
      .catch((error: unknown) =>
        this.#logger.error('Failed to poll a source on request', { source: sourceId, error }),
      )
      .finally(() => this.#requested.delete(poll));
    this.#requested.add(poll);
    return true;
  }

  /** Waits until none of these sources is due or being read, and reports their state. */
  async readyFor(
    pipeline: string,
    sourceIds: Iterable<string>,
    signal: AbortSignal,
    { fresh = false }: ReadyOptions = {},
  ): Promise<SourcesRead> {
    const limit = pLimit(this.#options.concurrency ?? CONCURRENCY);
    const polled = [...sourceIds].flatMap((id) => this.#options.sources.get(id) ?? []);
    const polls = await Promise.allSettled(
      polled.map((one) => limit(() => this.#pollOrWait(one, signal, fresh))),
    );
    const reports = polls.map((poll) => {
      if (poll.status === 'rejected') throw poll.reason;
      return poll.value;
    });
    const failed = reports.filter(hasFailed);
    const read = reports.filter(
      ({ outcome, detail }) =>
        outcome === 'read' || outcome === 'unchanged' || (outcome === 'not_due' && detail === null),
    );
    return {
      read: read.length,
      failed: failed.length,
      admitted: this.#options.admission.takeAdmitted(pipeline),
      failures: failed.map(({ sourceId, outcome, detail }) => ({
        source: sourceId,
        reason: outcome === 'offline' ? `the network is unreachable (${detail})` : (detail ?? outcome),
      })),
    };
  }

  /**
   * Reads one source if it is due, admits, and only then stores its state. A poll of the same source in flight is
   * shared: what it reads is admitted for every pipeline. `force` polls even if it is not due.
   */
  async poll(polled: PolledSource, signal: AbortSignal, force = false): Promise<PollReport> {
    const { source } = polled;
    for (;;) {
      const other = this.#inFlight.get(source.id);
      if (signal.aborted) return report(source, 'stopped', null);
      if (other === undefined) break;
      const shared = await orStopped(other, source, signal);
      // Its own caller may have stopped it, or have found it not due.
      if (shared.outcome !== 'stopped' && !(force && shared.outcome === 'not_due')) return shared;
    }
    const poll = this.#poll(polled, signal, force).finally(() => this.#inFlight.delete(source.id));
    this.#inFlight.set(source.id, poll);
    const done = await poll;
    if (done.outcome === 'busy' || done.outcome === 'not_stored')
      this.#due.set(source.id, { lastTriedAt: null, nextAt: done.nextAt });
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#requested);
  }

  async #pollOrWait(polled: PolledSource, signal: AbortSignal, fresh: boolean): Promise<PollReport> {
    const { clock } = this.#options;
    let done = await this.poll(polled, signal, fresh);
    // The reading of another replica is as good as one of our own.
    while (done.outcome === 'busy' && (await sleepFor(clock, BUSY_RETRY_MS, signal)))
      done = await this.poll(polled, signal);
    return done;
  }

  #dueIn(sourceId: string): number {
    const now = this.#options.clock.now();
    const due = this.#due.get(sourceId);
    if (due === undefined || due.nextAt === null) return 0;
    return due.lastTriedAt !== null && isFuture(due.lastTriedAt, now) ? 0 : due.nextAt - now;
  }

  async #poll(polled: PolledSource, signal: AbortSignal, force: boolean): Promise<PollReport> {
    const { store, clock, owner } = this.#options;
    const { source } = polled;
    let claim: { readonly record: SourceRecord | null; readonly until: number } | null = null;
    try {
      // Where this process knows that it is due, the claim alone shows whether another replica was faster.
      if (!force && !(this.#due.has(source.id) && this.#dueIn(source.id) <= 0)) {
        const record = (await store.load(source.id)) ?? newSourceRecord(source.id);
        if (!(await this.#isWanted(record))) return this.#notDue(source, record);
      }
      const claimed = await store.claim(source.id, owner, LEASE_MS);
      if (claimed === null) return report(source, 'busy', clock.now() + BUSY_RETRY_MS);
      claim = { ...claimed, until: clock.now() + LEASE_MS };
      const record = claimed.record ?? newSourceRecord(source.id);
      if (!force && !(await this.#isWanted(record))) {
        await store.save(record);
        return this.#notDue(source, record);
      }
      const done = await this.#reader.read(polled, record, signal);
      this.#due.set(source.id, done.record);
      return done.report;
    } catch (error) {
      if (signal.aborted) {
        // Released, so that the next replica need not wait until it expires.
        if (claim?.record != null && clock.now() < claim.until)
          await store.save(claim.record).catch(() => {});
        return report(source, 'stopped', null);
      }
      if (stopScopeOf(error) !== null) throw error;
      if (error instanceof SourceGoneError) return report(source, 'stopped', null);
      // The state is not stored, so the same news is read again soon.
      this.#logger.error('Failed to store the items of a source, polling again soon', {
        source: source.id,
        error,
      });
      const retryAt = clock.now() + NOT_STORED_RETRY_MS;
      return { ...report(source, 'not_stored', retryAt), detail: errorMessage(error) };
    }
  }

  /** Due, or new to a pipeline that needs the full list. A failing source is not read early. */
  async #isWanted(record: SourceRecord): Promise<boolean> {
    if (this.#isDue(record)) return true;
    const { sourceId, lastTrouble } = record;
    return lastTrouble === null && (await this.#options.admission.hasNewcomer(sourceId));
  }

  #isDue({ sourceId, lastTriedAt, nextAt }: SourceRecord): boolean {
    const now = this.#options.clock.now();
    if (nextAt === null || nextAt <= now) return true;
    if (lastTriedAt === null || !isFuture(lastTriedAt, now)) return false;
    this.#logger.warn('Last poll of the source is in the future, polling now', {
      source: sourceId,
      aheadMs: lastTriedAt - now,
    });
    return true;
  }

  #notDue(source: Source, { lastTriedAt, nextAt, lastTrouble }: SourceRecord): PollReport {
    this.#due.set(source.id, { lastTriedAt, nextAt });
    return { ...report(source, 'not_due', nextAt), detail: lastTrouble?.detail ?? null };
  }
}

function hasFailed({ outcome, detail }: PollReport): boolean {
  return (
    outcome === 'failed' ||
    outcome === 'offline' ||
    outcome === 'not_stored' ||
    (outcome === 'not_due' && detail !== null)
  );
}

/** The report of a shared poll, or `stopped` once the signal comes. */
async function orStopped(
  poll: Promise<PollReport>,
  source: Source,
  signal: AbortSignal,
): Promise<PollReport> {
  const { promise, resolve } = Promise.withResolvers<PollReport>();
  const stop = (): void => resolve(report(source, 'stopped', null));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([poll, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
