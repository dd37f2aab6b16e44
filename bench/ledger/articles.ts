import type { ItemKey, Sighting } from '../../src/item/item.ts';

export const BATCH = 200;
/** Items that go through a ledger or a queue before it is measured: a new write-ahead log is slower than an existing one. */
export const IN_USE = 1_500;

/** The n-th article of a feed, always the same. */
export function article(n: number): Sighting {
  const key = `https://news.example.com/2026/articles/some-title-of-an-article-${n}.html` as ItemKey;
  return {
    key,
    url: key,
    title: `A title of an article about things that happened, number ${n}`,
    publishedAt: Date.UTC(2026, 0, 1) + n * 1000,
    sourceId: 'feed-1',
    sourceName: 'A feed',
  };
}

/** Batches in which each tenth article was never seen: their numbers begin at `fresh`. */
export function mixed(count: number, fresh: number): Sighting[][] {
  const batches: Sighting[][] = [];
  for (let from = 0; from < count; from += BATCH)
    batches.push(
      Array.from({ length: BATCH }, (_, index) => {
        const n = from + index;
        return article(n % 10 === 9 ? fresh + n : n);
      }),
    );
  return batches;
}

/** Number of articles that a mixed run takes as known. */
export function* known(count: number): Generator<Sighting> {
  for (let n = 0; n < count; n++) if (n % 10 !== 9) yield article(n);
}
