import { api, type FoundItem } from '../api.ts';
import { usePages } from '../paged-list.ts';
import { ItemRow } from '../parts/item-row.tsx';
import { Notice } from '../parts/notice.tsx';
import { BeforeFirst, PageEnd } from '../parts/page-end.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Windowed } from '../parts/virtual-list.tsx';
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
  const pages = usePages(async (cursor, signal) => {
    const { items: rows, next } = await api.search({ q, ...(cursor === null ? {} : { cursor }) }, signal);
    return { rows, next };
  });
  const { rows } = pages;
  if (rows === null) return <BeforeFirst pages={pages} />;
  if (rows.length === 0 && pages.next === null) return <Notice title={w.noItems} />;
  return (
    <>
      <Windowed
        name="search"
        list
        class="rows"
        rows={rows}
        keyOf={keyOf}
        usual={92}
        render={(item) => <ItemRow key={keyOf(item)} item={item} pipeline={item.pipeline} />}
      />
      <PageEnd pages={pages} words={w.moreItems} />
    </>
  );
}
