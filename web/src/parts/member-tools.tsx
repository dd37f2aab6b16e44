import { useState } from 'preact/hooks';
import { api, type ShownPerson } from '../api.ts';
import { me } from '../session.ts';
import { relative } from '../time.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';
import { CopyText } from './copy-text.tsx';

export interface OneTimeLink {
  readonly path: string;
  readonly expiresAt: number;
}

/** For the owner: an invitation, as a link that works once. */
export function Invite() {
  const w = words.value.manage.members;
  const [link, setLink] = useState<OneTimeLink | null>(null);
  const action = useAction();
  const invite = (role: 'owner' | 'reader') => () =>
    action.run(async () => setLink(await api.people.invite(role)));
  return (
    <>
      <p class="line-tools">
        <button type="button" class="button button-main" disabled={action.busy} onClick={invite('reader')}>
          {w.invite}
        </button>
        <button type="button" class="button" disabled={action.busy} onClick={invite('owner')}>
          {w.inviteOwner}
        </button>
      </p>
      <ActionProblem action={action} />
      <LinkOnce link={link} />
    </>
  );
}

/** For the owner: a link for a forgotten password, and the end of an access. */
export function MemberTools({
  person,
  changed,
}: {
  readonly person: ShownPerson;
  readonly changed: () => void;
}) {
  const w = words.value.manage.members;
  const [link, setLink] = useState<OneTimeLink | null>(null);
  const action = useAction();
  return (
    <div class="member-tools">
      <p class="line-tools">
        <button
          type="button"
          class="button button-small"
          disabled={action.busy}
          onClick={() => action.run(async () => setLink(await api.people.resetLink(person.userId)))}
        >
          {w.resetLink}
          <span class="visually-hidden">: {person.name}</span>
        </button>
        {person.userId !== me.value?.userId && (
          <button
            type="button"
            class="button button-small"
            disabled={action.busy}
            onClick={() => {
              if (confirm(w.removeSure(person.name)))
                action.run(async () => {
                  await api.people.remove(person.userId);
                  changed();
                });
            }}
          >
            {w.remove}
            <span class="visually-hidden">: {person.name}</span>
          </button>
        )}
      </p>
      <ActionProblem action={action} />
      <LinkOnce link={link} />
    </div>
  );
}

function LinkOnce({ link }: { readonly link: OneTimeLink | null }) {
  const w = words.value.manage.members;
  return (
    <div role="status">
      {link !== null && (
        <div class="one-time">
          <p>{w.linkOnce(relative(link.expiresAt))}</p>
          <CopyText text={location.origin + link.path} />
        </div>
      )}
    </div>
  );
}
