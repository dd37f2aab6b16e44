import { sourceStoreContract } from '../../sources/contract/source-store.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { MemorySourceStore } from './source-store.ts';

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
