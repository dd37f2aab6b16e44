import type { SourceStatus } from '../../../src/sources/source-status.ts';
import { read } from '../api.ts';
import { useRead } from '../hooks.ts';
import { folderPath, sourceOf } from '../reader/overview.ts';
import { readerHref } from '../reader/scope.ts';
import { words } from '../words/words.ts';
import { FollowButton } from './follow-button.tsx';
import { When } from './relative-time.tsx';
import { Foreign, hostOf, webAddress } from './text.tsx';

/** What is known of a source, above its entries. */
export function SourceHead({ id }: { readonly id: string }) {
  const w = words.value;
  const source = sourceOf(id);
  const { value: status } = useRead(`source ${id}`, (signal) =>
    read<SourceStatus>(`/sources/${encodeURIComponent(id)}`, {}, signal),
  );
  if (source === null) return null;
  const record = status?.record ?? null;
  const site = webAddress(status?.url ?? null);
  return (
    <div class="source-top">
      <p class="source-facts">
        <span class={`health health-${source.health}`}>{w.reader.health[source.health]}</span>
        {site !== null && (
          <a href={site} target="_blank" rel="noopener noreferrer">
            <Foreign text={hostOf(site) ?? site} most={60} />
            <span class="visually-hidden"> {w.reader.entry.newTab}</span>
          </a>
        )}
        {source.enabled && record?.nextAt != null && (
          <span>
            {w.reader.source.nextPoll} <When at={record.nextAt} />
          </span>
        )}
        <span>
          {w.reader.source.folder}{' '}
          {source.folders.length === 0 ? (
            w.reader.source.noFolder
          ) : (
            <a href={readerHref({ folder: folderPath(source.folders) })}>
              <Foreign text={source.folders.join(' / ')} most={80} />
            </a>
          )}
        </span>
        <a href={`/sources?${new URLSearchParams({ id })}`}>{w.reader.source.settings}</a>
      </p>
      {source.userId !== null && <FollowButton userId={source.userId} name={source.name} />}
      {source.health === 'failing' && record?.lastTrouble && (
        <p class="source-error">
          {w.sourceErrors[record.lastTrouble.why]}{' '}
          <span class="quiet">
            {w.reader.source.lastSuccess} <When at={record.lastSuccessAt} />
          </span>
        </p>
      )}
    </div>
  );
}
