import { ManualClock } from '../../time/manual-clock.ts';
import { describeChangeFeed } from '../../timelines/contract/change-feed-contract.ts';
import { MemoryChangeFeed } from './change-feed.ts';

describeChangeFeed('memory', async () => {
  const clock = new ManualClock();
  return {
    feed: new MemoryChangeFeed(clock),
    another: null,
    passTime: (ms) => clock.advance(ms),
    async [Symbol.asyncDispose]() {},
  };
});
