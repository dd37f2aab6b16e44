import { readFileSync } from 'node:fs';

export type Half = 'development' | 'held-out';
export type Language = 'english' | 'japanese';

/** What two items of one family are to each other. */
export type Relation = 'same event' | 'follow-up' | 'unrelated';

export interface LabelledItem {
  readonly title: string;
  readonly lead: string | undefined;
  /** Number of the event within all families of the file. */
  readonly event: number;
  readonly family: number;
  /** Whether the event belongs to the first one of its family: that event itself, or what came of it. */
  readonly inThread: boolean;
}

/**
 * Families of events, written for this project; the names are invented. A file has families (`# name (subject)`). A line is
 * `title || lead` or `title`. Of a family the first event comes first; `+` begins a follow-up of it, `-` another event
 * that is easily mistaken for one of the others. The `held-out` files are for reports only: no rule or weight may be
 * chosen by them, so read their errors only together with writing new ones.
 */
export function labelledItems(half: Half, language: Language): readonly LabelledItem[] {
  const text = readFileSync(new URL(`events/${half}-${language}.txt`, import.meta.url), 'utf8');
  const items: LabelledItem[] = [];
  let [event, family, inThread] = [-1, -1, true];
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) [event, family, inThread] = [event + 1, family + 1, true];
    else if (line === '+' || line === '-') [event, inThread] = [event + 1, line === '+'];
    else if (line !== '') {
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
