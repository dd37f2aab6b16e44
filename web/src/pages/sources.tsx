import { useState } from 'preact/hooks';
import type { SourceStatus } from '../../../src/sources/source-status.ts';
import { api } from '../api.ts';
import { useRead } from '../hooks.ts';
import { AddSource } from '../parts/add-source.tsx';
import { ImportOpml } from '../parts/import-opml.tsx';
import { Menu } from '../parts/menu.tsx';
import { FailureNotice, Loading, Notice } from '../parts/notice.tsx';
import { SourceRow } from '../parts/source-row.tsx';
import { Foreign } from '../parts/text.tsx';
import { place } from '../router.ts';
import { healthOf, type SourceHealth } from '../server-text.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';
import { SourcePage } from './source.tsx';

const HEALTHS: readonly SourceHealth[] = ['ok', 'failing', 'never_checked', 'paused'];

/** All sources by folder, or one of them with `?id=`. */
export function SourcesPage() {
  const id = place.value.query.get('id');
  return id === null ? <AllSources /> : <SourcePage key={id} id={id} />;
}

function AllSources() {
  const w = words.value.manage.sources;
  const isOwner = me.value?.role === 'owner';
  const { value, failure, again } = useRead('sources', (signal) => api.sources(signal), 15_000);
  const [removed, setRemoved] = useState<string | null>(null);
  return (
    <section aria-labelledby="page-title">
      <div class="page-head">
        <h2 id="page-title" class="section-title">
          {w.title}
        </h2>
        {isOwner && <ExportMenu />}
      </div>
      {isOwner && <AddSource changed={again} />}
      {isOwner && <ImportOpml changed={again} />}
      <p class="done" role="status">
        {removed !== null && w.removed(removed)}
      </p>
      {failure && <FailureNotice failure={failure} again={again} />}
      {!value && !failure && <Loading />}
      {value?.sources.length === 0 && (
        <Notice title={w.none}>
          <p>{w.noneMore}</p>
        </Notice>
      )}
      {value !== null && value.sources.length > 0 && (
        <SourceList
          sources={value.sources}
          changed={again}
          removed={(source) => {
            setRemoved(source.name);
            again();
          }}
        />
      )}
    </section>
  );
}

function ExportMenu() {
  const w = words.value.manage.sources;
  return (
    <Menu class="menu-end" name={w.export} label={w.export}>
      <a class="menu-item" href="/api/v1/sources.opml" download="kawaraban.opml">
        {w.exportOpml}
      </a>
      <a class="menu-item" href="/api/v1/sources.yaml" download="sources.yaml">
        {w.exportYaml}
      </a>
    </Menu>
  );
}

function SourceList(props: {
  readonly sources: readonly SourceStatus[];
  readonly changed: () => void;
  readonly removed: (source: SourceStatus) => void;
}) {
  const w = words.value.manage.sources;
  const [text, setText] = useState('');
  const [health, setHealth] = useState<SourceHealth | ''>('');
  const query = text.trim().toLowerCase();
  const shown = props.sources.filter(
    (source) =>
      (health === '' || healthOf(source) === health) &&
      [source.name, source.url ?? '', source.folders.join('/')].some((part) =>
        part.toLowerCase().includes(query),
      ),
  );
  const folders = Map.groupBy(shown, (source) => source.folders.join(' / '));
  const names = [...folders.keys()].toSorted(
    (a, b) => Number(a === '') - Number(b === '') || a.localeCompare(b),
  );
  return (
    <>
      <search class="filter">
        <label class="filter-search">
          <span>{w.filter}</span>
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label>
          <span>{w.state}</span>
          <select
            value={health}
            onChange={(event) => setHealth(HEALTHS.find((one) => one === event.currentTarget.value) ?? '')}
          >
            <option value="">{w.anyState}</option>
            {HEALTHS.map((one) => (
              <option key={one} value={one}>
                {w.health[one]}
              </option>
            ))}
          </select>
        </label>
      </search>
      <p class="quiet" role="status">
        {shown.length === 0 ? w.noMatch : w.shown(shown.length)}
      </p>
      {names.map((name, index) => (
        <section key={name} class="source-folder" aria-labelledby={`folder-${index}`}>
          <h3 id={`folder-${index}`}>{name === '' ? w.noFolder : <Foreign text={name} most={120} />}</h3>
          <ul class="sources">
            {folders.get(name)?.map((source) => (
              <SourceRow key={source.id} source={source} changed={props.changed} removed={props.removed} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
