import { useState } from 'preact/hooks';
import { useRead } from '../hooks.ts';
import { type LearnedReaction, readerApi } from '../reader/api.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';
import { FailureNotice, Loading } from './notice.tsx';
import { When } from './relative-time.tsx';
import { Toggle } from './setting.tsx';
import { Foreign, languageOf, webAddress } from './text.tsx';

/** What the newsroom learned from this person: to be seen, removed and switched off. */
export function LearningSettings() {
  const w = words.value.reader.learning;
  const { value, failure, again } = useRead('learning', (signal) => readerApi.learning(signal));
  const [wanted, setWanted] = useState<boolean | null>(null);
  const action = useAction(again);
  const setEnabled = (on: boolean): void => {
    setWanted(on);
    action.run(() =>
      readerApi.setLearning(on).catch((error: unknown) => {
        setWanted(null);
        throw error;
      }),
    );
  };
  return (
    <section class="setting-group" aria-labelledby="learning-title" data-learning>
      <h3 id="learning-title">{w.title}</h3>
      <p class="quiet">{w.about}</p>
      {failure ? (
        <FailureNotice failure={failure} again={again} />
      ) : value === null ? (
        <Loading />
      ) : !value.available ? (
        <p>{w.unavailable}</p>
      ) : (
        <>
          <Toggle label={w.enabled} on={wanted ?? value.enabled} disabled={action.busy} set={setEnabled} />
          <ActionProblem action={action} />
          {value.reactions.length === 0 ? (
            <p class="quiet">{w.nothing}</p>
          ) : (
            <details class="setting-more">
              <summary>{w.reactions(value.reactions.length)}</summary>
              <ul class="learned-list">
                {value.reactions.map((reaction) => (
                  <ReactionRow
                    key={reaction.id}
                    reaction={reaction}
                    remove={() => action.run(() => readerApi.forgetReaction(reaction.id))}
                  />
                ))}
              </ul>
              <button
                type="button"
                class="button button-small"
                data-act="forget-all"
                disabled={action.busy}
                onClick={() => action.run(() => readerApi.forgetAll())}
              >
                {w.forgetAll}
              </button>
            </details>
          )}
        </>
      )}
    </section>
  );
}

function ReactionRow({
  reaction: { kind, title, url, at },
  remove,
}: {
  readonly reaction: LearnedReaction;
  readonly remove: () => void;
}) {
  const w = words.value.reader.learning;
  const address = webAddress(url);
  return (
    <li>
      <b>{w.kinds[kind]}</b>{' '}
      <span lang={languageOf(title)}>
        {address === null ? (
          <Foreign text={title} most={200} />
        ) : (
          <a href={address} target="_blank" rel="noopener noreferrer">
            <Foreign text={title} most={200} />
          </a>
        )}
      </span>{' '}
      <span class="quiet">
        <When at={at} />
      </span>{' '}
      <button
        type="button"
        class="button button-small"
        aria-label={`${w.remove}: ${title.slice(0, 80)}`}
        onClick={remove}
      >
        {w.remove}
      </button>
    </li>
  );
}
