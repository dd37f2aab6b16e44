import { useEffect, useState } from 'preact/hooks';
import type { Item } from '../../../src/item/item.ts';
import { STATES } from '../../../src/item/lifecycle.ts';
import { type ApiError, api } from '../api.ts';
import { asTrouble } from '../news.ts';
import { ItemRow } from '../parts/item-row.tsx';
import { More } from '../parts/more.tsx';
import { Loading, Notice, Trouble } from '../parts/notice.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Windowed } from '../parts/windowed.tsx';
import { useRead } from '../read.ts';
import { adjust, place } from '../router.ts';
import { words } from '../words/words.ts';

const keyOf = (item: Item): string => item.key;

export function ItemsPage() {
  const w = words.value;
  const { value, trouble, again } = useRead('pipelines', (signal) => api.pipelines(signal));
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
        {w.nav.items}
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
      {trouble && !value && <Trouble trouble={trouble} again={again} />}
      {!trouble && !value && <Loading />}
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
  const [items, setItems] = useState<readonly Item[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<ApiError | null>(null);

  const load = async (cursor: string | null, signal?: AbortSignal): Promise<void> => {
    try {
      const ask = { pipeline, state, q, ...(cursor === null ? {} : { cursor }) };
      const page = await api.items(ask, signal);
      setItems((before) => [...(cursor === null ? [] : (before ?? [])), ...page.items]);
      setNext(page.next);
      setTrouble(null);
    } catch (error) {
      if (!signal?.aborted) setTrouble(asTrouble(error));
    }
  };
  useEffect(() => {
    const stop = new AbortController();
    void load(null, stop.signal);
    return () => stop.abort();
  }, []);

  if (trouble && items === null) return <Trouble trouble={trouble} again={() => void load(null)} />;
  if (items === null) return <Loading />;
  if (items.length === 0) {
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
        rows={items}
        keyOf={keyOf}
        usual={92}
        render={(item) => <ItemRow key={item.key} item={item} pipeline={pipeline} />}
      />
      {trouble && <Trouble trouble={trouble} again={() => void load(next)} />}
      {next !== null && !trouble && <More load={() => load(next)} words={w.moreItems} turn={next} />}
    </>
  );
}
