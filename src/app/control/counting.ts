import type { CountsLog } from '../../pipelines/counts-log.ts';
import type { Pipeline } from '../../pipelines/pipeline.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, MINUTE, SECOND } from '../../time/duration.ts';

const COUNT_EVERY = 15 * MINUTE;
/** How soon a copy that begins to act counts. */
const ASK_AGAIN = 5 * SECOND;
const KEEP = 400 * DAY;

export interface CountingParts {
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly log: CountsLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether it is this copy's turn: one record for all copies, and counting is not free everywhere. */
  readonly acts: () => boolean;
}

/** Writes down how many items stand where, several times an hour so that the hour's last figure is near its end. */
export async function keepCounting(
  { pipelines, log, clock, logger, acts }: CountingParts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (!acts()) {
      await clock.sleep(ASK_AGAIN, signal).catch(() => {});
      continue;
    }
    try {
      for (const [id, pipeline] of pipelines) await log.put(id, clock.now(), await pipeline.ledger.counts());
      await log.sweep(clock.now() - KEEP);
    } catch (error) {
      logger.warn('the counts could not be written down; the next time is in a while', { error });
    }
    await clock.sleep(COUNT_EVERY, signal).catch(() => {});
  }
}
