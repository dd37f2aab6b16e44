import { causeOfSourceError } from '../../../src/sources/source-error-text.ts';
import type { SourceStatus } from '../../../src/sources/source-status.ts';
import { detailParts } from '../detail-text.ts';
import { readerHref } from '../reader/scope.ts';
import { healthOf } from '../server-text.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';
import { FollowButton } from './follow-button.tsx';
import { When } from './relative-time.tsx';
import { SourceIcon } from './source-icon.tsx';
import { SourceTools } from './source-tools.tsx';
import { Detail, Foreign, hostOf } from './text.tsx';

/** One source in the list: health in plain words, the polls, and what can be done with it. */
export function SourceRow(props: {
  readonly source: SourceStatus;
  readonly changed: () => void;
  readonly removed: (source: SourceStatus) => void;
}) {
  const w = words.value.manage.sources;
  const { source } = props;
  const { record } = source;
  const health = healthOf(source);
  return (
    <li class="source" data-row tabIndex={-1}>
      <div class="source-head">
        <SourceIcon id={source.id} name={source.name} />
        <h4>
          <a href={`/sources?${new URLSearchParams({ id: source.id })}`} data-open>
            <Foreign text={source.name} most={120} />
          </a>
        </h4>
        <p class={`health health-${health}`}>{w.health[health]}</p>
        {source.userId !== null && <FollowButton userId={source.userId} name={source.name} />}
      </div>
      <SourceError source={source} />
      <p class="source-line">
        {source.url !== null && <Foreign text={hostOf(source.url) ?? source.url} most={80} />}
        <span>
          {w.lastPoll}: <When at={record?.lastTriedAt ?? null} never={w.neverPolled} />
        </span>
        {source.enabled && (
          <span>
            {w.nextPoll}: <When at={source.nextAt} never={w.notScheduled} />
          </span>
        )}
        <a href={readerHref({ source: source.id })}>{w.entryCount(record?.itemsSeen ?? 0)}</a>
        <span>
          {w.usedBy}: <Foreign text={source.pipelines.join(', ') || w.usedByNone} most={120} />
        </span>
        <span>
          {w.origin}: {w.origins[source.origin]}
        </span>
      </p>
      {me.value?.role === 'owner' && (
        <SourceTools source={source} changed={props.changed} removed={props.removed} />
      )}
    </li>
  );
}

/** Why the last poll failed. */
export function SourceError({ source }: { readonly source: SourceStatus }) {
  const w = words.value;
  const { record } = source;
  if (healthOf(source) !== 'failing' || !record?.lastTrouble) return null;
  const { why, detail, at } = record.lastTrouble;
  return (
    <p class="source-error">
      {w.sourceErrors[why]}{' '}
      <span class="quiet">
        <Detail parts={detailParts(causeOfSourceError(why, detail))} most={200} /> · <When at={at} /> ·{' '}
        {w.manage.sources.failures(record.failuresInARow)}
      </span>
    </p>
  );
}
