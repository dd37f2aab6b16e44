import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import type { News } from '../live-timeline.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';

/** Posts a drop of one's own. What was typed stays until it has arrived. */
export function Composer({ news }: { readonly news: News }) {
  const w = words.value;
  const [text, setText] = useState('');
  const [visibility, setVisibility] = useState<'public' | 'followers'>('public');
  // The same for every attempt with one text, so that a lost answer does not post twice.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const action = useAction();
  const post = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    action.run(async () => {
      await api.post({ text, visibility }, key);
      setText('');
      setKey(crypto.randomUUID());
      await news.showNew();
    });
  };
  return (
    <form class="composer" onSubmit={post}>
      <label>
        <span class="visually-hidden">{w.compose}</span>
        <textarea
          rows={1}
          maxLength={5000}
          placeholder={w.compose}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {text !== '' && (
        <p class="composer-tools">
          <label>
            <span class="visually-hidden">{w.visibility}</span>
            <select
              value={visibility}
              onChange={(event) =>
                setVisibility(event.currentTarget.value === 'followers' ? 'followers' : 'public')
              }
            >
              <option value="public">{w.visibilities.public}</option>
              <option value="followers">{w.visibilities.followers}</option>
            </select>
          </label>
          <button type="submit" class="button button-main" disabled={action.busy}>
            {action.busy ? w.sending : w.post}
          </button>
        </p>
      )}
      <ActionProblem action={action} />
    </form>
  );
}
