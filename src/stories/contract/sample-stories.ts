import { DAY } from '../../time/duration.ts';
import type { ApiResult, ListedStory, StoriesResult, Story, StoryApi } from '../story.ts';

/** A story for a test. */
export function sampleStory(id: number, over: Partial<Story> = {}): Story {
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

/** Pseudo-random numbers, the same in each run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Stories spread over this many days before `now`, most of them with few points, as in reality. */
export function sampleStories(count: number, now: number, days: number, seed = 1): Story[] {
  const next = seededRandom(seed);
  return Array.from({ length: count }, (_, n) =>
    sampleStory(1000 + n, {
      score: Math.floor(1 / (next() * 0.5 + 0.001)),
      time: Math.floor(now - next() * days * DAY),
      updated: now,
    }),
  );
}

/** The expected list, by a scan of every story. */
export function expectedBest(stories: readonly ListedStory[], since: number | null, limit: number): number[] {
  return stories
    .filter(({ time }) => since === null || time > since)
    .toSorted((a, b) => b.score - a.score || b.id - a.id)
    .slice(0, limit)
    .map(({ id }) => id);
}

/** A fake of the Hacker News API. */
export class ScriptedApi implements StoryApi {
  readonly stories$ = new Map<number, Partial<Story> | 'gone' | 'missing' | 'failed'>();
  newestIds: number[] = [];
  likedIds: number[] = [];
  highestId = 0;
  unreachable = false;
  /** Requested IDs, in order. */
  readonly requested: number[] = [];
  /** Called before each response. */
  before: (ids: readonly number[]) => void = () => {};

  newest(): Promise<ApiResult<readonly number[]>> {
    return this.#answer(this.newestIds);
  }

  liked(): Promise<ApiResult<readonly number[]>> {
    return this.#answer(this.likedIds);
  }

  highest(): Promise<ApiResult<number>> {
    return this.#answer(this.highestId);
  }

  async stories(ids: readonly number[], now: number): Promise<StoriesResult> {
    this.before(ids);
    this.requested.push(...ids);
    const of = (what: string): number[] => ids.filter((id) => (this.stories$.get(id) ?? 'missing') === what);
    const found = ids.flatMap((id) => {
      const sample = this.stories$.get(id);
      return typeof sample === 'object' ? [sampleStory(id, { time: now, ...sample, updated: now })] : [];
    });
    const failed = of('failed');
    return {
      found,
      gone: of('gone'),
      missing: of('missing'),
      failed,
      why: failed.length > 0 ? 'timed out' : null,
    };
  }

  async #answer<T>(value: T): Promise<ApiResult<T>> {
    return this.unreachable ? { ok: false, why: 'the API is unreachable' } : { ok: true, value };
  }
}
