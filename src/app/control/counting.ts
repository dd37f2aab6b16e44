import type { CountsLog } from '../../pipelines/counts-log.ts';
import type { Pipeline } from '../../pipelines/pipeline.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, MINUTE } from '../../time/duration.ts';

const COUNT_EVERY = 15 * MINUTE;
const KEEP = 400 * DAY;

export interface CountingParts {
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly log: CountsLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Writes down how many items stand where, several times an hour so that the hour's last figure is near its end. */
export async function keepCounting(
  { pipelines, log, clock, logger }: CountingParts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const [id, pipeline] of pipelines) await log.put(id, clock.now(), await pipeline.ledger.counts());
      await log.sweep(clock.now() - KEEP);
    } catch (error) {
      logger.warn('the counts could not be written down; the next time is in a while', { error });
    }
    await clock.sleep(COUNT_EVERY, signal).catch(() => {});
  }
}
