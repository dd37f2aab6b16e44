import type { Item } from '../../../src/item/item.ts';
import { STATES } from '../../../src/item/lifecycle.ts';
import { api } from '../api.ts';
import { useRead } from '../hooks.ts';
import { usePages } from '../paged-list.ts';
import { ItemRow } from '../parts/item-row.tsx';
import { FailureNotice, Loading, Notice } from '../parts/notice.tsx';
import { BeforeFirst, PageEnd } from '../parts/page-end.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Windowed } from '../parts/virtual-list.tsx';
import { adjust, place } from '../router.ts';
import { words } from '../words/words.ts';

const keyOf = (item: Item): string => item.key;

export function ItemsPage() {
  const w = words.value;
  const { value, failure, again } = useRead('pipelines', (signal) => api.pipelines(signal));
  const { query } = place.value;
  const pipelines = value?.pipelines ?? [];
  const pipeline = query.get('pipeline') ?? pipelines[0]?.id ?? null;
  const state = query.get('state') ?? '';
  const q = query.get('q') ?? '';
  const set = (name: string, to: string): void => {
    const next = new URLSearchParams(place.value.query);
    if (to === '') next.delete(name);
    else next.set(name, to);
    adjust(`/items?${next}`);
  };
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.reader.nav.items}
      </h2>
      <search class="filter">
        <label>
          <span>{w.filterPipeline}</span>
          <select value={pipeline ?? ''} onChange={(event) => set('pipeline', event.currentTarget.value)}>
            {pipelines.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{w.filterState}</span>
          <select value={state} onChange={(event) => set('state', event.currentTarget.value)}>
            <option value="">{w.anyState}</option>
            {STATES.map((one) => (
              <option key={one} value={one}>
                {w.states[one]}
              </option>
            ))}
          </select>
        </label>
        <SearchField value={q} onSearch={(text) => set('q', text)} label={w.search} />
      </search>
      {failure && !value && <FailureNotice failure={failure} again={again} />}
      {!failure && !value && <Loading />}
      {value && pipeline === null && <Notice title={w.noPipelines} />}
      {pipeline !== null && value && (
        <ItemList key={`${pipeline} ${state} ${q}`} pipeline={pipeline} state={state} q={q} />
      )}
    </section>
  );
}

function ItemList({
  pipeline,
  state,
  q,
}: {
  readonly pipeline: string;
  readonly state: string;
  readonly q: string;
}) {
  const w = words.value;
  const pages = usePages(async (cursor, signal) => {
    const { items: rows, next } = await api.items(
      { pipeline, state, q, ...(cursor === null ? {} : { cursor }) },
      signal,
    );
    return { rows, next };
  });
  const { rows } = pages;
  if (rows === null) return <BeforeFirst pages={pages} />;
  if (rows.length === 0) {
    return (
      <Notice title={w.noItems}>
        <p>{w.noItemsMore}</p>
      </Notice>
    );
  }
  return (
    <>
      <Windowed
        name={`items ${pipeline}`}
        list
        class="rows"
        rows={rows}
        keyOf={keyOf}
        usual={92}
        render={(item) => <ItemRow key={item.key} item={item} pipeline={pipeline} />}
      />
      <PageEnd pages={pages} words={w.moreItems} />
    </>
  );
}
