import { HOUR, MINUTE } from '../../src/time/duration.ts';
import { OUTLETS } from '../world/outlet.ts';
import { type Rng, rngOf } from '../world/rng.ts';
import type { World } from '../world/world.ts';

/** An item as the Firebase API returns it. Every field but `id` can be missing. */
export interface HackerNewsItem {
  readonly id: number;
  readonly type?: 'story' | 'comment' | 'job' | 'poll' | 'pollopt';
  readonly by?: string;
  readonly time?: number;
  readonly title?: string;
  readonly url?: string;
  readonly text?: string;
  readonly score?: number;
  readonly descendants?: number;
  readonly kids?: readonly number[];
  readonly parent?: number;
  readonly parts?: readonly number[];
  readonly deleted?: true;
  readonly dead?: true;
}

export interface ItemMaker {
  readonly seed: number;
  readonly world: World;
  readonly pages: string;
  /** A new item appears this often. */
  readonly itemMs: number;
}

/** Fraction of stories that are questions without a link. */
const ASKING = 0.08;
const PEOPLE = [
  'marrow',
  'tildeath',
  'qwopper',
  'inkblot',
  'sundry',
  'fenland',
  'oxbow',
  'rustbelt',
  'nibbler',
];
const ENGLISH = OUTLETS.filter((outlet) => outlet.language === 'en');

/**
 * The item at this time: scores and comments grow as it ages. `null` is what the API returns for a gap. Lists
 * need no text, and are much faster without.
 */
export function itemAt(
  maker: ItemMaker,
  id: number,
  now: number,
  words: 'with words' | 'without words' = 'with words',
): HackerNewsItem | null {
  const createdAt = id * maker.itemMs;
  if (createdAt > now || id < 1) return null;
  const rng = rngOf(maker.seed, 'hackernews', id);
  const chance = rng.next();
  const time = Math.floor(createdAt / 1000);
  const by = rng.pick(PEOPLE);
  if (chance < 0.02) return null;
  if (chance < 0.04) return { id, type: 'story', time, deleted: true };
  if (chance < 0.4)
    return { id, type: 'comment', by, time, parent: id - rng.between(1, 9), text: 'Agreed, mostly.' };
  if (chance < 0.42) {
    return { id, type: 'job', by, time, title: 'Larkfield is hiring a database engineer', score: 1 };
  }
  const age = now - createdAt;
  const score = scoreAt(rng, age);
  const descendants = Math.floor(score * rng.next());
  if (chance < 0.44) {
    return {
      id,
      type: 'poll',
      by,
      time,
      title: 'Poll: tabs or spaces?',
      score,
      descendants,
      parts: [id + 1, id + 2],
    };
  }
  const kids = Array.from({ length: Math.min(descendants, 5) }, (_, i) => id + i + 1);
  const story = {
    id,
    type: 'story' as const,
    by,
    time,
    score,
    descendants,
    kids,
    ...(words === 'with words' ? linkOf(maker, rng, createdAt) : {}),
  };
  if (chance < 0.46) return { ...story, dead: true };
  if (chance < 0.48) return halfEmpty(story, rngOf(maker.seed, 'lost', id));
  return story;
}

/** Most stories stay small; a few grow over the hours into the hundreds. */
function scoreAt(rng: Rng, age: number): number {
  const potential = Math.min(4000, 2 * (1 - rng.next()) ** -1.1);
  return 1 + Math.floor(potential * (1 - Math.exp(-age / (3 * HOUR))));
}

function linkOf(
  maker: ItemMaker,
  rng: Rng,
  createdAt: number,
): { title: string; url?: string; text?: string } {
  const outlet = rng.pick(ENGLISH);
  if (rng.next() < ASKING) {
    const title = `Ask HN: what do you read about ${outlet.topics[0]}?`;
    return { title, text: 'Looking for sources that are not already everywhere.' };
  }
  // The first items are older than any article.
  const number = Math.max(0, maker.world.newest(outlet, createdAt - MINUTE) - rng.between(0, 3));
  const item = maker.world.item(outlet, number);
  return { title: item.article.title, url: `${maker.pages}${item.path}` };
}

function halfEmpty(story: HackerNewsItem, rng: Rng): HackerNewsItem {
  const lost = rng.pick(['by', 'title', 'score', 'time', 'url', 'type'] as const);
  const { [lost]: _, ...rest } = story;
  return rest as HackerNewsItem;
}
