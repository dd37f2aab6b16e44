import type { ItemKey } from '../../src/item/item.ts';
import { interestsOf } from '../../src/judge/interests.ts';
import { createLocalJudge } from '../../src/judge/local/local-judge.ts';
import { Learning } from '../../src/learning/learning.ts';
import { Taste } from '../../src/learning/taste.ts';
import type { Entry, NewEntry } from '../../src/reader/entry-store.ts';
import { forYouPage } from '../../src/reader/for-you.ts';
import { MemoryReactionStore } from '../../src/storage/memory/reaction-store.ts';
import { SqliteEntryStore } from '../../src/storage/sqlite/reader/entry-store.ts';
import { DAY, MINUTE } from '../../src/time/duration.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { seeded } from '../../test/seeded-random.ts';
import { type ReplayLanguage, SUBJECTS, TEMPLATES } from './simulated-subjects.ts';

/** Means of nDCG@10 over readers and the last days. */
export interface ReplayResult {
  /** The reader's own list: in the order of time, and "for you". */
  readonly list: { readonly untrained: number; readonly learned: number };
  /** By the score of the local judge: alone, and moved by the reactions. */
  readonly verdicts: { readonly untrained: number; readonly learned: number };
  /** Of lists on the first day, before anything is learned. */
  readonly firstDay: { readonly untrained: number; readonly learned: number };
}

export interface ReplayOptions {
  readonly language: ReplayLanguage;
  readonly readers: number;
  readonly seed: number;
  readonly days?: number;
}

const ITEMS_PER_DAY = 60;
const SOURCES = 12;
/** The days at the end that count. */
const MEASURED_DAYS = 10;
/** How far down a reader looks. */
const LOOKED_AT = 15;
const CUT = 10;

/** Chance of reading to the end, by grade. */
const FINISHED_CHANCES = [0.02, 0.08, 0.3, 0.45];

interface Tastes {
  readonly grades: readonly number[];
}

/**
 * Replays the same stream for simulated readers with hidden tastes: each likes some subjects and dislikes others, looks at the
 * beginning of the list of the day, and reacts with chance. The program sees titles, sources and reactions, never the subjects.
 */
export async function replay({ language, readers, seed, days = 30 }: ReplayOptions): Promise<ReplayResult> {
  const random = seeded(seed);
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  await using entries = new SqliteEntryStore(':memory:');
  const store = new MemoryReactionStore();
  const learning = new Learning({ store, entries, sourceNames: (id) => id, clock, enabled: true });
  const tastes = Array.from({ length: readers }, () => tasteOf(random));
  const judge = createLocalJudge();
  const subjectOf = new Map<string, number>();
  const sums = { list: [0, 0], verdicts: [0, 0], firstDay: [0, 0] };
  for (let day = 0; day < days; day++) {
    const start = clock.now();
    await clock.advance(DAY);
    const items = makeItems(language, random, start, subjectOf, day);
    const added = await entries.add(items, clock.now(), () => null);
    const today = added.map(({ entry }) => entry);
    for (const [n, { grades }] of tastes.entries()) {
      const person = `reader${n}`;
      const gradeOf = ({ key }: Entry): number => grades[subjectOf.get(key) ?? 0] ?? 0;
      const taste = (await learning.tasteOf(person)) ?? new Taste([], clock.now());
      const page = await forYouPage(entries, {
        person,
        filter: { since: start },
        taste,
        limit: 2 * ITEMS_PER_DAY,
        now: clock.now(),
      });
      const ranked = page.entries.map(({ entry }) => entry);
      const byTime = today.toSorted((a, b) => b.publishedAt - a.publishedAt || b.id - a.id);
      const list = [ndcg(byTime.map(gradeOf)), ndcg(ranked.map(gradeOf))];
      if (day === 0) add(sums.firstDay, list);
      if (day >= days - MEASURED_DAYS) {
        add(sums.list, list);
        const scores = await scoresOf(today, grades, language, judge);
        const scored = (points: (entry: Entry) => number) =>
          today
            .map((entry, at) => ({ entry, score: (scores[at] ?? 0) + points(entry) }))
            .toSorted((a, b) => b.score - a.score || b.entry.publishedAt - a.entry.publishedAt)
            .map(({ entry }) => gradeOf(entry));
        add(sums.verdicts, [
          ndcg(scored(() => 0)),
          ndcg(scored((entry) => taste.move(entry, [entry.key]).points)),
        ]);
      }
      for (const entry of ranked.slice(0, LOOKED_AT))
        await react(person, entry, gradeOf(entry), learning, random);
    }
  }
  const measured = readers * Math.min(days, MEASURED_DAYS);
  const mean = ([untrained = 0, learned = 0]: readonly number[], count: number) => ({
    untrained: untrained / count,
    learned: learned / count,
  });
  return {
    list: mean(sums.list, measured),
    verdicts: mean(sums.verdicts, measured),
    firstDay: mean(sums.firstDay, readers),
  };
}

function add(sums: number[], values: readonly number[]): void {
  for (const [n, value] of values.entries()) sums[n] = (sums[n] ?? 0) + value;
}

/** Two subjects that a reader loves, two that they like, three that they dislike; the others are neither. */
function tasteOf(random: () => number): Tastes {
  const order = SUBJECTS.en.map((_, n) => n).sort(() => random() - 0.5);
  const grades = SUBJECTS.en.map(() => 1);
  for (const [place, subject] of order.entries()) {
    if (place < 2) grades[subject] = 3;
    else if (place < 4) grades[subject] = 2;
    else if (place < 7) grades[subject] = 0;
  }
  return { grades };
}

function makeItems(
  language: ReplayLanguage,
  random: () => number,
  start: number,
  subjectOf: Map<string, number>,
  day: number,
): readonly NewEntry[] {
  const subjects = SUBJECTS[language];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: ITEMS_PER_DAY }, (_, n): NewEntry => {
    const source = Math.floor(random() * SOURCES);
    // A source writes mostly about a few subjects.
    const subject =
      random() < 0.6
        ? (source * 3 + Math.floor(random() * 3)) % subjects.length
        : Math.floor(random() * subjects.length);
    const words = subjects[subject]?.words ?? [];
    const title = pick(TEMPLATES[language])
      .replace('{a}', pick(words))
      .replace('{b}', pick(words))
      .replace('{n}', String(1 + Math.floor(random() * 90)));
    const key = `https://example.com/${language}/${day}/${n}` as ItemKey;
    subjectOf.set(key, subject);
    return {
      key,
      url: key,
      title,
      author: null,
      excerpt: null,
      imageUrl: null,
      language,
      publishedAt: start + n * (DAY / ITEMS_PER_DAY) + MINUTE,
      points: null,
      enclosures: [],
      sourceId: `source${source}`,
      sourceName: `Source ${source}`,
      content: null,
    };
  });
}

async function react(
  person: string,
  entry: Entry,
  grade: number,
  learning: Learning,
  random: () => number,
): Promise<void> {
  const chance = random();
  const end = random();
  if (grade === 3 && chance < 0.35) await learning.react(person, 'star', [entry.id]);
  else if (grade === 2 && chance < 0.15) await learning.react(person, 'more', [entry.id]);
  else if (grade === 0 && chance < 0.15) await learning.react(person, 'less', [entry.id]);
  else if (grade === 0 && chance < 0.3) await learning.react(person, 'hide', [entry.id]);
  // By mistake, or for reasons that have nothing to do with the subject.
  else if (chance < 0.02) await learning.react(person, 'star', [entry.id]);
  if (end < (FINISHED_CHANCES[grade] ?? 0)) await learning.react(person, 'finished', [entry.id]);
}

/** A pipeline that was told half of the subjects, those that the reader dislikes included: its judge cannot tell them apart. */
async function scoresOf(
  entries: readonly Entry[],
  grades: readonly number[],
  language: ReplayLanguage,
  judge: ReturnType<typeof createLocalJudge>,
): Promise<readonly number[]> {
  const topics = SUBJECTS[language].flatMap(({ name, words }, n) =>
    grades[n] !== 1 || n % 3 === 0 ? [{ topic: name, aliases: words }] : [],
  );
  const interests = interestsOf(topics);
  return Promise.all(
    entries.map(async ({ url, title }) => {
      const judged = await judge.evaluate({ url, title, text: title, language }, interests);
      return judged.outcome === 'judged' ? judged.value.score : 0;
    }),
  );
}

/** Normalised discounted cumulative gain of the first ten; gains are 2^grade − 1. */
export function ndcg(grades: readonly number[]): number {
  const gain = (list: readonly number[]): number =>
    list.slice(0, CUT).reduce((sum, grade, n) => sum + (2 ** grade - 1) / Math.log2(n + 2), 0);
  const ideal = gain(grades.toSorted((a, b) => b - a));
  return ideal === 0 ? 1 : gain(grades) / ideal;
}
