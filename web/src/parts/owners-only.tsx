import { place } from '../router.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';
import { Notice } from './notice.tsx';

/** Stands where only the owner may look. */
export function OwnersOnly() {
  const w = words.value;
  return (
    <Notice title={w.ownersOnly}>
      {me.value === null && (
        <a class="button" href={`/sign-in?then=${encodeURIComponent(place.value.path)}`}>
          {w.signIn}
        </a>
      )}
    </Notice>
  );
}
