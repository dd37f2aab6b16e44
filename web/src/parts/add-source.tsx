import { useState } from 'preact/hooks';

import type { SourceCandidate } from '../../../src/sources/source-editing.ts';
import { api } from '../api.ts';
import { useRead } from '../use-read.ts';
import { words } from '../words/words.ts';
import { Problem, useActing } from './action.tsx';
import { Field } from './form.tsx';
import { When } from './relative-time.tsx';
import { Foreign } from './text.tsx';

/** For the owner: look at what is behind an address, then follow it. And whole lists of feeds in and out. */
export function AddSource({ changed }: { readonly changed: () => void }) {
  const w = words.value;
  const { value } = useRead('pipelines', (signal) => api.pipelines(signal));
  const [address, setAddress] = useState('');
  const [found, setFound] = useState<readonly SourceCandidate[]>([]);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [done, setDone] = useState<string | null>(null);
  const acting = useActing();
  const look = (event: Event): void => {
    event.preventDefault();
    setDone(null);
    setFound([]);
    acting.run(async () => setFound((await api.source.preview(address)).candidates));
  };
  const add = (candidate: SourceCandidate): void =>
    acting.run(async () => {
      const { id } = await api.source.add(candidate.address, chosen);
      setDone(w.sourceAdded(id));
      setFound([]);
      setAddress('');
      changed();
    });
  const toggle = (id: string, on: boolean): void =>
    setChosen(on ? [...chosen, id] : chosen.filter((other) => other !== id));
  return (
    <section class="add-source" aria-labelledby="add-title">
      <h3 id="add-title">{w.addSource}</h3>
      <form class="form form-row" onSubmit={look}>
        <Field
          label={w.sourceAddress}
          name="address"
          value={address}
          onInput={setAddress}
          hint={w.sourceAddressHint}
        />
        <button type="submit" class="button" disabled={acting.busy}>
          {acting.busy ? w.sending : w.lookThere}
        </button>
      </form>
      <Problem acting={acting} />
      {done !== null && <p role="status">{done}</p>}
      {found.length > 0 && (
        <div class="found" role="status">
          {found.length > 1 && <p>{w.severalFeeds(found.length)}</p>}
          <fieldset>
            <legend>{w.readBy}</legend>
            {value?.pipelines.map((pipeline) => (
              <label key={pipeline.id}>
                <input
                  type="checkbox"
                  checked={chosen.includes(pipeline.id)}
                  onChange={(event) => toggle(pipeline.id, event.currentTarget.checked)}
                />{' '}
                <Foreign text={pipeline.name} />
              </label>
            ))}
          </fieldset>
          {found.map((candidate) => (
            <Candidate
              key={candidate.address}
              candidate={candidate}
              busy={acting.busy}
              add={() => add(candidate)}
            />
          ))}
        </div>
      )}
      <Opml changed={changed} />
    </section>
  );
}

function Candidate(props: {
  readonly candidate: SourceCandidate;
  readonly busy: boolean;
  readonly add: () => void;
}) {
  const w = words.value;
  const { candidate } = props;
  return (
    <div class="candidate">
      <p class="row-title">
        <Foreign text={candidate.title ?? candidate.address} />
      </p>
      {candidate.known !== null && <p class="form-problem">{w.sourceKnown(candidate.known)}</p>}
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
      <button type="button" class="button button-main" disabled={props.busy} onClick={props.add}>
        {w.addIt}
        <span class="visually-hidden">: {candidate.title ?? candidate.address}</span>
      </button>
    </div>
  );
}

function Opml({ changed }: { readonly changed: () => void }) {
  const w = words.value;
  const acting = useActing();
  const [done, setDone] = useState<string | null>(null);
  const take = (file: File | undefined): void => {
    if (!file) return;
    setDone(null);
    acting.run(async () => {
      const { added, known, skipped } = await api.source.importOpml(await file.text());
      setDone(w.opmlDone(added.length, known, skipped));
      changed();
    });
  };
  return (
    <>
      <p class="opml">
        <a class="button" href="/api/v1/sources.opml" download="kawaraban.opml">
          {w.exportOpml}
        </a>
        <label class="button">
          {w.importOpml}
          <input
            class="visually-hidden"
            type="file"
            accept=".opml,.xml,text/x-opml,text/xml,application/xml"
            onChange={(event) => {
              take(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </label>
      </p>
      <Problem acting={acting} />
      {done !== null && <p role="status">{done}</p>}
    </>
  );
}
