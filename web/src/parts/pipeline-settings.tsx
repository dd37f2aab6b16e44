import { useState } from 'preact/hooks';
import type { PipelineSettingsBody } from '../../../src/server/http/pipeline-settings-routes.ts';
import { api, type PipelineSettingsChange } from '../api.ts';
import { useRead } from '../hooks.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';
import { Field, Form } from './form.tsx';
import { FailureNotice, Loading } from './notice.tsx';
import { SettingsState } from './setting.tsx';

type Unit = 'm' | 'h' | 'd';
const UNITS: readonly (readonly [Unit, number])[] = [
  ['d', 24 * 60 * 60_000],
  ['h', 60 * 60_000],
  ['m', 60_000],
];

interface Draft {
  readonly kind: 'every' | 'cron';
  readonly every: string;
  readonly unit: Unit;
  readonly expression: string;
  readonly timeZone: string;
  readonly minScore: string;
}

/** For the owner: schedule, minimum score and pause of a pipeline; in force without a restart. */
export function PipelineSettings(props: { readonly pipeline: string; readonly changed?: () => void }) {
  const { value, failure, again } = useRead(`settings ${props.pipeline}`, (signal) =>
    api.pipelineSettings.read(props.pipeline, signal),
  );
  if (failure) return <FailureNotice failure={failure} again={again} />;
  if (value === null) return <Loading />;
  return (
    <SettingsForm
      key={`${value.changed?.at ?? 0}`}
      pipeline={props.pipeline}
      settings={value}
      changed={() => {
        again();
        props.changed?.();
      }}
    />
  );
}

function SettingsForm(props: {
  readonly pipeline: string;
  readonly settings: PipelineSettingsBody;
  readonly changed: () => void;
}) {
  const w = words.value.manage.pipeline;
  const { pipeline, settings } = props;
  const [draft, setDraft] = useState<Draft>(() => draftOf(settings));
  const change = (next: Partial<Draft>): void => setDraft({ ...draft, ...next });
  const send = (next: PipelineSettingsChange, text: string) => async (): Promise<void> => {
    await api.pipelineSettings.change(pipeline, next);
    lastDone.set(pipeline, text);
    props.changed();
  };
  const id = `p-${pipeline}`;
  return (
    <>
      <Form button={w.save} send={() => send(changeOf(draft, settings), w.saved)()}>
        {(problem) => (
          <>
            <fieldset class="choices">
              <legend>{w.scheduleKind}</legend>
              {(['every', 'cron'] as const).map((kind) => (
                <label key={kind}>
                  <input
                    type="radio"
                    name={`${id}-kind`}
                    checked={draft.kind === kind}
                    onChange={() => change({ kind })}
                  />{' '}
                  {kind === 'every' ? w.interval : w.cron}
                </label>
              ))}
            </fieldset>
            {draft.kind === 'every' ? (
              <div key="every" class="field-pair">
                <Field
                  label={w.every}
                  name={`${id}-every`}
                  type="number"
                  min={1}
                  value={draft.every}
                  onInput={(every) => change({ every })}
                  problem={problem('every')}
                />
                <div class="field">
                  <label htmlFor={`f-${id}-unit`}>{w.unit}</label>
                  <select
                    id={`f-${id}-unit`}
                    value={draft.unit}
                    onChange={(event) =>
                      change({ unit: UNITS.find(([unit]) => unit === event.currentTarget.value)?.[0] ?? 'm' })
                    }
                  >
                    {UNITS.toReversed().map(([unit]) => (
                      <option key={unit} value={unit}>
                        {w.units[unit]}
                      </option>
                    ))}
                  </select>
                </div>
              </div>
            ) : (
              <div key="cron" class="field-pair">
                <Field
                  label={w.expression}
                  name={`${id}-cron`}
                  value={draft.expression}
                  onInput={(expression) => change({ expression })}
                  hint={w.expressionHint}
                  problem={problem('schedule')}
                />
                <Field
                  label={w.timeZone}
                  name={`${id}-zone`}
                  value={draft.timeZone}
                  onInput={(timeZone) => change({ timeZone })}
                  problem={problem('timeZone')}
                />
              </div>
            )}
            {settings.configured.minScore !== null && (
              <Field
                label={w.minScore}
                name={`${id}-score`}
                type="number"
                min={0}
                max={100}
                value={draft.minScore}
                onInput={(minScore) => change({ minScore })}
                hint={w.minScoreHint}
                problem={problem('minScore')}
              />
            )}
          </>
        )}
      </Form>
      <SettingsState
        changed={settings.changed}
        done={lastDone.get(pipeline) ?? ''}
        reset={send({ schedule: null, every: null, minScore: null, enabled: null }, w.resetDone)}
      />
    </>
  );
}

/** The form is created again with the saved settings; what was done last outlives it. */
const lastDone = new Map<string, string>();

/** Pauses a pipeline, or resumes it. */
export function PauseButton(props: {
  readonly pipeline: string;
  readonly name: string;
  readonly paused: boolean;
  readonly changed: () => void;
}) {
  const w = words.value.manage.pipeline;
  const action = useAction(props.changed);
  return (
    <>
      <button
        type="button"
        class="button button-small"
        disabled={action.busy}
        onClick={() =>
          action.run(() => api.pipelineSettings.change(props.pipeline, { enabled: props.paused }))
        }
      >
        {action.busy ? words.value.sending : props.paused ? w.resume : w.pause}
        <span class="visually-hidden">: {props.name}</span>
      </button>
      <ActionProblem action={action} />
    </>
  );
}

function draftOf({ effective }: PipelineSettingsBody): Draft {
  const ms = effective.everyMs ?? 60 * 60_000;
  const [unit, size] = UNITS.find(([, size]) => ms % size === 0) ?? (['m', 60_000] as const);
  return {
    kind: effective.everyMs === null ? 'cron' : 'every',
    every: String(Math.max(1, Math.round(ms / size))),
    unit,
    expression: effective.schedule ?? '0 9 * * *',
    timeZone: effective.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    minScore: String(effective.minScore ?? ''),
  };
}

/** Only what differs, so that an untouched setting keeps following the configuration file. */
function changeOf(draft: Draft, { effective }: PipelineSettingsBody): PipelineSettingsChange {
  const every = `${draft.every}${draft.unit}`;
  const before = draftOf({ effective } as PipelineSettingsBody);
  const sameSchedule =
    draft.kind === before.kind &&
    (draft.kind === 'every'
      ? every === `${before.every}${before.unit}`
      : draft.expression === before.expression && draft.timeZone === before.timeZone);
  return {
    ...(!sameSchedule &&
      (draft.kind === 'every' ? { every } : { schedule: draft.expression, timeZone: draft.timeZone })),
    ...(draft.minScore !== before.minScore && { minScore: Number(draft.minScore) }),
  };
}
