import { useState } from 'preact/hooks';
import { ApiError, api } from '../api.ts';
import { me } from '../session.ts';
import { relative } from '../time.ts';
import { useRead } from '../use-read.ts';
import { words } from '../words/words.ts';
import { Trouble } from './notice.tsx';
import { When } from './relative-time.tsx';
import { Foreign } from './text.tsx';

/** Who may come in, for the owner: invitations, links for a forgotten password, and the end of an access. */
export function People() {
  const w = words.value;
  const { value, trouble, again } = useRead('people', (signal) => api.people.all(signal));
  const [link, setLink] = useState<{ readonly url: string; readonly expiresAt: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const act = async (work: () => Promise<{ path: string; expiresAt: number } | undefined>): Promise<void> => {
    setProblem(null);
    try {
      const made = await work();
      setLink(made ? { url: location.origin + made.path, expiresAt: made.expiresAt } : null);
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
    }
    again();
  };
  return (
    <section class="item-section" aria-labelledby="people-title">
      <h3 id="people-title">{w.peopleTitle}</h3>
      {trouble && <Trouble trouble={trouble} again={again} />}
      {problem !== null && (
        <p class="form-problem" role="alert">
          {problem}
        </p>
      )}
      <ul class="rows">
        {value?.people.map((person) => (
          <li key={person.userId} class="line">
            <div>
              <p>
                <Foreign text={person.name} />
              </p>
              <p class="quiet">
                {w.roles[person.role]} · <When at={person.createdAt} />
              </p>
            </div>
            <p class="line-tools">
              <button
                type="button"
                class="button"
                onClick={() => void act(() => api.people.resetLink(person.userId))}
              >
                {w.resetLink}
                <span class="visually-hidden">: {person.name}</span>
              </button>
              {person.userId !== me.value?.userId && (
                <button
                  type="button"
                  class="button"
                  onClick={() => {
                    if (confirm(w.removePersonSure(person.name)))
                      void act(async () => {
                        await api.people.remove(person.userId);
                        return undefined;
                      });
                  }}
                >
                  {w.removePerson}
                  <span class="visually-hidden">: {person.name}</span>
                </button>
              )}
            </p>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" class="button" onClick={() => void act(() => api.people.invite('reader'))}>
          {w.invite}
        </button>
      </p>
      {link !== null && (
        <p class="one-time" role="status">
          {w.linkOnce(relative(link.expiresAt))}
          <code>{link.url}</code>
        </p>
      )}
    </section>
  );
}
