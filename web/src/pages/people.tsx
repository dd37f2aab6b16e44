import type { User } from '../../../src/social/social-store.ts';
import { api } from '../api.ts';
import { FollowButton } from '../parts/follow-button.tsx';
import { Loading, Notice, Trouble } from '../parts/notice.tsx';
import { Foreign } from '../parts/text.tsx';
import { me } from '../session.ts';
import { useRead } from '../use-read.ts';
import { words } from '../words/words.ts';

const KINDS: readonly User['kind'][] = ['pipeline', 'source', 'person'];

/** Everybody who can be followed: pipelines, sources and people. */
export function PeoplePage() {
  const w = words.value;
  const { value, trouble, again } = useRead('users', (signal) => api.users(signal));
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.nav.people}
      </h2>
      {me.value === null && <p class="quiet">{w.followNeedsYou}</p>}
      {trouble && <Trouble trouble={trouble} again={again} />}
      {!value && !trouble && <Loading />}
      {value?.users.length === 0 && <Notice title={w.nobody} />}
      {KINDS.map((kind) => (
        <Group key={kind} kind={kind} users={value?.users.filter((user) => user.kind === kind) ?? []} />
      ))}
    </section>
  );
}

function Group({ kind, users }: { readonly kind: User['kind']; readonly users: readonly User[] }) {
  const w = words.value;
  if (users.length === 0) return null;
  return (
    <section class="item-section" aria-labelledby={`users-${kind}`}>
      <h3 id={`users-${kind}`}>{w.userGroups[kind]}</h3>
      {kind === 'source' && <p class="quiet">{w.followingSources}</p>}
      <ul class="rows">
        {users.map((user) => (
          <li key={user.id} class="line" data-row tabIndex={-1}>
            <div>
              <p>
                <Foreign text={user.displayName || user.name} />
              </p>
              <p class="quiet">
                <Foreign text={user.name} />
              </p>
            </div>
            <p class="line-tools">
              <FollowButton userId={user.id} name={user.name} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
