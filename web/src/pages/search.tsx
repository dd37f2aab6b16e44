import { useEffect, useState } from 'preact/hooks';
import { type ApiError, api, type FoundItem } from '../api.ts';
import { asTrouble } from '../news.ts';
import { ItemRow } from '../parts/item-row.tsx';
import { More } from '../parts/more.tsx';
import { Loading, Notice, Trouble } from '../parts/notice.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Windowed } from '../parts/windowed.tsx';
import { adjust, place } from '../router.ts';
import { words } from '../words/words.ts';

const keyOf = (item: FoundItem): string => `${item.pipeline} ${item.key}`;

/** Over everything that is stored, whatever pipeline it belongs to. */
export function SearchPage() {
  const w = words.value;
  const q = place.value.query.get('q') ?? '';
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.nav.search}
      </h2>
      <search class="filter">
        <SearchField
          label={w.search}
          value={q}
          onSearch={(text) => adjust(text === '' ? '/search' : `/search?${new URLSearchParams({ q: text })}`)}
        />
      </search>
      {q.trim() === '' ? <Notice title={w.searchHint} /> : <Found key={q} q={q} />}
    </section>
  );
}

function Found({ q }: { readonly q: string }) {
  const w = words.value;
  const [items, setItems] = useState<readonly FoundItem[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<ApiError | null>(null);
  const load = async (cursor: string | null, signal?: AbortSignal): Promise<void> => {
    try {
      const page = await api.search({ q, ...(cursor === null ? {} : { cursor }) }, signal);
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
  if (items.length === 0 && next === null) return <Notice title={w.noItems} />;
  return (
    <>
      <Windowed
        name="search"
        list
        class="rows"
        rows={items}
        keyOf={keyOf}
        usual={92}
        render={(item) => <ItemRow key={keyOf(item)} item={item} pipeline={item.pipeline} />}
      />
      {trouble && <Trouble trouble={trouble} again={() => void load(next)} />}
      {next !== null && !trouble && <More load={() => load(next)} words={w.moreItems} turn={next} />}
    </>
  );
}
