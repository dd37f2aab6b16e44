import { useEffect, useMemo, useState } from 'preact/hooks';
import { useFocusAfterBack, useTitle } from '../hooks.ts';
import { type News, news as newsOf, open, type TimelineKind } from '../live-timeline.ts';
import { Composer } from '../parts/composer.tsx';
import { DropCard } from '../parts/drop-card.tsx';
import { EntryRow } from '../parts/entry-row.tsx';
import { Divider } from '../parts/entry-rows.tsx';
import { ListBar, MarkMenu, RefreshButton, ViewMenu } from '../parts/list-bar.tsx';
import { More } from '../parts/load-more.tsx';
import { Banner } from '../parts/masthead.tsx';
import { FailureNotice, Loading, Notice } from '../parts/notice.tsx';
import { PipelineSummary } from '../parts/pipeline-summary.tsx';
import { offsetOf, Windowed } from '../parts/virtual-list.tsx';
import { markOf, useMarkOnLeaving } from '../read-mark.ts';
import { markAllRead, markRead } from '../reader/changes.ts';
import { type TimelineRow, toRows } from '../reader/drop-rows.ts';
import { statesLost } from '../reader/live.ts';
import { overview, refreshOverviewSoon } from '../reader/overview.ts';
import { density, pictures } from '../reader/preferences.ts';
import { readingOrder } from '../reader/reading-order.ts';
import type { StatefulEntry } from '../reader/states.ts';
import { place } from '../router.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';

const USUAL_HEIGHTS = { compact: 56, comfortable: 120, cards: 160 } as const;
const keyOf = (row: TimelineRow): string => row.id;

/** A timeline: of what one follows, of this newsroom, or of everywhere. */
export function NewsroomPage({ kind }: { readonly kind: TimelineKind }) {
  useEffect(() => {
    open.value = kind;
  }, [kind]);
  const w = words.value;
  const news = newsOf[kind];
  const title = w.reader.nav[kind];
  const waiting = news.waitingCount.value;
  useTitle(waiting > 0 ? `(${waiting}) ${title}` : title);
  const rows = useRows(news);
  const allowed = kind !== 'home' || me.value !== null;
  return (
    <div class={kind === 'home' ? undefined : 'newsroom'}>
      <section class="timeline" aria-labelledby="page-title">
        {kind === 'home' && <Banner />}
        <ListBar
          title={title}
          count={kind === 'home' && me.value !== null ? (overview.value?.unread.home ?? 0) : 0}
          waiting={allowed ? waiting : 0}
          showNew={() => void showNew(news)}
        >
          {me.value !== null && <MarkMenu markAll={() => void markAll(kind, entriesOf(rows))} />}
          {allowed && (
            <RefreshButton
              busy={false}
              refresh={() => {
                refreshOverviewSoon();
                void news.showNew().then(() => scrollTo({ top: 0 }));
              }}
            />
          )}
          <ViewMenu />
        </ListBar>
        {allowed ? (
          <>
            {me.value !== null && kind === 'home' && <Composer news={news} />}
            <Timeline key={kind} news={news} rows={rows} />
          </>
        ) : (
          <Notice title={w.reader.signInFirst}>
            <p>{w.reader.signInMore}</p>
            <a class="button" href="/sign-in">
              {w.reader.nav.signIn}
            </a>
          </Notice>
        )}
      </section>
      {kind !== 'home' && <PipelineSummary />}
    </div>
  );
}

function useRows(news: News): readonly TimelineRow[] | null {
  const drops = news.drops.value;
  const rows = useMemo(() => (drops === null ? null : toRows(drops)), [drops]);
  const lost = statesLost.value;
  useEffect(() => {
    if (lost > 0) void news.rereadStates();
  }, [lost]);
  const { path } = place.value;
  const title = words.value.reader.nav[news.kind];
  useEffect(() => {
    readingOrder.value = {
      href: path,
      title,
      entries: () => entriesOf(rows),
      loadMore: () => news.loadOlder(),
    };
  }, [rows, title]);
  return rows;
}

function entriesOf(rows: readonly TimelineRow[] | null): readonly StatefulEntry[] {
  return (rows ?? []).flatMap((row) => (row.kind === 'entry' ? [row.entry] : []));
}

async function showNew(news: News): Promise<void> {
  await news.showNew();
  scrollTo({ top: 0 });
  document.querySelector<HTMLElement>('[data-row]')?.focus({ preventScroll: true });
}

/** In Home everything of the followed sources too, up to what had arrived; in the other timelines what is shown. */
async function markAll(kind: TimelineKind, shown: readonly StatefulEntry[]): Promise<void> {
  const w = words.value.reader.mark;
  const all = overview.value;
  if (kind !== 'home' || all === null) return markRead(shown, w.done);
  const upTo = Math.max(all.newestId, ...shown.map(({ id }) => id));
  await markAllRead({ view: 'home', upTo }, all.unread.home > 0 ? w.done(all.unread.home) : w.doneAll, shown);
}

function Timeline({ news, rows }: { readonly news: News; readonly rows: readonly TimelineRow[] | null }) {
  const w = words.value.reader;
  const failure = news.failure.value;
  // The place of the last visit stays where it was while this visit goes on.
  const [stopped] = useState(() => markOf(news.kind));
  useMarkOnLeaving(news.kind);
  useFocusAfterBack(entriesOf(rows).map(({ id }) => id));
  if (rows === null)
    return failure ? <FailureNotice failure={failure} again={() => void news.loadFirst()} /> : <Loading />;
  if (rows.length === 0) {
    const home = news.kind === 'home';
    return (
      <Notice title={home ? w.empty.home : w.empty.timeline}>
        <p>{home ? w.empty.homeMore : w.empty.timelineMore}</p>
      </Notice>
    );
  }
  const stop = stopped.value;
  const seen = news.seenFrom.value;
  // A row that moved up with a new drop is new: the divider stands before the first row that did not.
  const firstSeen = seen === null ? -1 : rows.findIndex((row) => row.id <= seen);
  const above = stop === null ? 0 : rows.findIndex((row) => row.id <= stop);
  const name = rowsName(news);
  return (
    <>
      {stop !== null && above !== 0 && <GoBack news={news} rows={rows} stopped={stop} />}
      <Windowed
        name={name}
        class="entries drops"
        rows={rows}
        keyOf={keyOf}
        usual={USUAL_HEIGHTS[density.value]}
        render={(row, index) => (
          <div key={row.id} class="slot" data-drop={row.id}>
            {index > 0 && index === firstSeen && <Divider text={w.newSince} />}
            {index > 0 && index === above && index !== firstSeen && <Divider text={w.stoppedHere} />}
            {row.kind === 'drop' ? (
              <DropCard drop={row.drop} />
            ) : (
              <EntryRow
                entry={row.entry}
                class="drop"
                above={() => entriesOf(rows.slice(0, rows.indexOf(row) + 1))}
              />
            )}
          </div>
        )}
      />
      {failure ? (
        <FailureNotice failure={failure} again={() => void news.loadOlder()} />
      ) : news.reachedEnd.value ? (
        <p class="end">{w.end}</p>
      ) : (
        <More load={() => news.loadOlder()} words={w.loadMore} turn={rows.at(-1)?.id ?? ''} />
      )}
    </>
  );
}

function rowsName(news: News): string {
  return `drops-${news.kind} ${density.value} ${pictures.value}`;
}

/** Brings the reader back to where the last visit ended, on this device or another. */
function GoBack(props: {
  readonly news: News;
  readonly rows: readonly TimelineRow[];
  readonly stopped: string;
}) {
  const { news, stopped } = props;
  const w = words.value;
  const [gone, setGone] = useState(false);
  const [tooDeep, setTooDeep] = useState(false);
  const back = async (): Promise<void> => {
    if ((await news.loadDownTo(stopped)) === null) return setTooDeep(true);
    setGone(true);
    const rows = toRows(news.drops.value ?? []);
    const at = rows.findIndex((row) => row.id <= stopped);
    // Heights further down are guesses until the rows are there: go near, then to the very row.
    requestAnimationFrame(() => {
      const top = document.querySelector('.drops')?.previousElementSibling?.getBoundingClientRect().top ?? 0;
      const offset = offsetOf(rowsName(news), rows, keyOf, USUAL_HEIGHTS[density.value], at);
      scrollTo({ top: scrollY + top + offset - 100 });
      setTimeout(() => {
        const row = document.querySelector(`[data-drop="${CSS.escape(rows[at]?.id ?? '')}"]`);
        row?.scrollIntoView({ block: 'center' });
        row?.querySelector<HTMLElement>('[data-row]')?.focus({ preventScroll: true });
      }, 80);
    });
  };
  if (gone) return null;
  return (
    <p class="go-back">
      {tooDeep ? (
        w.stoppedTooDeep
      ) : (
        <button type="button" class="link" onClick={() => void back()} disabled={news.loadingOlder.value}>
          {w.goBack}
        </button>
      )}
    </p>
  );
}
