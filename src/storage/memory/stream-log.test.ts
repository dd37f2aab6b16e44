import { silentLogger } from '../../telemetry/logger.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { describeStreamLog } from '../../timelines/contract/stream-log.ts';
import { createMemoryTimelineBackend } from './timelines.ts';

describeStreamLog('memory', async () => {
  const { store, streams } = createMemoryTimelineBackend({ clock: new ManualClock(), log: silentLogger });
  return { store, streams, other: streams };
});
