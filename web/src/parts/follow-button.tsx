import { useEffect } from 'preact/hooks';
import { follow, following, openFollowing } from '../following.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';

export function FollowButton({ userId, name }: { readonly userId: string; readonly name: string }) {
  const w = words.value;
  const action = useAction();
  useEffect(openFollowing, [me.value]);
  const all = following.value;
  if (me.value === null || all === null || me.value.userId === userId) return null;
  const on = all.has(userId);
  return (
    <>
      <button
        type="button"
        class="button button-small"
        aria-pressed={on}
        disabled={action.busy}
        onClick={() => action.run(() => follow(userId, !on))}
      >
        {on ? w.following : w.follow}
        <span class="visually-hidden">: {name}</span>
      </button>
      <ActionProblem action={action} />
    </>
  );
}
