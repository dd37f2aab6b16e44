import { useEffect, useState } from 'preact/hooks';
import type { ShownDrop } from '../../../src/server/http/timeline-routes.ts';
import { type News, news as newsOf, open, type TimelineKind } from '../live-timeline.ts';
import { Composer } from '../parts/composer.tsx';
import { DropCard } from '../parts/drop-card.tsx';
import { More } from '../parts/load-more.tsx';
import { Loading, Notice, Trouble } from '../parts/notice.tsx';
import { Desk } from '../parts/pipeline-summary.tsx';
import { TimelineTabs } from '../parts/timeline-tabs.tsx';
import { offsetOf, Windowed } from '../parts/virtual-list.tsx';
import { markOf, useMarkOnLeaving } from '../read-mark.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';

const USUAL_HEIGHT = 210;
const idOf = (drop: ShownDrop): string => drop.id;

export function NewsroomPage({ kind }: { readonly kind: TimelineKind }) {
  useEffect(() => {
    open.value = kind;
  }, [kind]);
  const news = newsOf[kind];
  const allowed = kind !== 'home' || me.value !== null;
  const w = words.value;
  return (
    <div class="newsroom">
      <section class="timeline" aria-labelledby="timeline-title">
        <h2 id="timeline-title" class="visually-hidden">
          {w.timelines[kind]}
        </h2>
        <TimelineTabs shown={kind} />
        {allowed ? (
          <>
            {me.value !== null && kind === 'home' && <Composer news={news} />}
            <Announcer news={news} />
            <Timeline key={kind} news={news} />
          </>
        ) : (
          <Notice title={w.homeNeedsYou}>
            <p>{w.homeNeedsYouMore}</p>
            <a class="button" href="/sign-in">
              {w.signIn}
            </a>
          </Notice>
        )}
      </section>
      <Desk />
    </div>
  );
}

function Announcer({ news }: { readonly news: News }) {
  const w = words.value;
  const count = news.waitingCount.value;
  const show = async (): Promise<void> => {
    await news.showNew();
    scrollTo({ top: 0 });
    document.querySelector<HTMLElement>('[data-row]')?.focus({ preventScroll: true });
  };
  return (
    <div class="announcer" role="status">
      {count > 0 && (
        <button type="button" class="announcer-button" onClick={() => void show()}>
          <span>{w.newDrops(count)}</span>
          <span class="announcer-show">{w.showNew}</span>
        </button>
      )}
    </div>
  );
}

function Timeline({ news }: { readonly news: News }) {
  const w = words.value;
  const list = news.drops.value;
  const trouble = news.trouble.value;
  // The place of the last visit stays where it was while this visit goes on.
  const [stopped] = useState(() => markOf(news.kind));
  useMarkOnLeaving(news.kind);
  if (list === null)
    return trouble ? <Trouble trouble={trouble} again={() => void news.loadFirst()} /> : <Loading />;
  if (list.length === 0) {
    return (
      <Notice title={w.emptyTimeline}>
        <p>{news.kind === 'home' ? w.emptyHomeMore : w.emptyTimelineMore}</p>
      </Notice>
    );
  }
  const stop = stopped.value;
  const above = stop === null ? 0 : list.findIndex((drop) => drop.id <= stop);
  return (
    <>
      {stop !== null && above !== 0 && <GoBack news={news} stopped={stop} />}
      <Windowed
        name={`drops-${news.kind}`}
        class="drops"
        rows={list}
        keyOf={idOf}
        usual={USUAL_HEIGHT}
        render={(drop, index) => (
          <div key={drop.id} class="slot" data-drop={drop.id}>
            {drop.id === news.seenFrom.value && index > 0 && <Line text={w.newAbove} />}
            {index > 0 && index === above && drop.id !== news.seenFrom.value && <Line text={w.stoppedHere} />}
            <DropCard drop={drop} lead={index === 0} />
          </div>
        )}
      />
      {trouble ? (
        <Trouble trouble={trouble} again={() => void news.loadOlder()} />
      ) : news.reachedEnd.value ? (
        <p class="end">{w.endOfTimeline}</p>
      ) : (
        <More load={() => news.loadOlder()} words={w.older} turn={list.at(-1)?.id ?? ''} />
      )}
    </>
  );
}

function Line({ text }: { readonly text: string }) {
  return (
    <p class="seen">
      <span>{text}</span>
    </p>
  );
}

/** Brings the reader back to where the last visit ended, on this device or another. */
function GoBack({ news, stopped }: { readonly news: News; readonly stopped: string }) {
  const w = words.value;
  const [gone, setGone] = useState(false);
  const [tooDeep, setTooDeep] = useState(false);
  const back = async (): Promise<void> => {
    const at = await news.loadDownTo(stopped);
    if (at === null) return setTooDeep(true);
    setGone(true);
    const rows = news.drops.value ?? [];
    // Heights further down are guesses until the rows are there: go near, then to the very row.
    requestAnimationFrame(() => {
      const top = document.querySelector('.drops')?.previousElementSibling?.getBoundingClientRect().top ?? 0;
      const place = offsetOf(`drops-${news.kind}`, rows, idOf, USUAL_HEIGHT, at);
      scrollTo({ top: scrollY + top + place - 100 });
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
