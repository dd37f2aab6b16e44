import type { User } from '../../../src/social/social-store.ts';
import { api, type ShownPerson } from '../api.ts';
import { useRead } from '../hooks.ts';
import { FollowButton } from '../parts/follow-button.tsx';
import { Invite, MemberTools } from '../parts/member-tools.tsx';
import { FailureNotice, Loading, Notice } from '../parts/notice.tsx';
import { When } from '../parts/relative-time.tsx';
import { Foreign } from '../parts/text.tsx';
import { me } from '../session.ts';
import { words } from '../words/words.ts';

const KINDS: readonly User['kind'][] = ['person', 'pipeline', 'source'];

/** The members, and pipelines and sources that can be followed like them. The owner invites and removes members here. */
export function MembersPage() {
  const w = words.value;
  const isOwner = me.value?.role === 'owner';
  const { value, failure, again } = useRead('users', (signal) => api.users(signal));
  const accounts = useRead(`people ${isOwner}`, async (signal) =>
    isOwner ? (await api.people.all(signal)).people : [],
  );
  const changed = (): void => {
    again();
    accounts.again();
  };
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.manage.members.title}
      </h2>
      <p class="quiet">{me.value === null ? w.signInToFollow : w.followMeaning}</p>
      {isOwner && <Invite />}
      {failure && <FailureNotice failure={failure} again={again} />}
      {!value && !failure && <Loading />}
      {value?.users.length === 0 && <Notice title={w.noUsers} />}
      {KINDS.map((kind) => (
        <Group
          key={kind}
          kind={kind}
          users={value?.users.filter((user) => user.kind === kind) ?? []}
          accounts={accounts.value ?? []}
          changed={changed}
        />
      ))}
    </section>
  );
}

function Group(props: {
  readonly kind: User['kind'];
  readonly users: readonly User[];
  readonly accounts: readonly ShownPerson[];
  readonly changed: () => void;
}) {
  const w = words.value;
  const { kind, users, accounts, changed } = props;
  if (users.length === 0) return null;
  return (
    <section class="item-section" aria-labelledby={kind === 'person' ? undefined : `users-${kind}`}>
      {kind !== 'person' && <h3 id={`users-${kind}`}>{w.userGroups[kind]}</h3>}
      <ul class="rows">
        {users.map((user) => {
          const account = accounts.find(({ userId }) => userId === user.id);
          return (
            <li key={user.id} class="line" data-row tabIndex={-1}>
              <div>
                <p>
                  <Foreign text={user.displayName || user.name} />
                </p>
                <p class="quiet">
                  {user.displayName !== user.name && <Foreign text={user.name} />}{' '}
                  {account && (
                    <>
                      {w.manage.account.roles[account.role]} · {w.manage.members.since}{' '}
                      <When at={account.createdAt} />
                    </>
                  )}
                </p>
              </div>
              <div class="line-tools">
                <FollowButton userId={user.id} name={user.name} />
                {account && <MemberTools person={account} changed={changed} />}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
