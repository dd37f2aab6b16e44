import type { SourceStatus } from '../../../src/sources/source-status.ts';
import { api } from '../api.ts';
import { words } from '../words/words.ts';
import { Problem, useActing } from './action.tsx';

/** For the owner: leave a source unread for a while, or for good. */
export function SourceTools({
  source,
  changed,
}: {
  readonly source: SourceStatus;
  readonly changed: () => void;
}) {
  const w = words.value;
  const acting = useActing(changed);
  return (
    <>
      <p class="line-tools">
        <button
          type="button"
          class="button button-small"
          disabled={acting.busy}
          onClick={() => acting.run(() => api.source.switch(source.id, !source.enabled))}
        >
          {source.enabled ? w.disableSource : w.enableSource}
          <span class="visually-hidden">: {source.name}</span>
        </button>
        <button
          type="button"
          class="button button-small"
          disabled={acting.busy}
          onClick={() => {
            if (confirm(w.removeSourceSure(source.name))) acting.run(() => api.source.remove(source.id));
          }}
        >
          {w.removeSource}
          <span class="visually-hidden">: {source.name}</span>
        </button>
      </p>
      <Problem acting={acting} />
    </>
  );
}
