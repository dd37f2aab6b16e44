import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { fieldText, problemText } from '../server-text.ts';
import { words } from '../words/words.ts';

/** A form that sends once, shows a problem beside the field it belongs to, and keeps what was typed. */
export function Form(props: {
  readonly send: () => Promise<void>;
  readonly button: string;
  readonly children: (problems: Problems) => ComponentChildren;
}) {
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    setError(null);
    try {
      await props.send();
    } catch (thrown) {
      setError(thrown instanceof ApiError ? thrown : new ApiError(String(thrown), -1));
    } finally {
      setSending(false);
    }
  };
  const w = words.value;
  const fields = new Map(error?.fields.map((problem) => [problem.field, fieldText(problem)]));
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      {props.children((field) => fields.get(field) ?? null)}
      {error !== null && fields.size === 0 && (
        <p class="form-problem" role="alert">
          {problemText(error)}
        </p>
      )}
      <button type="submit" class="button button-main" disabled={sending}>
        {sending ? w.sending : props.button}
      </button>
    </form>
  );
}

type Problems = (field: string) => string | null;

export function Field(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'password' | 'number';
  readonly placeholder?: string;
  readonly list?: string;
  readonly min?: number;
  readonly max?: number;
  readonly autocomplete?: string;
  readonly hint?: string;
  readonly problem?: string | null;
  readonly required?: boolean;
}) {
  const id = `f-${props.name}`;
  const { problem = null, hint } = props;
  // The types of the library want a single one; they differ in nothing that is used here.
  const kind = { type: props.type ?? 'text' } as { readonly type: 'text' };
  const described = [hint === undefined ? '' : `${id}-hint`, problem === null ? '' : `${id}-problem`];
  return (
    <div class="field">
      <label htmlFor={id}>{props.label}</label>
      <input
        id={id}
        name={props.name}
        {...kind}
        autocomplete={props.autocomplete ?? 'off'}
        autocapitalize="none"
        spellcheck={false}
        required={props.required ?? true}
        value={props.value}
        placeholder={props.placeholder}
        list={props.list}
        min={props.min}
        max={props.max}
        aria-invalid={problem !== null}
        aria-describedby={described.join(' ').trim() || undefined}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem !== null && (
        <p class="form-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
