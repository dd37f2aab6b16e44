import { NO_OPINION } from '../same-story/second-opinion.ts';
import { StoryEdits } from '../same-story/story-edits.ts';
import { MemoryStoryEditStore } from '../storage/memory/story-edit-store.fixture.ts';
import { ManualClock } from '../time/manual-clock.ts';
import type { StoryDeciders } from './choose.ts';

/** No decisions by people, and no embedding model. */
export function rulesAlone(): StoryDeciders {
  const edits = new StoryEdits({ store: new MemoryStoryEditStore(), clock: new ManualClock() });
  return { edits, opinion: NO_OPINION };
}
