import { OPEN_DELIVERIES } from '../outbox/outbox.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { SourceStore } from '../sources/source.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { CLOCK_TOLERANCE, isFuture } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { RETENTION_RUN } from './retention-settings.ts';
import type { RunStore } from './run-store.ts';

/** Something that was recorded while the clock was ahead. */
export interface FutureTimestamp {
  readonly what: string;
  readonly at: number;
}

export interface ClockWatchDependencies {
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly runs: Pick<RunStore, 'last'>;
  readonly sources: Pick<SourceStore, 'list'>;
  readonly clock: Clock;
}

/** Finds recorded timestamps in the future; of the items of a pipeline only the newest. */
export async function findFutureTimestamps(
  deps: ClockWatchDependencies,
): Promise<readonly FutureTimestamp[]> {
  const { pipelines, runs, sources, clock } = deps;
  const found: FutureTimestamp[] = [];
  for (const name of [...pipelines.keys(), RETENTION_RUN])
    found.push({ what: `last run of ${name}`, at: (await runs.last(name))?.startedAt ?? 0 });
  for (const { sourceId, lastTriedAt } of await sources.list())
    found.push({ what: `last poll of ${sourceId}`, at: lastTriedAt ?? 0 });
  for (const [id, { ledger, outbox }] of pipelines) {
    const { items } = await ledger.list({ limit: 1 });
    found.push(...items.map(({ checkedAt }) => ({ what: `newest item of ${id}`, at: checkedAt })));
    const { deliveries } = await outbox.list({ states: OPEN_DELIVERIES, limit: 1 });
    found.push(...deliveries.map(({ updatedAt }) => ({ what: `newest message of ${id}`, at: updatedAt })));
  }
  return found.filter(({ at }) => isFuture(at, clock.now()));
}

/**
 * Watches the clock until the signal: logs when it was set, and corrects timestamps recorded while it was ahead, at
 * the start and whenever it was set back, until the holders of all leases are known to be alive or dead.
 */
export async function watchClock(
  deps: ClockWatchDependencies & { readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, pipelines } = deps;
  const offset = (): number => clock.now() - clock.monotonic();
  let watched = 0;
  for (let known = Number.POSITIVE_INFINITY; !signal.aborted; ) {
    const setBy = offset() - known;
    if (Math.abs(setBy) > CLOCK_TOLERANCE && Number.isFinite(setBy))
      log.warn(`Clock was set ${setBy > 0 ? 'forward' : 'back'}`, { byMs: Math.abs(setBy) });
    const isSetBack = setBy < -CLOCK_TOLERANCE;
    if (isSetBack || watched > 0) {
      try {
        if (isSetBack)
          for (const { what, at } of await findFutureTimestamps(deps))
            log.warn('Recorded time is in the future, ignoring it: the clock was ahead', {
              what,
              aheadMs: at - clock.now(),
            });
        watched = 0;
        for (const [id, pipeline] of pipelines) {
          const times = await pipeline.correctFutureTimes();
          watched += times.watched;
          if (times.corrected > 0) log.warn('Corrected times in the future', { pipeline: id, ...times });
        }
      } catch (error) {
        log.warn('Failed to check for times in the future, retrying', { error });
        watched = 1;
        await clock.sleep(MINUTE, signal).catch(() => {});
        continue;
      }
    }
    known = offset();
    await clock.sleep(MINUTE, signal).catch(() => {});
  }
}
