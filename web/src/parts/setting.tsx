import { relative } from '../time.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';

/** A choice of a few words, in force as soon as it is made. */
export function Select<T extends string>(props: {
  readonly id: string;
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly choose: (value: T) => void;
}) {
  return (
    <p class="setting">
      <label htmlFor={`s-${props.id}`}>{props.label}</label>
      <select
        id={`s-${props.id}`}
        value={props.value}
        onChange={(event) => {
          const chosen = props.options.find(([value]) => value === event.currentTarget.value);
          if (chosen) props.choose(chosen[0]);
        }}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </p>
  );
}

export function Toggle(props: {
  readonly label: string;
  readonly on: boolean;
  readonly set: (on: boolean) => void;
  readonly disabled?: boolean;
}) {
  return (
    <p class="setting">
      <label>
        <input
          type="checkbox"
          checked={props.on}
          disabled={props.disabled ?? false}
          onChange={(event) => props.set(event.currentTarget.checked)}
        />{' '}
        {props.label}
      </label>
    </p>
  );
}

/** What was done last, who changed the settings, and the way back to those of the configuration file. */
export function SettingsState(props: {
  readonly changed: { readonly by: string; readonly at: number } | null;
  readonly done: string;
  readonly reset: () => Promise<void>;
}) {
  const w = words.value.manage.pipeline;
  const reset = useAction();
  const { changed } = props;
  return (
    <>
      <p class="done" role="status">
        {props.done}
      </p>
      <p class="quiet">
        {changed === null ? w.asInFile : w.changed(changed.by, relative(changed.at))}{' '}
        {changed !== null && (
          <button
            type="button"
            class="link"
            disabled={reset.busy}
            onClick={() => reset.run(() => props.reset())}
          >
            {w.reset}
          </button>
        )}
      </p>
      <ActionProblem action={reset} />
    </>
  );
}
