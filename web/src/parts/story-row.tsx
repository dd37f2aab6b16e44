import type { ListedStory } from '../../../src/stories/story.ts';
import { hide } from '../hidden-stories.ts';
import { words } from '../words/words.ts';
import { When } from './relative-time.tsx';
import { Foreign, hostOf, languageOf, webAddress } from './text.tsx';

export function StoryRow(props: {
  readonly set: string;
  /** Address of the comments, to which the ID is appended. */
  readonly comments: string | null;
  readonly story: ListedStory;
  readonly rank: number;
}) {
  const w = words.value;
  const { set, comments, story, rank } = props;
  const talk = comments === null ? null : `${comments}${story.id}`;
  const href = webAddress(story.url === '' ? null : story.url) ?? talk;
  const host = hostOf(story.url);
  const title = story.title || w.untitled;
  return (
    <li class="story" data-row tabIndex={-1}>
      <p class="story-rank" aria-hidden="true">
        {rank}
      </p>
      <div class="story-body">
        <h3 class="story-title" lang={languageOf(title)}>
          {href === null ? (
            <Foreign text={title} />
          ) : (
            <a href={href} target="_blank" rel="noopener noreferrer" data-open>
              <Foreign text={title} />
              <span class="visually-hidden"> {w.opensElsewhere}</span>
            </a>
          )}{' '}
          {host !== null && (
            <span class="story-host">
              <Foreign text={host} most={80} />
            </span>
          )}
        </h3>
        <p class="story-line">
          <b>{w.points(story.score)}</b>
          {story.by !== '' && (
            <span>
              <Foreign text={story.by} most={80} />
            </span>
          )}
          <When at={story.time} />
          {talk !== null && (
            <a href={talk} target="_blank" rel="noopener noreferrer" data-why>
              {w.comments(story.descendants)}
              <span class="visually-hidden"> {w.opensElsewhere}</span>
            </a>
          )}
        </p>
      </div>
      <button
        type="button"
        class="story-hide"
        data-hide
        onClick={() => void hide({ set, id: story.id, title })}
      >
        {w.hide}
        <span class="visually-hidden">: {title.slice(0, 80)}</span>
      </button>
    </li>
  );
}
