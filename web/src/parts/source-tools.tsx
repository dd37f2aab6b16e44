import { useState } from 'preact/hooks';
import type { SourceStatus } from '../../../src/sources/source-status.ts';
import { api } from '../api.ts';
import { refreshOverviewSoon } from '../reader/overview.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';

/** For the owner: pauses, resumes, reads and removes a source; each takes effect at once. */
export function SourceTools(props: {
  readonly source: SourceStatus;
  readonly changed: (source: SourceStatus) => void;
  readonly removed: (source: SourceStatus) => void;
}) {
  const w = words.value.manage.sources;
  const { source } = props;
  const [running, setRunning] = useState<'toggle' | 'poll' | 'remove' | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const action = useAction(() => setRunning(null));
  const start = (what: 'toggle' | 'poll' | 'remove', work: () => Promise<unknown>): void => {
    setRunning(what);
    setDone(null);
    action.run(work);
  };
  const toggle = (): void =>
    start('toggle', async () => {
      const next = await api.source.change(source.id, { enabled: !source.enabled });
      props.changed(next);
      setDone(next.enabled ? w.resumed(source.name) : w.paused(source.name));
      refreshOverviewSoon();
    });
  const poll = (): void =>
    start('poll', async () => {
      await api.source.poll(source.id);
      setDone(w.polled(source.name));
      props.changed(await api.source.read(source.id));
    });
  const remove = (): void => {
    if (!confirm(w.removeSure(source.name))) return;
    start('remove', async () => {
      await api.source.remove(source.id);
      refreshOverviewSoon();
      props.removed(source);
    });
  };
  return (
    <div class="source-tools">
      <p class="line-tools">
        <button type="button" class="button button-small" disabled={action.busy} onClick={toggle}>
          {running === 'toggle'
            ? source.enabled
              ? w.pausing
              : w.resuming
            : source.enabled
              ? w.pause
              : w.resume}
          <span class="visually-hidden">: {source.name}</span>
        </button>
        {source.enabled && (
          <button type="button" class="button button-small" disabled={action.busy} onClick={poll}>
            {running === 'poll' ? w.polling : w.pollNow}
            <span class="visually-hidden">: {source.name}</span>
          </button>
        )}
        {source.origin !== 'file' && (
          <button type="button" class="button button-small" disabled={action.busy} onClick={remove}>
            {w.remove}
            <span class="visually-hidden">: {source.name}</span>
          </button>
        )}
      </p>
      <ActionProblem action={action} />
      <p class="source-done" role="status">
        {done}
      </p>
    </div>
  );
}
