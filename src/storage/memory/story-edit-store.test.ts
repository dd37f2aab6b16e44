import { storyEditStoreContract } from '../../same-story/contract/story-edit-store.ts';
import { MemoryStoryEditStore } from './story-edit-store.fixture.ts';

storyEditStoreContract('memory', async () => {
  const store = new MemoryStoryEditStore();
  return { mine: store, theirs: store, async [Symbol.asyncDispose]() {} };
});
