import { readFileSync } from 'node:fs';

export type Half = 'development' | 'held-out';
/** `outlets`: English events as outlets of all kinds report them, some headlines of which say only what is beside the event. */
export type Collection = 'english' | 'japanese' | 'outlets';

/** What two items of one family are to each other. */
export type Relation = 'same event' | 'follow-up' | 'unrelated';

export interface LabelledItem {
  readonly title: string;
  readonly lead: string | undefined;
  /** In milliseconds; unknown if absent: all items arrive at once. */
  readonly publishedAt?: number;
  /** Number of the event within all families of the file. */
  readonly event: number;
  readonly family: number;
  /** Whether the event belongs to the first one of its family: that event itself, or what came of it. */
  readonly inThread: boolean;
}

/**
 * Families of events, written for this project; the names of people and companies are invented. A file has families (`# name (subject)`). A line is
 * `title || lead` or `title`. Of a family the first event comes first; `+` begins a follow-up of it, `-` another event
 * that is easily mistaken for one of the others. The `held-out` files are for reports only: no rule or weight may be
 * chosen by them, so read their errors only together with writing new ones.
 */
export function labelledItems(half: Half, collection: Collection): readonly LabelledItem[] {
  const text = readFileSync(new URL(`events/${half}-${collection}.txt`, import.meta.url), 'utf8');
  const items: LabelledItem[] = [];
  let [event, family, inThread] = [-1, -1, true];
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) [event, family, inThread] = [event + 1, family + 1, true];
    else if (line === '+' || line === '-') [event, inThread] = [event + 1, line === '+'];
    else if (line.trim() !== '') {
      const [title = '', lead] = line.split(' || ');
      items.push({ title, lead, event, family, inThread });
    }
  }
  return items;
}

export interface LabelledPair {
  readonly one: LabelledItem;
  readonly other: LabelledItem;
  readonly relation: Relation;
}

/** Every pair within a family: those between families are unrelated, and easy. */
export function labelledPairs(items: readonly LabelledItem[]): readonly LabelledPair[] {
  return items.flatMap((one, index) =>
    items
      .slice(index + 1)
      .filter(({ family }) => family === one.family)
      .map((other): LabelledPair => ({ one, other, relation: relationOf(one, other) })),
  );
}

function relationOf(one: LabelledItem, other: LabelledItem): Relation {
  if (one.event === other.event) return 'same event';
  return one.inThread && other.inThread ? 'follow-up' : 'unrelated';
}

/**
 * Headlines of another corpus, such as the UCI News Aggregator, one on a line: columns separated by tabs, the first one the story,
 * the last one the title. Each story is its own family.
 */
export function headlinesIn(file: string): readonly LabelledItem[] {
  const stories = new Map<string, number>();
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const columns = line.split('\t');
      const story = columns[0] ?? '';
      const event = stories.get(story) ?? stories.size;
      stories.set(story, event);
      return { title: columns.at(-1) ?? '', lead: undefined, event, family: event, inThread: true };
    });
}

/** Several corpora as one window of news: their stories stay different ones. */
export function mixed(corpora: readonly (readonly LabelledItem[])[]): readonly LabelledItem[] {
  let before = 0;
  return corpora.flatMap((items) => {
    const from = before;
    before += Math.max(-1, ...items.map(({ event }) => event)) + 1;
    return items.map((item) => ({ ...item, event: item.event + from, family: item.family + from }));
  });
}

const HOUR_MS = 3_600_000;
/** Average time from an event to a report of it. */
const MEAN_DELAY_HOURS = 5;
const WINDOW_HOURS = 72;
const FOLLOW_UP_HOURS = { min: 6, max: 60 };

/**
 * The items with times as news has them, in the order of these: the reports of an event within hours, what came of it 6 to
 * 60 hours after the event before, and other events of a family whenever. The times are drawn, another set for each seed.
 */
export function withTimes(items: readonly LabelledItem[], seed: number): readonly LabelledItem[] {
  const random = randomNumbers(seed);
  const startOf = new Map<number, number>();
  const latestOf = new Map<number, number>();
  for (const { event, family, inThread } of items) {
    if (startOf.has(event)) continue;
    const before = inThread ? latestOf.get(family) : undefined;
    const { min, max } = FOLLOW_UP_HOURS;
    const start = before === undefined ? random() * WINDOW_HOURS : before + min + (max - min) * random();
    startOf.set(event, start);
    if (inThread) latestOf.set(family, start);
  }
  return items
    .map((item) => {
      const delay = -Math.log(1 - random()) * MEAN_DELAY_HOURS;
      return { ...item, publishedAt: ((startOf.get(item.event) ?? 0) + delay) * HOUR_MS };
    })
    .sort((a, b) => a.publishedAt - b.publishedAt);
}

/** In an order that keeps no event together, as items of several sources arrive; another one for each number. */
export function inAnyOrder(items: readonly LabelledItem[], order: number): readonly LabelledItem[] {
  const random = randomNumbers(order);
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function randomNumbers(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
