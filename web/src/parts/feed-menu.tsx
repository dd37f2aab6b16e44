import { useState } from 'preact/hooks';
import type { Query } from '../reader/api.ts';
import { resetFeedAddresses, useFeedAddress } from '../reader/feed-address.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

/** The address of this list for a feed reader. */
export function FeedMenu({ query }: { readonly query: Query }) {
  const w = words.value.reader.feed;
  const address = useFeedAddress(query);
  const action = useAction();
  const [done, setDone] = useState<'copied' | 'reset' | null>(null);
  if (address === null) return null;
  const url = new URL(address, location.origin).href;
  return (
    <Menu class="menu-end" name={w.menu} label={<Icon name="sources" />} stays onOpen={() => setDone(null)}>
      <p class="menu-words">{w.about}</p>
      <p class="menu-words">
        <a href={url} target="_blank" rel="noopener">
          {url}
        </a>
      </p>
      <button
        type="button"
        class="menu-item"
        onClick={() => action.run(() => navigator.clipboard.writeText(url).then(() => setDone('copied')))}
      >
        {w.copy}
      </button>
      <button
        type="button"
        class="menu-item"
        onClick={() => {
          if (confirm(w.resetSure)) action.run(() => resetFeedAddresses().then(() => setDone('reset')));
        }}
      >
        {w.reset}
      </button>
      <p role="status" class="menu-words">
        {done === 'copied' && w.copied}
        {done === 'reset' && w.resetDone}
      </p>
      <ActionProblem action={action} />
    </Menu>
  );
}
