import { joining, joinStory, splitStory } from '../reader/story-edits.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';

interface StoryToolsProps {
  readonly id: number;
  readonly title: string;
  /** Whether its story has other entries. */
  readonly isShared: boolean;
  readonly class: string;
}

/** Splits an entry from its story, or joins two: for owners, since it is so for everybody (Q15). */
export function StoryTools({ id, title, isShared, ...props }: StoryToolsProps) {
  const w = words.value.reader.story;
  if (me.value?.role !== 'owner') return null;
  const first = joining.value;
  const label = first === null ? w.join : first.id === id ? w.cancel : w.joinWith(first.title.slice(0, 60));
  return (
    <>
      {isShared && (
        <button type="button" class={props.class} data-act="split" onClick={() => void splitStory({ id })}>
          {w.split}
        </button>
      )}
      <button type="button" class={props.class} data-act="join" onClick={() => void joinStory({ id, title })}>
        {label}
      </button>
    </>
  );
}

/** What to do next, while the other entry of the same story is chosen. */
export function JoinNotice() {
  const w = words.value.reader.story;
  const first = joining.value;
  if (first === null) return null;
  return (
    <p class="toast">
      <span class="toast-words">{w.choose(first.title.slice(0, 100))}</span>
      <button type="button" class="link" onClick={() => void joinStory(first)}>
        {w.cancel}
      </button>
    </p>
  );
}
