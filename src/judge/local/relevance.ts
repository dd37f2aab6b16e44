import type { ArticleText, Interest } from '../judge.ts';
import type { FoldedText } from './folded-text.ts';
import { fold } from './folded-text.ts';
import type { Meaning, Profile } from './profile.ts';
import type { Find } from './term-index.ts';

/** How much an article is about one interest. */
export interface Match {
  readonly interest: Interest;
  /** 0 = not at all, 1 = clearly about it, above 1 = about nothing else. */
  readonly strength: number;
  readonly inTitle: boolean;
  readonly mentions: number;
}

export interface Relevance {
  /** Integer 0–100. */
  readonly score: number;
  /** What it is about, strongest first; mentions in passing are not here. */
  readonly matches: readonly Match[];
}

/** The weights of A2. */
export const PRIORITY_WEIGHT: Readonly<Record<Interest['priority'], number>> = {
  high: 2,
  medium: 1,
  low: 0.5,
};

/** Numbers found on the tuning half of the labelled set. */
const TITLE = 0.42;
const HEADING = 0.2;
const LEAD = 0.24;
const BODY = 0.66;
const VARIETY = 0.36;
const CONTEXT = 0.25;
/** A body of this many weighted mentions counts half of what it can. */
const HALF_BODY = 2.1;
/** What an ambiguous name counts without the company of its concept. */
const ALONE = 0.12;
/** What a single mention counts that is neither in the title nor in the beginning. */
const IN_PASSING = 0.5;
/** Below this an interest is only mentioned. */
const ABOUT = 0.35;
/** A clear match of an interest of medium priority is worth 1 − e^−STEEPNESS. */
const STEEPNESS = 1.95;
/** A mention in the beginning says more: in so many units, but never more than this share of the text. */
const LEAD_SHARE = 0.3;
const LEAD_UNITS = { ja: 120, en: 260 };
/** Texts longer than this dilute their mentions. */
const USUAL_UNITS = { ja: 800, en: 2000 };

interface Tally {
  title: number;
  heading: number;
  lead: number;
  body: number;
  mentions: number;
  readonly terms: Set<number>;
  readonly context: Set<number>;
  sure: boolean;
}

interface Place {
  readonly kind: 'title' | 'heading' | 'body';
  readonly find: Find<Meaning>;
  readonly lead: boolean;
}

export function relevanceOf(article: ArticleText, profile: Profile): Relevance {
  const title = fold(article.title);
  const body = fold(article.text);
  const language = /[\u3040-\u30ff]/.test(article.text.slice(0, 400)) ? 'ja' : 'en';
  const lead = Math.min(LEAD_UNITS[language], body.lower.length * LEAD_SHARE);
  const places = placesOf(title, body, article.headings ?? [], profile, lead);
  const tallies = tally(places, profile.interests.length);
  const dilution = Math.max(1, Math.sqrt(body.lower.length / USUAL_UNITS[language]));
  const matches: Match[] = [];
  let total = 0;
  profile.interests.forEach((interest, i) => {
    const counts = tallies[i];
    if (!counts || counts.mentions === 0) return;
    const strength = strengthOf(counts, dilution);
    total += strength * PRIORITY_WEIGHT[interest.priority];
    if (strength >= ABOUT) {
      matches.push({ interest, strength, inTitle: counts.title > 0.5, mentions: counts.mentions });
    }
  });
  matches.sort(
    (a, b) =>
      b.strength * PRIORITY_WEIGHT[b.interest.priority] - a.strength * PRIORITY_WEIGHT[a.interest.priority],
  );
  return { score: Math.round(100 * (1 - Math.exp(-STEEPNESS * total))), matches };
}

function placesOf(
  title: FoldedText,
  body: FoldedText,
  headings: readonly string[],
  profile: Profile,
  lead: number,
): Place[] {
  const places: Place[] = [];
  for (const find of profile.index.find(title)) places.push({ kind: 'title', find, lead: false });
  for (const heading of headings) {
    for (const find of profile.index.find(fold(heading))) places.push({ kind: 'heading', find, lead: false });
  }
  for (const find of profile.index.find(body)) places.push({ kind: 'body', find, lead: find.at < lead });
  return places;
}

function tally(places: readonly Place[], interests: number): Tally[] {
  const tallies = Array.from({ length: interests }, emptyTally);
  for (const { find } of places) {
    const counts = tallies[find.meaning.interest];
    if (!counts) continue;
    if (find.meaning.context) counts.context.add(find.meaning.term);
    else if (!find.meaning.ambiguous) counts.sure = true;
  }
  for (const { kind, find, lead } of places) {
    const counts = tallies[find.meaning.interest];
    const { meaning } = find;
    if (!counts || meaning.context) continue;
    const trusted = !meaning.ambiguous || counts.sure || counts.context.size >= 2;
    const weight = meaning.weight * (trusted ? 1 : ALONE);
    counts.mentions++;
    counts.terms.add(meaning.term);
    if (kind === 'title') counts.title = Math.max(counts.title, weight);
    else if (kind === 'heading') counts.heading = Math.max(counts.heading, weight);
    else {
      counts.body += weight;
      if (lead) counts.lead = Math.max(counts.lead, weight);
    }
  }
  return tallies;
}

function strengthOf(counts: Tally, dilution: number): number {
  const body = counts.body / dilution;
  const variety = Math.max(0, counts.terms.size - 1);
  const context = counts.context.size;
  const strength =
    TITLE * counts.title +
    HEADING * counts.heading +
    LEAD * counts.lead +
    BODY * (body / (body + HALF_BODY)) +
    VARIETY * (variety / (variety + 2)) +
    CONTEXT * (context / (context + 2));
  const passing = counts.mentions === 1 && counts.title === 0 && counts.heading === 0 && counts.lead === 0;
  return passing ? strength * IN_PASSING : strength;
}

function emptyTally(): Tally {
  return {
    title: 0,
    heading: 0,
    lead: 0,
    body: 0,
    mentions: 0,
    terms: new Set(),
    context: new Set(),
    sure: false,
  };
}
