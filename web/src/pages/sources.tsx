import type { SourceStatus } from '../../../src/sources/source-status.ts';
import { api } from '../api.ts';
import { AddSource } from '../parts/add-source.tsx';
import { FollowButton } from '../parts/follow-button.tsx';
import { Loading, Notice, Trouble } from '../parts/notice.tsx';
import { When } from '../parts/relative-time.tsx';
import { SourceTools } from '../parts/source-tools.tsx';
import { Foreign, hostOf, webAddress } from '../parts/text.tsx';
import { me } from '../session.ts';
import { useRead } from '../use-read.ts';
import { words } from '../words/words.ts';

export function SourcesPage() {
  const w = words.value;
  const { value, trouble, again } = useRead('sources', (signal) => api.sources(signal), 15_000);
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.nav.sources}
      </h2>
      {me.value?.role === 'owner' && <AddSource changed={again} />}
      {trouble && <Trouble trouble={trouble} again={again} />}
      {!value && !trouble && <Loading />}
      {value?.sources.length === 0 && <Notice title={w.noSources} />}
      <ul class="sources">
        {value?.sources.map((source) => (
          <SourceRow key={source.id} source={source} changed={again} />
        ))}
      </ul>
    </section>
  );
}

function SourceRow({ source, changed }: { readonly source: SourceStatus; readonly changed: () => void }) {
  const w = words.value;
  const { record } = source;
  const health =
    record === null || record.lastTriedAt === null
      ? 'unread'
      : record.failuresInARow > 0
        ? 'troubled'
        : 'fine';
  const href = webAddress(source.url);
  return (
    <li class="source" data-row tabIndex={-1}>
      <div class="source-head">
        <h3>
          <Foreign text={source.name} />
        </h3>
        <p class={`health health-${health}`}>{w.health[health]}</p>
        {source.userId !== null && <FollowButton userId={source.userId} name={source.name} />}
      </div>
      {href !== null && (
        <p class="source-url">
          <a href={href} target="_blank" rel="noopener noreferrer" data-open title={href}>
            <Foreign text={hostOf(href) ?? href} />
          </a>
        </p>
      )}
      {record?.lastTrouble && health === 'troubled' && (
        <p class="source-trouble">
          {w.troubles[record.lastTrouble.why]}{' '}
          <span class="quiet">
            <Foreign text={record.lastTrouble.detail} /> · <When at={record.lastTrouble.at} /> ·{' '}
            {w.failures(record.failuresInARow)}
          </span>
        </p>
      )}
      {record?.movedTo && (
        <p class="quiet">
          {w.movedTo} <Foreign text={record.movedTo} />
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>{w.lastSuccess}</dt>
          <dd>
            <When at={record?.lastSuccessAt ?? null} />
          </dd>
        </div>
        <div>
          <dt>{w.nextRead}</dt>
          <dd>
            <When at={record?.nextAt ?? null} />
          </dd>
        </div>
        <div>
          <dt>{w.usedBy}</dt>
          <dd>
            <Foreign text={source.pipelines.join(', ') || '–'} />
            {record && <span class="quiet"> · {w.itemsSeen(record.itemsSeen)}</span>}
          </dd>
        </div>
      </dl>
      {me.value?.role === 'owner' && <SourceTools source={source} changed={changed} />}
    </li>
  );
}
