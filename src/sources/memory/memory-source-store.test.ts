import { ManualClock } from '../../time/manual-clock.ts';
import { sourceStoreContract } from '../contract/source-store-contract.ts';
import { MemorySourceStore } from './memory-source-store.ts';

sourceStoreContract('memory', async () => {
  const clock = new ManualClock();
  return {
    store: new MemorySourceStore(clock),
    isShared: true,
    clock,
    reopen: () => null,
    dispose: async () => {},
  };
});
