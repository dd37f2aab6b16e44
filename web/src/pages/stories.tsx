import { type ListedStory, TIMESPANS, type Timespan } from '../../../src/stories/story.ts';
import { api } from '../api.ts';
import { hiddenKeys, hidingFailed, keyOf, undo, undoable } from '../hidden-stories.ts';
import { useRead } from '../hooks.ts';
import { usePages } from '../paged-list.ts';
import { Notice } from '../parts/notice.tsx';
import { BeforeFirst, PageEnd } from '../parts/page-end.tsx';
import { StoryRow } from '../parts/story-row.tsx';
import { Windowed } from '../parts/virtual-list.tsx';
import { adjust, place } from '../router.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';

const PAGE = '60';
const storyKey = (story: ListedStory): string => String(story.id);

/** The best by score of the day, the week, the month, the year, or all time. */
export function StoriesPage() {
  const w = words.value;
  const { query } = place.value;
  const { value: sets } = useRead('story sets', (signal) => api.storySets(signal));
  const asked = query.get('timespan');
  const timespan = TIMESPANS.find((one) => one === asked) ?? 'Day';
  const set = query.get('set') ?? sets?.sets[0]?.name ?? null;
  const href = (next: { readonly timespan?: string; readonly set?: string }): string =>
    `/stories?${new URLSearchParams({ timespan, ...(set === null ? {} : { set }), ...next })}`;
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="visually-hidden">
        {w.reader.nav.stories}
      </h2>
      <nav class="tabs" aria-label={w.timespans.label}>
        <ul>
          {TIMESPANS.map((one) => (
            <li key={one}>
              <a href={href({ timespan: one })} aria-current={one === timespan ? 'page' : undefined}>
                {w.timespans[one]}
              </a>
            </li>
          ))}
        </ul>
        {(sets?.sets.length ?? 0) > 1 && (
          <label class="tabs-choice">
            <span class="visually-hidden">{w.storySet}</span>
            <select value={set ?? ''} onChange={(event) => adjust(href({ set: event.currentTarget.value }))}>
              {sets?.sets.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.title}
                </option>
              ))}
            </select>
          </label>
        )}
      </nav>
      {sets?.sets.length === 0 && (
        <Notice title={w.noStorySets}>
          <p>{w.noStorySetsMore}</p>
        </Notice>
      )}
      {set !== null && (
        <StoryList
          key={`${set} ${timespan} ${me.value?.userId}`}
          set={set}
          comments={sets?.sets.find(({ name }) => name === set)?.comments ?? null}
          timespan={timespan}
        />
      )}
      <Undo />
    </section>
  );
}

function StoryList(props: {
  readonly set: string;
  readonly comments: string | null;
  readonly timespan: Timespan;
}) {
  const { set, comments, timespan } = props;
  const w = words.value;
  const pages = usePages(async (page, signal) => {
    const { stories: rows, next } = await api.stories(
      { set, timespan, limit: PAGE, ...(page === null ? {} : { page }) },
      signal,
    );
    return { rows, next };
  });
  const { rows: all, next } = pages;
  if (all === null) return <BeforeFirst pages={pages} />;
  const shown = all.filter((story) => !hiddenKeys.value.has(keyOf(set, story.id)));
  if (shown.length === 0 && next === null)
    return (
      <Notice title={w.noStories}>
        <p>{all.length === 0 ? w.noStoriesMore : w.allHidden}</p>
      </Notice>
    );
  const rank = new Map(all.map((story, index) => [story.id, index + 1]));
  return (
    <>
      <Windowed
        name={`stories ${set} ${timespan}`}
        list
        class="stories"
        rows={shown}
        keyOf={storyKey}
        usual={84}
        render={(story) => (
          <StoryRow
            key={story.id}
            set={set}
            comments={comments}
            story={story}
            rank={rank.get(story.id) ?? 0}
          />
        )}
      />
      <PageEnd pages={pages} words={w.moreStories} />
      {next === null && <p class="end">{w.endOfStories}</p>}
    </>
  );
}

/** Says what was hidden last, and takes it back. It stays until something else is done. */
function Undo() {
  const w = words.value;
  const last = undoable.value[0];
  return (
    <div class="toast-place" role="status">
      {hidingFailed.value !== null ? (
        <p class="toast toast-bad">
          {w.hidingFailed} {hidingFailed.value}
        </p>
      ) : (
        last !== undefined && (
          <p class="toast">
            <span class="toast-words">{w.hiddenNow(last.title)}</span>
            <button type="button" class="link" onClick={() => void undo()}>
              {w.undo} <kbd>u</kbd>
            </button>
          </p>
        )
      )}
    </div>
  );
}
