import { useState } from 'preact/hooks';
import type { ShownDrop } from '../../../src/server/http/timeline-routes.ts';
import { api } from '../api.ts';
import { news, TIMELINES } from '../live-timeline.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';

/** Edit and delete, under an own post. */
export function PostActions({ drop }: { readonly drop: ShownDrop }) {
  const w = words.value.manage.posts;
  const [text, setText] = useState<string | null>(null);
  const action = useAction();
  if (me.value?.userId !== drop.author.id) return null;
  const save = (event: Event): void => {
    event.preventDefault();
    if (text === null || text.trim() === '') return;
    action.run(async () => {
      const edited = await api.editDrop(drop.id, text);
      for (const kind of TIMELINES) news[kind].replace(edited);
      setText(null);
    });
  };
  const remove = (): void => {
    if (!confirm(w.deleteSure)) return;
    action.run(async () => {
      await api.deleteDrop(drop.id);
      for (const kind of TIMELINES) news[kind].remove(drop.id);
    });
  };
  if (text !== null)
    return (
      <form class="composer post-editor" onSubmit={save}>
        <label>
          <span class="visually-hidden">{w.text}</span>
          <textarea
            rows={3}
            maxLength={5000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <p class="composer-tools">
          <button type="button" class="button" disabled={action.busy} onClick={() => setText(null)}>
            {w.cancel}
          </button>
          <button type="submit" class="button button-main" disabled={action.busy || text.trim() === ''}>
            {action.busy ? words.value.sending : w.save}
          </button>
        </p>
        <ActionProblem action={action} />
      </form>
    );
  return (
    <>
      <p class="post-actions">
        <button type="button" class="link" disabled={action.busy} onClick={() => setText(drop.text)}>
          {w.edit}
        </button>
        <button type="button" class="link" disabled={action.busy} onClick={remove}>
          {w.delete}
        </button>
      </p>
      <ActionProblem action={action} />
    </>
  );
}
