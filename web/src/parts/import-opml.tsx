import { useState } from 'preact/hooks';
import { api, type OpmlResult } from '../api.ts';
import { useRead } from '../hooks.ts';
import { refreshOverviewSoon } from '../reader/overview.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';
import { FolderField } from './source-fields.tsx';
import { Foreign } from './text.tsx';

const MAX_LISTED = 20;

/** For the owner: shows what an OPML file would add, then adds it. */
export function ImportOpml({ changed }: { readonly changed: () => void }) {
  const w = words.value.manage.sources;
  const action = useAction();
  const [opml, setOpml] = useState('');
  const [preview, setPreview] = useState<OpmlResult | null>(null);
  const [imported, setImported] = useState<number | null>(null);
  const choose = (file: File | undefined): void => {
    if (!file) return;
    setImported(null);
    setPreview(null);
    action.run(async () => {
      const text = await file.text();
      setOpml(text);
      setPreview(await api.source.importOpml({ opml: text, dryRun: true }));
    });
  };
  return (
    <section class="add-source" aria-labelledby="import-title">
      <h3 id="import-title">{w.importTitle}</h3>
      <p class="opml">
        <label class="button">
          {w.importFile}
          <input
            class="visually-hidden"
            type="file"
            accept=".opml,.xml,text/x-opml,text/xml,application/xml"
            onChange={(event) => {
              choose(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </label>{' '}
        <span class="field-hint">{w.importHint}</span>
      </p>
      <ActionProblem action={action} />
      <div role="status">
        {action.busy && preview === null && <p class="quiet">{w.reading}</p>}
        {imported !== null && <p class="done">{w.imported(imported)}</p>}
      </div>
      {preview !== null && (
        <Confirm
          opml={opml}
          preview={preview}
          cancel={() => setPreview(null)}
          done={(added) => {
            setPreview(null);
            setImported(added);
            refreshOverviewSoon();
            changed();
          }}
        />
      )}
    </section>
  );
}

function Confirm(props: {
  readonly opml: string;
  readonly preview: OpmlResult;
  readonly cancel: () => void;
  readonly done: (added: number) => void;
}) {
  const w = words.value.manage.sources;
  const { preview, opml } = props;
  const { added, known, skipped } = preview;
  const action = useAction();
  const [folder, setFolder] = useState('');
  const [pipeline, setPipeline] = useState('');
  const { value } = useRead('pipelines', (signal) => api.pipelines(signal));
  const send = (event: Event): void => {
    event.preventDefault();
    action.run(async () => {
      const result = await api.source.importOpml({
        opml,
        dryRun: false,
        ...(folder.trim() !== '' && { folder: folder.trim() }),
        ...(pipeline !== '' && { pipeline }),
      });
      props.done(result.added.length);
    });
  };
  return (
    <form class="form found" onSubmit={send}>
      <p role="status">
        <b>{added.length === 0 ? w.nothingToAdd : w.wouldAdd(added.length)}</b>{' '}
        {known > 0 && w.alreadyKnown(known)} {skipped > 0 && w.skipped(skipped)}
      </p>
      {added.length > 0 && (
        <>
          <ul class="found-items">
            {added.slice(0, MAX_LISTED).map(({ id, url }) => (
              <li key={id}>
                <Foreign text={url} most={160} />
              </li>
            ))}
            {added.length > MAX_LISTED && <li>{w.more(added.length - MAX_LISTED)}</li>}
          </ul>
          <FolderField id="import" label={w.intoFolder} value={folder} onInput={setFolder} />
          {(value?.pipelines.length ?? 0) > 0 && (
            <div class="field">
              <label htmlFor="f-import-pipeline">{w.assignTo}</label>
              <select
                id="f-import-pipeline"
                value={pipeline}
                onChange={(event) => setPipeline(event.currentTarget.value)}
              >
                <option value="">{w.noPipeline}</option>
                {value?.pipelines.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.name}
                  </option>
                ))}
              </select>
            </div>
          )}
        </>
      )}
      <ActionProblem action={action} />
      <p class="line-tools">
        {added.length > 0 && (
          <button type="submit" class="button button-main" disabled={action.busy}>
            {action.busy ? w.importing : w.importIt(added.length)}
          </button>
        )}
        <button type="button" class="button" disabled={action.busy} onClick={props.cancel}>
          {added.length > 0 ? words.value.cancel : words.value.close}
        </button>
      </p>
    </form>
  );
}
