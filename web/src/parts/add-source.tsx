import { useState } from 'preact/hooks';
import type { SourceCandidate } from '../../../src/sources/source-editing.ts';
import { api } from '../api.ts';
import { parsePath } from '../folders.ts';
import { useRead } from '../hooks.ts';
import { refreshOverviewSoon } from '../reader/overview.ts';
import { readerHref } from '../reader/scope.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';
import { Field, Form } from './form.tsx';
import { When } from './relative-time.tsx';
import { type SourceDraft, SourceFields } from './source-fields.tsx';
import { Foreign } from './text.tsx';

/** For the owner: finds the feeds at an address, previews them and adds one. */
export function AddSource({ changed }: { readonly changed: () => void }) {
  const w = words.value.manage.sources;
  const [address, setAddress] = useState('');
  const [found, setFound] = useState<readonly SourceCandidate[]>([]);
  const [added, setAdded] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const action = useAction();
  const find = (event: Event): void => {
    event.preventDefault();
    setAdded(null);
    setFound([]);
    action.run(async () => setFound((await api.source.preview(address)).candidates));
  };
  return (
    <section class="add-source" aria-labelledby="add-title">
      <h3 id="add-title">{w.add}</h3>
      <form class="form form-row" onSubmit={find}>
        <Field
          label={w.address}
          name="address"
          value={address}
          onInput={setAddress}
          hint={w.addressHint}
          placeholder="https://"
        />
        <button type="submit" class="button button-main" disabled={action.busy}>
          {w.findFeed}
        </button>
      </form>
      <ActionProblem action={action} />
      <div role="status">
        {action.busy && <p class="quiet">{w.finding}</p>}
        {added !== null && (
          <p class="done">
            {w.added(added.name)} <a href={readerHref({ source: added.id })}>{w.showEntries}</a>
          </p>
        )}
        {found.length > 1 && <p>{w.severalFeeds(found.length)}</p>}
      </div>
      {found.map((candidate, index) => (
        <Candidate
          key={candidate.address}
          index={index}
          candidate={candidate}
          open={found.length === 1}
          added={(id, name) => {
            setFound([]);
            setAddress('');
            setAdded({ id, name });
            refreshOverviewSoon();
            changed();
          }}
        />
      ))}
    </section>
  );
}

function Candidate(props: {
  readonly index: number;
  readonly candidate: SourceCandidate;
  readonly open: boolean;
  readonly added: (id: string, name: string) => void;
}) {
  const w = words.value.manage.sources;
  const { candidate, index } = props;
  const title = candidate.title ?? candidate.address;
  const { value } = useRead('pipelines', (signal) => api.pipelines(signal));
  const [draft, setDraft] = useState<SourceDraft>({ name: title.slice(0, 100), folder: '', pipelines: [] });
  const [follow, setFollow] = useState(true);
  return (
    <details class="candidate" open={props.open}>
      <summary>
        <b>
          <Foreign text={title} most={160} />
        </b>{' '}
        <span class="quiet">
          <Foreign text={candidate.address} most={160} />
        </span>
      </summary>
      <Preview candidate={candidate} />
      {candidate.known === null && (
        <Form
          button={w.addIt}
          send={async () => {
            const { id } = await api.source.add({
              address: candidate.address,
              name: draft.name,
              folders: parsePath(draft.folder),
              pipelines: draft.pipelines,
              follow,
              // The preview showed that it fails; adding it now means adding it anyway.
              anyway: candidate.trouble !== null,
            });
            props.added(id, draft.name);
          }}
        >
          {(problem) => (
            <>
              <SourceFields
                id={`add-${index}`}
                draft={draft}
                change={setDraft}
                pipelines={value?.pipelines ?? []}
                problem={problem}
              />
              <label class="choice">
                <input
                  type="checkbox"
                  checked={follow}
                  onChange={(event) => setFollow(event.currentTarget.checked)}
                />{' '}
                {w.followIt} <span class="quiet">{w.followHint}</span>
              </label>
            </>
          )}
        </Form>
      )}
    </details>
  );
}

function Preview({ candidate }: { readonly candidate: SourceCandidate }) {
  const w = words.value;
  const s = w.manage.sources;
  return (
    <>
      {candidate.known !== null && (
        <p>
          {s.known(candidate.known)}{' '}
          <a href={`/sources?${new URLSearchParams({ id: candidate.known })}`}>{s.details}</a>
        </p>
      )}
      {candidate.trouble !== null && (
        <p class="form-problem">
          <Foreign text={candidate.trouble} />
        </p>
      )}
      {candidate.warnings.map((warning) => (
        <p key={warning} class="quiet">
          <Foreign text={warning} />
        </p>
      ))}
      {candidate.items.length > 0 && (
        <>
          <h4 class="candidate-title">{s.latest}</h4>
          <ul class="found-items">
            {candidate.items.slice(0, 5).map((item) => (
              <li key={item.url}>
                <Foreign text={item.title || w.untitled} most={160} />{' '}
                <span class="quiet">
                  <When at={item.publishedAt} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {candidate.items.length === 0 && candidate.trouble === null && <p class="quiet">{s.noEntries}</p>}
    </>
  );
}
