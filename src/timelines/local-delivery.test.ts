import { MemoryChangeFeed } from '../storage/memory/change-feed.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { describeEventDelivery } from './contract/event-delivery-contract.ts';
import { LocalDelivery } from './local-delivery.ts';

describeEventDelivery('this process', async () => {
  const clock = new ManualClock();
  const feed = new MemoryChangeFeed(clock);
  const events = new LocalDelivery({ clock, log: silentLogger });
  return { events, feed, other: null, passTime: (ms) => clock.advance(ms) };
});
