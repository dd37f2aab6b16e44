import { signal } from '@preact/signals';

/** When the data on the screen was loaded, if the service worker answered because the newsroom did not; else `null`. */
export const offlineSince = signal<number | null>(null);
/** The last request did not reach the newsroom. */
export const unreachable = signal(false);

/** The service worker puts the time of storing into this header of an answer from its cache. */
const STORED_AT = 'x-kawaraban-stored-at';

export function noteAnswer(answer: Response | null): void {
  const stored = answer?.headers.get(STORED_AT) ?? null;
  unreachable.value = answer === null || stored !== null;
  if (stored !== null) offlineSince.value ??= Number(stored);
  else if (answer !== null) offlineSince.value = null;
}
