import { useState } from 'preact/hooks';
import type { RetentionSettingsBody } from '../../../src/server/http/retention-settings-routes.ts';
import { api, type RetentionSettingsChange } from '../api.ts';
import { useRead } from '../hooks.ts';
import { words } from '../words/words.ts';
import { Field, Form } from './form.tsx';
import { FailureNotice, Loading } from './notice.tsx';
import { SettingsState } from './setting.tsx';

const DAY_MS = 24 * 60 * 60_000;
/** Suggested where nothing has been removed until now. */
const SUGGESTED_DAYS = 90;

interface KeepTime {
  readonly forEver: boolean;
  readonly days: string;
}

interface Draft {
  readonly entries: KeepTime;
  readonly texts: KeepTime;
  readonly keepPerSource: string;
}

/** For the owner: how long the reader keeps articles; in force without a restart. */
export function RetentionSettings() {
  const { value, failure, again } = useRead('retention settings', (signal) =>
    api.retentionSettings.read(signal),
  );
  const [done, setDone] = useState('');
  if (failure) return <FailureNotice failure={failure} again={again} />;
  if (value === null) return <Loading />;
  const change = async (next: RetentionSettingsChange, text: string): Promise<void> => {
    await api.retentionSettings.change(next);
    setDone(text);
    again();
  };
  const w = words.value.manage.pipeline;
  const asInFile = { entries: null, texts: null, keepPerSource: null };
  return (
    <>
      <RetentionForm
        key={JSON.stringify(value.effective)}
        settings={value}
        save={(next) => change(next, w.saved)}
      />
      <SettingsState changed={value.changed} done={done} reset={() => change(asInFile, w.resetDone)} />
    </>
  );
}

function RetentionForm(props: {
  readonly settings: RetentionSettingsBody;
  readonly save: (change: RetentionSettingsChange) => Promise<void>;
}) {
  const w = words.value.manage.settings;
  const [draft, setDraft] = useState<Draft>(() => draftOf(props.settings));
  const change = (next: Partial<Draft>): void => setDraft({ ...draft, ...next });
  return (
    <Form
      button={words.value.manage.pipeline.save}
      send={() => props.save(changeOf(draft, draftOf(props.settings)))}
    >
      {(problem) => (
        <>
          {(['entries', 'texts'] as const).map((what) => (
            <KeepTimeFields
              key={what}
              name={what}
              legend={w.retentionReader[what]}
              value={draft[what]}
              change={(next) => change({ [what]: { ...draft[what], ...next } })}
              problem={problem(what)}
            />
          ))}
          <Field
            label={w.keepPerSource}
            name="keep-per-source"
            type="number"
            min={0}
            value={draft.keepPerSource}
            onInput={(keepPerSource) => change({ keepPerSource })}
            hint={w.keepPerSourceHint}
            problem={problem('keepPerSource')}
          />
        </>
      )}
    </Form>
  );
}

function KeepTimeFields(props: {
  readonly name: string;
  readonly legend: string;
  readonly value: KeepTime;
  readonly change: (next: Partial<KeepTime>) => void;
  readonly problem: string | null;
}) {
  const w = words.value.manage.settings;
  const { forEver, days } = props.value;
  return (
    <fieldset class="choices">
      <legend>{props.legend}</legend>
      <label>
        <input
          type="checkbox"
          checked={forEver}
          onChange={(event) => props.change({ forEver: event.currentTarget.checked })}
        />{' '}
        {w.keepAll}
      </label>
      {!forEver && (
        <Field
          label={w.days}
          name={`keep-${props.name}`}
          type="number"
          min={1}
          value={days}
          onInput={(next) => props.change({ days: next })}
          problem={props.problem}
        />
      )}
    </fieldset>
  );
}

function draftOf({ effective }: RetentionSettingsBody): Draft {
  const keepTime = (ms: number | null): KeepTime => ({
    forEver: ms === null,
    days: String(ms === null ? SUGGESTED_DAYS : Math.max(1, Math.round(ms / DAY_MS))),
  });
  return {
    entries: keepTime(effective.entriesMs),
    texts: keepTime(effective.textsMs),
    keepPerSource: String(effective.keepPerSource),
  };
}

/** Only what differs, so that an untouched limit keeps following the configuration file. */
function changeOf(draft: Draft, before: Draft): RetentionSettingsChange {
  const written = ({ forEver, days }: KeepTime): string => (forEver ? 'keep' : `${days}d`);
  const differs = (what: 'entries' | 'texts'): boolean => written(draft[what]) !== written(before[what]);
  return {
    ...(differs('entries') && { entries: written(draft.entries) }),
    ...(differs('texts') && { texts: written(draft.texts) }),
    ...(draft.keepPerSource !== before.keepPerSource && { keepPerSource: Number(draft.keepPerSource) }),
  };
}
