import { useEffect, useRef, useState } from 'preact/hooks';
import { wordKey } from '../../../src/item/word-key.ts';
import type {
  AliasDecisionBody,
  InterestWordsBody,
  PipelineInterestsBody,
} from '../../../src/server/http/interest-routes.ts';
import { api } from '../api.ts';
import { useRead } from '../hooks.ts';
import { relative } from '../time.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';
import { Field, Form } from './form.tsx';
import { FailureNotice, Loading } from './notice.tsx';
import { Foreign, languageOf } from './text.tsx';

type Decision = AliasDecisionBody['decision'];
type ShownInterest = PipelineInterestsBody['interests'][number];
type InterestWords = InterestWordsBody['interests'][number];

/** For the owner: the interests of a curator with their aliases, and proposals of more from its own articles. */
export function PipelineInterests({ pipeline }: { readonly pipeline: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="setting-more run" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.value.manage.pipeline.interests}</summary>
      {open && <InterestList pipeline={pipeline} />}
    </details>
  );
}

function InterestList({ pipeline }: { readonly pipeline: string }) {
  const w = words.value.manage.pipeline;
  const { value, failure, again } = useRead(`interests ${pipeline}`, (signal) =>
    api.interests.read(pipeline, signal),
  );
  // A decision answers with the words alone: the articles are not read again for it.
  const [decided, setDecided] = useState<readonly InterestWords[]>([]);
  if (failure) return <FailureNotice failure={failure} again={again} />;
  if (value === null) return <Loading />;
  return (
    <>
      <p class="quiet">{w.interestsHint}</p>
      <ul class="interests">
        {value.interests.map((interest) => (
          <InterestItem
            key={interest.topic}
            pipeline={pipeline}
            interest={{ ...interest, ...decided.find(({ topic }) => topic === interest.topic) }}
            of={value.items}
            decide={async (decision) => {
              const { interests } = await api.interests.decide(pipeline, decision);
              setDecided(interests);
            }}
            again={again}
          />
        ))}
      </ul>
    </>
  );
}

/** What was done last, and how it is undone. */
interface Done {
  readonly word: string;
  readonly text: string;
  readonly before: Decision;
}

function InterestItem(props: {
  readonly pipeline: string;
  readonly interest: ShownInterest;
  /** Articles that were read. */
  readonly of: number;
  readonly decide: (decision: AliasDecisionBody) => Promise<void>;
  /** Reads the articles again. */
  readonly again: () => void;
}) {
  const w = words.value.manage.pipeline;
  const { topic, aliases, added, refused, items, proposals } = props.interest;
  const [typed, setTyped] = useState('');
  const [done, setDone] = useState<Done | null>(null);
  const action = useAction();
  const isIn = (list: readonly { readonly word: string }[], word: string): boolean =>
    list.some((one) => wordKey(one.word) === wordKey(word));
  const decisionOn = (word: string): Decision =>
    isIn(added, word) ? 'accepted' : isIn(refused, word) ? 'refused' : 'none';
  const decide = async (word: string, decision: Decision): Promise<void> => {
    const before = decisionOn(word);
    await props.decide({ topic, words: [word], decision });
    const text =
      decision === 'accepted'
        ? w.aliasDone.accepted(word, topic)
        : decision === 'refused'
          ? w.aliasDone.refused(word)
          : before === 'accepted'
            ? w.aliasDone.removed(word, topic)
            : w.aliasDone.restored(word);
    setDone(before === decision ? null : { word, text, before });
    // It may be proposed now, and was not when the articles were read.
    if (decision === 'none' && !isIn(proposals, word)) props.again();
  };
  const button = (word: string, decision: Decision, text: string, look = 'button button-small') => (
    <button
      type="button"
      class={look}
      disabled={action.busy}
      aria-label={`${text}: ${word}`}
      onClick={() => action.run(() => decide(word, decision))}
    >
      {text}
    </button>
  );
  const open = proposals.filter(
    ({ word }) => !isIn(refused, word) && !aliases.some((alias) => wordKey(alias) === wordKey(word)),
  );
  return (
    <li class="interest" data-topic={topic}>
      <h4>
        <Foreign text={topic} /> <span class="quiet">{w.namedIn(items, props.of)}</span>
      </h4>
      {aliases.length > 0 && (
        <ul class="aliases" aria-label={w.aliases(topic)}>
          {aliases.map((alias) => {
            const own = added.find(({ word }) => word === alias);
            return (
              <li key={alias} title={own && w.addedBy(own.by, relative(own.at))}>
                <span lang={languageOf(alias)}>{alias}</span>
                {own === undefined ? (
                  <span class="quiet">{w.inFile}</span>
                ) : (
                  button(alias, 'none', w.removeAlias, 'link')
                )}
              </li>
            );
          })}
        </ul>
      )}
      {open.length > 0 && (
        <>
          <p>{w.proposals}</p>
          <ul class="proposals">
            {open.map(({ word, together, elsewhere }) => (
              <li key={word}>
                <b lang={languageOf(word)}>{word}</b>{' '}
                <span class="quiet">{w.proposalWhy(together, elsewhere)}</span>
                <span class="proposal-tools">
                  {button(word, 'accepted', w.addAlias)}
                  {button(word, 'refused', w.refuseProposal)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="alias-form">
        <Form
          button={w.addAlias}
          send={async () => {
            await decide(typed.trim(), 'accepted');
            setTyped('');
          }}
        >
          {(problem) => (
            <Field
              label={w.newAlias}
              name={`alias-${props.pipeline}-${topic}`}
              value={typed}
              onInput={setTyped}
              problem={problem('words.0')}
            />
          )}
        </Form>
      </div>
      {refused.length > 0 && (
        <details class="setting-more">
          <summary>{w.refusedProposals(refused.length)}</summary>
          <ul class="proposals">
            {refused.map(({ word }) => (
              <li key={word}>
                <b lang={languageOf(word)}>{word}</b>
                <span class="proposal-tools">{button(word, 'none', w.proposeAgain)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <DoneLine
        done={done}
        busy={action.busy}
        undo={({ word, before }) => action.run(() => decide(word, before))}
      />
      <ActionProblem action={action} />
    </li>
  );
}

function DoneLine(props: {
  readonly done: Done | null;
  readonly busy: boolean;
  readonly undo: (done: Done) => void;
}) {
  const { done } = props;
  const undo = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone.
  useEffect(() => {
    if (done !== null && document.activeElement === document.body) undo.current?.focus();
  }, [done]);
  return (
    <p class="done" role="status">
      {done !== null && (
        <>
          {done.text}{' '}
          <button
            ref={undo}
            type="button"
            class="link"
            disabled={props.busy}
            onClick={() => props.undo(done)}
          >
            {words.value.reader.undo}
          </button>
        </>
      )}
    </p>
  );
}
