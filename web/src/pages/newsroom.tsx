import { Fragment, type VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ShownDrop } from '../../../src/server/api/timelines.ts';
import { api } from '../api.ts';
import {
  drops,
  loadFirst,
  loadingOlder,
  loadOlder,
  openNews,
  reachedEnd,
  seenFrom,
  showNew,
  trouble,
  waitingCount,
} from '../news.ts';
import { DropCard } from '../parts/drop-card.tsx';
import { Loading, Notice, Trouble } from '../parts/notice.tsx';
import { StateBar } from '../parts/state-bar.tsx';
import { Foreign } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { useRead } from '../read.ts';
import { words } from '../words/words.ts';

export function NewsroomPage() {
  useEffect(() => void openNews(), []);
  const w = words.value;
  return (
    <div class="newsroom">
      <section class="timeline" aria-labelledby="timeline-title">
        <h2 id="timeline-title" class="section-title">
          {w.timelineTitle}
        </h2>
        <Announcer />
        <Timeline />
      </section>
      <Desk />
    </div>
  );
}

function Announcer() {
  const w = words.value;
  const count = waitingCount.value;
  const show = async (): Promise<void> => {
    await showNew();
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

function Timeline() {
  const w = words.value;
  const cardOf = useCards();
  const list = drops.value;
  if (list === null)
    return trouble.value ? <Trouble trouble={trouble.value} again={() => void loadFirst()} /> : <Loading />;
  if (list.length === 0) {
    return (
      <Notice title={w.emptyTimeline}>
        <p>{w.emptyTimelineMore}</p>
      </Notice>
    );
  }
  return (
    <>
      <div class="drops">
        {list.map((drop, index) => (
          <Fragment key={drop.id}>
            {drop.id === seenFrom.value && index > 0 && (
              <p class="seen">
                <span>{w.newAbove}</span>
              </p>
            )}
            {cardOf(drop, index === 0)}
          </Fragment>
        ))}
      </div>
      {trouble.value ? (
        <Trouble trouble={trouble.value} again={() => void loadOlder()} />
      ) : reachedEnd.value ? (
        <p class="end">{w.endOfTimeline}</p>
      ) : (
        <More />
      )}
    </>
  );
}

/** A card that was made once is handed out again, so that a long list costs no more to change than a short one. */
function useCards(): (drop: ShownDrop, lead: boolean) => VNode {
  const made = useRef(new WeakMap<ShownDrop, { lead: boolean; card: VNode }>()).current;
  return (drop, lead) => {
    const known = made.get(drop);
    if (known?.lead === lead) return known.card;
    const card = <DropCard drop={drop} lead={lead} />;
    made.set(drop, { lead, card });
    return card;
  };
}

/** Loads older news shortly before the reader gets there; by hand where that cannot be seen. */
function More() {
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!mark.current) return;
    const seen = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void loadOlder();
      },
      { rootMargin: '800px' },
    );
    seen.observe(mark.current);
    return () => seen.disconnect();
  }, [drops.value]);
  return (
    <div ref={mark} class="more">
      <button type="button" class="button" disabled={loadingOlder.value} onClick={() => void loadOlder()}>
        {loadingOlder.value ? words.value.loading : words.value.older}
      </button>
    </div>
  );
}

/** How the pipelines are doing, beside the news. */
function Desk() {
  const w = words.value;
  const { value } = useRead('desk', (signal) => api.pipelines(signal), 15_000);
  return (
    <aside class="desk" aria-labelledby="desk-title">
      <h2 id="desk-title" class="section-title">
        {w.deskTitle}
      </h2>
      {value?.pipelines.map((pipeline) => (
        <section key={pipeline.id} class="desk-row">
          <h3>
            <a href={`/items?${new URLSearchParams({ pipeline: pipeline.id })}`}>
              <Foreign text={pipeline.name} />
            </a>
          </h3>
          <p class={`state state-${pipeline.state}`}>{w.pipelineStates[pipeline.state]}</p>
          <StateBar counts={pipeline.counts.byState} />
          <p class="desk-next">
            {w.nextRun} <When at={pipeline.nextRunAt} never={w.byHand} />
          </p>
        </section>
      ))}
    </aside>
  );
}
