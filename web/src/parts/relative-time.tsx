import { fullTime, relative } from '../time.ts';
import { words } from '../words/words.ts';

/** A time as people say it, with the exact one behind it. */
export function When({ at, never }: { readonly at: number | null; readonly never?: string }) {
  if (at === null) return <span class="quiet">{never ?? words.value.never}</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={fullTime(at)}>
      {relative(at)}
    </time>
  );
}
