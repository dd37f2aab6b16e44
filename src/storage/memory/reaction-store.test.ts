import { reactionStoreContract } from '../../learning/contract/reaction-store.ts';
import { MemoryReactionStore } from './reaction-store.ts';

reactionStoreContract('memory', async () => ({
  store: new MemoryReactionStore(),
  reopen: async () => null,
  dispose: async () => {},
}));
