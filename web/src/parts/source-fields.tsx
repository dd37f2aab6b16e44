import { useEffect } from 'preact/hooks';
import type { PipelineStatus } from '../../../src/server/http/newsroom.ts';
import { folderPaths, loadFolders } from '../folders.ts';
import { words } from '../words/words.ts';
import { Field } from './form.tsx';
import { Foreign } from './text.tsx';

/** What a person says about a source. */
export interface SourceDraft {
  readonly name: string;
  /** A path such as `News/World`. */
  readonly folder: string;
  /** IDs of the pipelines that it is assigned to. */
  readonly pipelines: readonly string[];
}

/** Name, folder and pipelines of a source, in the form that adds or changes it. */
export function SourceFields(props: {
  /** Tells several forms of a page apart. */
  readonly id: string;
  readonly draft: SourceDraft;
  readonly change: (draft: SourceDraft) => void;
  readonly pipelines: readonly PipelineStatus[];
  /** IDs of pipelines that use it by their configuration; they cannot be unassigned here. */
  readonly configured?: readonly string[];
  readonly problem: (field: string) => string | null;
}) {
  const w = words.value.manage.sources;
  const { id, draft, change, pipelines, configured = [], problem } = props;
  return (
    <>
      <Field
        label={w.name}
        name={`${id}-name`}
        value={draft.name}
        onInput={(name) => change({ ...draft, name })}
        problem={problem('name')}
      />
      <FolderField
        id={id}
        value={draft.folder}
        onInput={(folder) => change({ ...draft, folder })}
        problem={problem('folders')}
      />
      {pipelines.length > 0 && (
        <fieldset class="choices">
          <legend>{w.pipelines}</legend>
          {pipelines.map((pipeline) => (
            <label key={pipeline.id}>
              <input
                type="checkbox"
                checked={draft.pipelines.includes(pipeline.id) || configured.includes(pipeline.id)}
                disabled={configured.includes(pipeline.id)}
                onChange={(event) =>
                  change({
                    ...draft,
                    pipelines: event.currentTarget.checked
                      ? [...draft.pipelines, pipeline.id]
                      : draft.pipelines.filter((other) => other !== pipeline.id),
                  })
                }
              />{' '}
              <Foreign text={pipeline.name} most={60} />
              {configured.includes(pipeline.id) && <span class="quiet"> ({w.origins.file})</span>}
            </label>
          ))}
          <p class="field-hint">{w.pipelinesHint}</p>
        </fieldset>
      )}
    </>
  );
}

export function FolderField(props: {
  readonly id: string;
  readonly label?: string;
  readonly value: string;
  readonly onInput: (folder: string) => void;
  readonly problem?: string | null;
}) {
  const w = words.value.manage.sources;
  useEffect(loadFolders, []);
  const list = `folders-${props.id}`;
  return (
    <>
      <Field
        label={props.label ?? w.folder}
        name={`${props.id}-folder`}
        value={props.value}
        onInput={props.onInput}
        hint={w.folderHint}
        problem={props.problem ?? null}
        required={false}
        list={list}
      />
      <datalist id={list}>
        {folderPaths.value.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </>
  );
}
