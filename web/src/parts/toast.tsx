import { toast, undoLast } from '../reader/changes.ts';
import { words } from '../words/words.ts';
import { JoinNotice } from './story-tools.tsx';

/** Says what was done to entries, and takes it back. */
export function Toast() {
  const shown = toast.value;
  const w = words.value.reader;
  return (
    <div class="toast-place toast-fixed" role="status">
      <JoinNotice />
      {shown !== null && (
        <p class={shown.failed ? 'toast toast-bad' : 'toast'}>
          <span class="toast-words">{shown.text}</span>
          {shown.undoable && (
            <button type="button" class="link" onClick={() => void undoLast()}>
              {w.undo} <kbd>u</kbd>
            </button>
          )}
        </p>
      )}
    </div>
  );
}
