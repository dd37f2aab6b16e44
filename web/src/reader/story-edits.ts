import { signal } from '@preact/signals';
import { problemText } from '../server-text.ts';
import { onPersonChange } from '../session.ts';
import { words } from '../words/words.ts';
import { readerApi } from './api.ts';
import { say, sayUndoable } from './changes.ts';

interface Chosen {
  readonly id: number;
  readonly title: string;
}

/** The entry for which another one of the same story is being chosen. */
export const joining = signal<Chosen | null>(null);
/** Grows when stories were split or joined, here or elsewhere. */
export const storiesChanged = signal(0);

onPersonChange(() => {
  joining.value = null;
});

/** Lists are read again when the newsroom tells all pages of it. */
export async function splitStory({ id }: Pick<Chosen, 'id'>): Promise<void> {
  await edit(() => readerApi.splitStory(id), words.peek().reader.story.splitDone);
}

/** The first call chooses an entry, the second one joins another one with it; the same entry again cancels. */
export async function joinStory({ id, title }: Chosen): Promise<void> {
  const first = joining.value;
  joining.value = first === null ? { id, title } : null;
  if (first === null || first.id === id) return;
  await edit(() => readerApi.joinStories(id, first.id), words.peek().reader.story.joinDone);
}

async function edit(send: () => Promise<{ readonly undo: string }>, text: string): Promise<void> {
  try {
    const { undo } = await send();
    sayUndoable(text, () => readerApi.undoStories(undo));
  } catch (error) {
    say({ text: problemText(error), failed: true, undoable: false });
  }
}
