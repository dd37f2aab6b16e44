import { silentLogger } from '../../telemetry/logger.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { describeStreamLog } from '../contract/stream-log-contract.ts';
import { keepInMemory } from './keeping.ts';

describeStreamLog('memory', async () => {
  const { store, streams } = keepInMemory({ clock: new ManualClock(), log: silentLogger });
  return { store, streams, other: streams };
});
