import type { HackerNewsClient, Trouble } from '../sources/hackernews/hackernews-client.ts';
import { type HackerNewsItem, isReadable, isSettled } from '../sources/hackernews/hackernews-item.ts';
import type { Story } from '../stories/story.ts';
import type { ApiAnswer, StoryApi } from '../stories/story-api.ts';

/** Far beyond what Hacker News allows; a document must hold it twice. */
const LONGEST_TITLE = 100_000;
const MOST_KIDS = 5_000;

/** Hacker News' API as the story worker asks it. */
export function storyApi(client: HackerNewsClient): StoryApi {
  return {
    newest: async (signal) => told(await client.list('new', signal)),
    async liked(signal) {
      const lists = [await client.list('top', signal), await client.list('best', signal)];
      const ids = lists.flatMap((list) => (list.outcome === 'ok' ? list.value : []));
      return { ok: true, value: [...new Set(ids)] };
    },
    highest: async (signal) => told(await client.maxItem(signal)),
    async stories(ids, now, signal) {
      const { items, missing, failed, trouble } = await client.items(ids, signal);
      const readable = items.filter(isReadable);
      const settled = items.filter(isSettled);
      const half = items.filter((item) => !isReadable(item) && !isSettled(item));
      return {
        found: readable.map((item) => storyOf(item, now)),
        gone: settled.map(({ id }) => id),
        missing: [...missing, ...half.map(({ id }) => id)],
        failed,
        why: trouble === null ? null : words(trouble),
      };
    },
  };
}

/** A time to come would keep a story at the top of every list until it has come. */
function storyOf(item: HackerNewsItem & { readonly time: number }, now: number): Story {
  return {
    id: item.id,
    by: item.by,
    descendants: item.descendants,
    kids: item.kids.slice(0, MOST_KIDS),
    score: item.score,
    time: Math.min(item.time, now),
    title: item.title.slice(0, LONGEST_TITLE),
    url: item.url,
    updated: now,
  };
}

function told<T>(answer: { readonly outcome: 'ok'; readonly value: T } | Trouble): ApiAnswer<T> {
  return answer.outcome === 'ok' ? { ok: true, value: answer.value } : { ok: false, why: words(answer) };
}

function words(trouble: Trouble): string {
  return trouble.outcome === 'failed' ? `${trouble.why}: ${trouble.detail}` : 'nothing can be reached';
}
