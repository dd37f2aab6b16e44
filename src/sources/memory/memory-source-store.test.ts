import { sourceStoreContract } from '../contract/source-store-contract.ts';
import { MemorySourceStore } from './memory-source-store.ts';

sourceStoreContract('memory', async () => ({
  store: new MemorySourceStore(),
  reopen: () => null,
  dispose: async () => {},
}));
