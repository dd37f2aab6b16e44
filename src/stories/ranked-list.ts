import { byRank, type ListedStory, type Rank } from './story.ts';
import type { StoryChange } from './story-store.ts';

/** Ranks before every story. */
export const TOP_RANK: Rank = { score: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

/**
 * The head of a ranking, updated as stories change. It contains every story that ranks at or before its floor, and
 * none that ranks after it, so anything else is beyond the floor. Its entries are replaced
 * and never mutated: a reference to them is a snapshot.
 */
export class RankedList {
  /** Best first. */
  entries: readonly ListedStory[];
  /** `null`: the list is complete. */
  floor: Rank | null;
  readonly #most: number;

  constructor(stories: readonly ListedStory[], floor: Rank | null, most = Number.POSITIVE_INFINITY) {
    this.entries = stories;
    this.floor = floor;
    this.#most = most;
    this.#cut();
  }

  /** Applies changes in order. Only stories younger than `since` are added. */
  apply(changes: readonly StoryChange[], since: number | null): void {
    const last = new Map<number, ListedStory | null>();
    for (const { before, after } of changes) {
      const id = after?.id ?? before?.id;
      if (id !== undefined) last.set(id, after);
    }
    this.#replace(last, since);
  }

  /** Adds these stories or replaces their earlier versions. */
  merge(stories: readonly ListedStory[], since: number | null): void {
    this.#replace(new Map(stories.map((story) => [story.id, story])), since);
  }

  /** Lowers the floor; `stories` are all those between the old and the new floor. */
  extend(stories: readonly ListedStory[], floor: Rank | null): void {
    this.floor = floor;
    this.#replace(new Map(stories.map((story) => [story.id, story])), null);
  }

  #replace(last: ReadonlyMap<number, ListedStory | null>, since: number | null): void {
    if (last.size === 0) return;
    const coming = [...last.values()]
      .filter((story) => story !== null)
      .filter((story) => (since === null || story.time > since) && this.#covers(story))
      .sort(byRank);
    const staying = this.entries.filter(({ id }) => !last.has(id));
    if (coming.length === 0 && staying.length === this.entries.length) return;
    this.entries = mergeRanked(staying, coming);
    this.#cut();
  }

  #covers(rank: Rank): boolean {
    return this.floor === null || byRank(rank, this.floor) <= 0;
  }

  #cut(): void {
    if (this.entries.length <= this.#most) return;
    this.entries = this.entries.slice(0, this.#most);
    this.floor = this.entries.at(-1) ?? TOP_RANK;
  }
}

/** Merges two ranked lists. */
export function mergeRanked<T extends Rank>(one: readonly T[], other: readonly T[]): T[] {
  if (other.length === 0) return [...one];
  const all: T[] = [];
  let next = 0;
  for (const story of one) {
    for (let rival = other[next]; rival !== undefined && byRank(rival, story) < 0; rival = other[++next])
      all.push(rival);
    all.push(story);
  }
  return [...all, ...other.slice(next)];
}

/** Index of the first entry after a rank. */
export function indexAfter(entries: readonly Rank[], after: Rank | null): number {
  if (after === null) return 0;
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && byRank(entry, after) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
