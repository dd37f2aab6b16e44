import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ShownEntry } from '../reader/api.ts';
import { markAllRead, markRead } from '../reader/changes.ts';
import { type EntryList, listOf } from '../reader/entry-list.ts';
import { shownList } from '../reader/live.ts';
import { refreshOverviewSoon, unreadOf } from '../reader/overview.ts';
import { readingOrder } from '../reader/reading-order.ts';
import { feedQuery, type Scope, scopeKey } from '../reader/scope.ts';
import { place, returned } from '../router.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';
import type { RowEntry } from './entry-row.tsx';
import { EntryRows } from './entry-rows.tsx';
import { FeedMenu } from './feed-menu.tsx';
import { AGE_MS, type Age, ListBar, MarkMenu, RefreshButton, ViewMenu } from './list-bar.tsx';
import { More } from './load-more.tsx';
import { FailureNotice, Loading } from './notice.tsx';

interface EntryListViewProps {
  readonly scope: Scope;
  readonly title: string;
  /** Between the bar and the entries. */
  readonly head?: ComponentChildren;
  readonly empty: ComponentChildren;
  readonly mark?: ((text: string) => ComponentChildren) | undefined;
}

/** A list of entries with its bar. */
export function EntryListView({ scope, title, head, empty, mark }: EntryListViewProps) {
  const w = words.value.reader;
  const key = `${scopeKey(scope)} ${me.value?.userId}`;
  const list = useMemo(() => listOf(scope), [key]);
  const rows = useEntryList(list, title);
  const isSearch = scope.q !== undefined;
  const narrowed = (scope.source !== undefined || scope.folder !== undefined) && !isSearch;
  const counted = me.value !== null && !isSearch && (scope.view === 'all' || scope.view === 'unread');
  const refresh = (): void => {
    refreshOverviewSoon();
    void list.loadFirst().then(() => scrollTo({ top: 0 }));
  };
  return (
    <section aria-labelledby="page-title">
      <ListBar
        title={title}
        count={counted ? unreadOf(scope) : 0}
        waiting={list.waiting.value}
        showNew={() => {
          list.showNew();
          scrollTo({ top: 0 });
          document.querySelector<HTMLElement>('[data-row]')?.focus({ preventScroll: true });
        }}
      >
        {me.value !== null && (
          <MarkMenu
            markAll={() => void markWhole(list)}
            markOlder={counted ? (age) => void markOlder(list, age) : undefined}
          />
        )}
        <RefreshButton refresh={refresh} busy={list.loading.value} />
        <ViewMenu ordered={scope.view !== 'hot'} narrowable={narrowed} />
        {scope.view !== 'hot' && <FeedMenu query={feedQuery(scope)} />}
      </ListBar>
      {head}
      {rows === null ? (
        list.failure.value ? (
          <FailureNotice failure={list.failure.value} again={() => void list.loadFirst()} />
        ) : (
          <Loading />
        )
      ) : rows.length === 0 ? (
        empty
      ) : (
        <>
          <EntryRows
            key={key}
            name={scopeKey(scope)}
            entries={rows}
            mark={mark}
            divider={list.seenFrom.value === null ? null : { before: list.seenFrom.value, text: w.newSince }}
          />
          {list.failure.value ? (
            <FailureNotice failure={list.failure.value} again={() => void list.loadMore()} />
          ) : list.next.value === null ? (
            <p class="end">{w.end}</p>
          ) : (
            <More load={() => list.loadMore()} words={w.loadMore} turn={list.next.value} />
          )}
        </>
      )}
    </section>
  );
}

function useEntryList(list: EntryList, title: string): readonly RowEntry[] | null {
  useEffect(() => {
    shownList.value = list;
    // Back shows what was there; a link shows what is new.
    if (!returned.value || list.rows.value === null) void list.loadFirst();
    return () => {
      if (shownList.value === list) shownList.value = null;
    };
  }, [list]);
  const { path, query } = place.value;
  useEffect(() => {
    readingOrder.value = {
      href: `${path}?${query}`,
      title,
      entries: () => list.rows.value ?? [],
      loadMore: () => list.loadMore(),
    };
  }, [list, title]);
  const rows = list.rows.value;
  return useMemo(() => rows?.map(toRow) ?? null, [rows]);
}

function toRow(entry: ShownEntry): RowEntry {
  return { ...entry, at: entry.publishedAt, editable: true };
}

async function markWhole(list: EntryList): Promise<void> {
  const w = words.value.reader.mark;
  const { scope } = list;
  const rows = list.rows.value ?? [];
  if (scope.q !== undefined || (scope.view !== 'all' && scope.view !== 'unread'))
    return markRead(rows, w.done);
  const unread = unreadOf(scope);
  await markAllRead(rangeOf(list), unread > 0 ? w.done(unread) : w.doneAll);
}

async function markOlder(list: EntryList, age: Age): Promise<void> {
  const before = Date.now() - AGE_MS[age];
  await markAllRead({ ...rangeOf(list), before }, words.value.reader.mark.doneOlder[age]);
}

function rangeOf(list: EntryList): {
  readonly source?: string;
  readonly folder?: string;
  readonly upTo: number;
} {
  const { source, folder } = list.scope;
  return {
    ...(source === undefined ? {} : { source }),
    ...(folder === undefined ? {} : { folder }),
    upTo: list.newestId.value,
  };
}
