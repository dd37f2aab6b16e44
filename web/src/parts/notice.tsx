import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api.ts';
import { problemText } from '../server-text.ts';
import { words } from '../words/words.ts';

/** In place of content: an empty page, an error, no connection. */
export function Notice(props: {
  readonly title: string;
  readonly alert?: boolean;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="notice" role={props.alert ? 'alert' : undefined}>
      <span class="notice-mark" aria-hidden="true" />
      <p class="notice-title">{props.title}</p>
      {props.children}
    </div>
  );
}

export function FailureNotice({
  failure,
  again,
}: {
  readonly failure: ApiError;
  readonly again: () => void;
}) {
  const w = words.value;
  return (
    <Notice title={failure.offline ? w.offlineTitle : w.errorTitle} alert>
      <p>{failure.offline ? w.offlineMore : problemText(failure)}</p>
      <button type="button" class="button" onClick={again}>
        {w.again}
      </button>
    </Notice>
  );
}

/** Lines in the shape of what will stand here. */
export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{words.value.loading}</span>
      {[1, 2, 3, 4].map((line) => (
        <div key={line} class="loading-row" aria-hidden="true">
          <span />
          <span />
          <span />
        </div>
      ))}
    </div>
  );
}
