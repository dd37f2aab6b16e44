import type { Story } from '../story.ts';
import type { ApiAnswer, StoriesAnswer, StoryApi } from '../story-api.ts';
import { story } from './some-stories.ts';

/** Hacker News as a test tells it. */
export class ScriptedApi implements StoryApi {
  readonly stories$ = new Map<number, Partial<Story> | 'gone' | 'missing' | 'failed'>();
  newestIds: number[] = [];
  likedIds: number[] = [];
  highestId = 0;
  away = false;
  /** What was asked for, in order. */
  readonly asked: number[] = [];
  /** Called before each answer. */
  before: (ids: readonly number[]) => void = () => {};

  newest(): Promise<ApiAnswer<readonly number[]>> {
    return this.#tell(this.newestIds);
  }

  liked(): Promise<ApiAnswer<readonly number[]>> {
    return this.#tell(this.likedIds);
  }

  highest(): Promise<ApiAnswer<number>> {
    return this.#tell(this.highestId);
  }

  async stories(ids: readonly number[], now: number): Promise<StoriesAnswer> {
    this.before(ids);
    this.asked.push(...ids);
    const of = (what: string): number[] => ids.filter((id) => (this.stories$.get(id) ?? 'missing') === what);
    const found = ids.flatMap((id) => {
      const told = this.stories$.get(id);
      return typeof told === 'object' ? [story(id, { time: now, ...told, updated: now })] : [];
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

  async #tell<T>(value: T): Promise<ApiAnswer<T>> {
    return this.away ? { ok: false, why: 'nothing can be reached' } : { ok: true, value };
  }
}
