import { DAY } from '../../time/duration.ts';
import type { ListedStory, Story } from '../story.ts';

/** A story for a test. */
export function story(id: number, over: Partial<Story> = {}): Story {
  return {
    id,
    by: `author${id % 7}`,
    descendants: id % 50,
    kids: [id + 1, id + 2],
    score: 10,
    time: 0,
    title: `Story ${id}`,
    url: `https://example.com/${id}`,
    updated: 0,
    ...over,
  };
}

/** Numbers that look like chance and are the same each time. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Stories spread over so many days before `now`, most of them with few points, as it is. */
export function crowd(count: number, now: number, days: number, seed = 1): Story[] {
  const next = chance(seed);
  return Array.from({ length: count }, (_, n) =>
    story(1000 + n, {
      score: Math.floor(1 / (next() * 0.5 + 0.001)),
      time: Math.floor(now - next() * days * DAY),
      updated: now,
    }),
  );
}

/** What a list must be, found by looking at every story. */
export function bestOf(stories: readonly ListedStory[], since: number | null, limit: number): number[] {
  return stories
    .filter(({ time }) => since === null || time > since)
    .toSorted((a, b) => b.score - a.score || b.id - a.id)
    .slice(0, limit)
    .map(({ id }) => id);
}
