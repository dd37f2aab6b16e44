import { silentLogger } from '../../telemetry/logger.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { describeEventLog } from '../contract/event-log-contract.ts';
import { MemoryEventLog } from './memory-event-log.ts';

describeEventLog('memory', async () => {
  const clock = new ManualClock();
  const log = new MemoryEventLog({ clock, log: silentLogger, groups: ['a', 'b'] });
  return { log, other: null, passTime: (ms) => clock.advance(ms) };
});
