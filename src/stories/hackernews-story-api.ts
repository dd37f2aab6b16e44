import type { ClientFailure, HackerNewsClient } from '../sources/hackernews/hackernews-client.ts';
import { type HackerNewsItem, isNeverReadable, isReadable } from '../sources/hackernews/hackernews-client.ts';
import type { ApiResult, Story, StoryApi } from './story.ts';

/** Far above the limit of Hacker News; a document must have room for two. */
const MAX_TITLE_LENGTH = 100_000;
const MAX_KIDS = 5_000;

/** Hacker News' API for the story worker. */
export function hackerNewsStoryApi(client: HackerNewsClient): StoryApi {
  return {
    newest: async (signal) => toApiAnswer(await client.list('new', signal)),
    async liked(signal) {
      const lists = [await client.list('top', signal), await client.list('best', signal)];
      const ids = lists.flatMap((list) => (list.outcome === 'ok' ? list.value : []));
      return { ok: true, value: [...new Set(ids)] };
    },
    highest: async (signal) => toApiAnswer(await client.maxItem(signal)),
    async stories(ids, now, signal) {
      const { items, missing, failed, trouble } = await client.items(ids, signal);
      const readable = items.filter(isReadable);
      const unreadable = items.filter(isNeverReadable);
      const incomplete = items.filter((item) => !isReadable(item) && !isNeverReadable(item));
      return {
        found: readable.map((item) => storyOf(item, now)),
        gone: unreadable.map(({ id }) => id),
        missing: [...missing, ...incomplete.map(({ id }) => id)],
        failed,
        why: trouble === null ? null : describeFailure(trouble),
      };
    },
  };
}

/** A time in the future would keep a story at the top of every list until then. */
function storyOf(item: HackerNewsItem & { readonly time: number }, now: number): Story {
  return {
    id: item.id,
    by: item.by,
    descendants: item.descendants,
    kids: item.kids.slice(0, MAX_KIDS),
    score: item.score,
    time: Math.min(item.time, now),
    title: item.title.slice(0, MAX_TITLE_LENGTH),
    url: item.url,
    updated: now,
  };
}

function toApiAnswer<T>(answer: { readonly outcome: 'ok'; readonly value: T } | ClientFailure): ApiResult<T> {
  return answer.outcome === 'ok'
    ? { ok: true, value: answer.value }
    : { ok: false, why: describeFailure(answer) };
}

function describeFailure(failure: ClientFailure): string {
  return failure.outcome === 'failed' ? `${failure.why}: ${failure.detail}` : 'the API is unreachable';
}
