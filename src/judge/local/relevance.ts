import type { ArticleText, Interest } from '../judge.ts';
import { type FieldEvidence, fieldEvidence, fieldStrength } from './fields.ts';
import type { Meaning, Profile } from './profile.ts';
import type { TermMatch } from './term-index.ts';
import { type FoldedText, fold, type Language } from './text.ts';
import type { Field } from './vocabulary/vocabulary.ts';

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
const TITLE_WEIGHT = 0.42;
const HEADING_WEIGHT = 0.2;
const LEAD_WEIGHT = 0.24;
const BODY_WEIGHT = 0.66;
const VARIETY_WEIGHT = 0.36;
const CONTEXT_WEIGHT = 0.25;
/** A body of this many weighted mentions counts half of what it can. */
const HALF_BODY = 2.1;
/** What an ambiguous name counts without the company of its concept. */
const AMBIGUOUS_ALONE_WEIGHT = 0.12;
/** What a single mention counts that is neither in the title nor in the beginning. */
const IN_PASSING_FACTOR = 0.5;
const FIELD_WEIGHT = 1;
/** What the name of a broad field counts in a text without other words of that field. */
const NAME_ALONE_WEIGHT = 0.3;
/** Below this an interest is only mentioned. */
const MIN_STRENGTH = 0.35;
/** A clear match of an interest of medium priority is worth 1 − e^−STEEPNESS. */
const STEEPNESS = 1.95;
/** The beginning, where a mention counts more: so many units, but at most this share of the text. */
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

interface FoundTerm {
  readonly kind: 'title' | 'heading' | 'body';
  readonly find: TermMatch<Meaning>;
  readonly lead: boolean;
}

export function relevanceOf(article: ArticleText, profile: Profile): Relevance {
  const title = fold(article.title);
  const body = fold(article.text);
  const language = /[\u3040-\u30ff]/.test(article.text.slice(0, 400)) ? 'ja' : 'en';
  const lead = Math.min(LEAD_UNITS[language], body.lower.length * LEAD_SHARE);
  const places = findTerms(title, body, article.headings ?? [], profile, lead);
  const tallies = tally(places, profile.interests.length);
  const dilution = Math.max(1, Math.sqrt(body.lower.length / USUAL_UNITS[language]));
  const matches: Match[] = [];
  let total = 0;
  const evidence = profile.fields.some((fields) => fields.length > 0)
    ? fieldEvidence(title, body, language, profile.words)
    : null;
  profile.interests.forEach((interest, i) => {
    const counts = tallies[i];
    if (!counts) return;
    const match = matchOf(interest, counts, dilution, fieldOf(evidence, profile.fields[i] ?? []));
    total += match.strength * PRIORITY_WEIGHT[interest.priority];
    if (match.strength >= MIN_STRENGTH) matches.push(match);
  });
  matches.sort(
    (a, b) =>
      b.strength * PRIORITY_WEIGHT[b.interest.priority] - a.strength * PRIORITY_WEIGHT[a.interest.priority],
  );
  return { score: Math.round(100 * (1 - Math.exp(-STEEPNESS * total))), matches };
}

function findTerms(
  title: FoldedText,
  body: FoldedText,
  headings: readonly string[],
  profile: Profile,
  lead: number,
): FoundTerm[] {
  const places: FoundTerm[] = [];
  for (const find of profile.index.find(title)) places.push({ kind: 'title', find, lead: false });
  for (const heading of headings) {
    for (const find of profile.index.find(fold(heading))) places.push({ kind: 'heading', find, lead: false });
  }
  for (const find of profile.index.find(body)) places.push({ kind: 'body', find, lead: find.at < lead });
  return places;
}

function tally(places: readonly FoundTerm[], interests: number): Tally[] {
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
    const weight = meaning.weight * (trusted ? 1 : AMBIGUOUS_ALONE_WEIGHT);
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

/** What the field of an interest says about an article. */
interface FieldCounts {
  readonly strength: number;
  readonly mentions: number;
  readonly inTitle: boolean;
}

function fieldOf(evidence: FieldEvidence | null, fields: readonly Field[]): FieldCounts | null {
  if (evidence === null || fields.length === 0) return null;
  const sum = (counts: Uint32Array): number => fields.reduce((total, { id }) => total + (counts[id] ?? 0), 0);
  return {
    strength: fieldStrength(evidence, fields),
    mentions: sum(evidence.mentions),
    inTitle: sum(evidence.inTitle) > 0,
  };
}

/** The strength of an interest is a sum: its own words, and the words of its field. */
function matchOf(interest: Interest, counts: Tally, dilution: number, field: FieldCounts | null): Match {
  const own = counts.mentions === 0 ? 0 : strengthOf(counts, dilution);
  if (field === null)
    return { interest, strength: own, inTitle: counts.title > 0.5, mentions: counts.mentions };
  // The name of a broad field ("business", "world") is an ordinary word, too: it counts as far as the field is there.
  const trust =
    interest.aliases.length > 0 ? 1 : NAME_ALONE_WEIGHT + (1 - NAME_ALONE_WEIGHT) * field.strength;
  return {
    interest,
    strength: own * trust + FIELD_WEIGHT * field.strength,
    inTitle: counts.title > 0.5 || field.inTitle,
    mentions: Math.max(counts.mentions, field.mentions),
  };
}

function strengthOf(counts: Tally, dilution: number): number {
  const body = counts.body / dilution;
  const variety = Math.max(0, counts.terms.size - 1);
  const context = counts.context.size;
  const strength =
    TITLE_WEIGHT * counts.title +
    HEADING_WEIGHT * counts.heading +
    LEAD_WEIGHT * counts.lead +
    BODY_WEIGHT * (body / (body + HALF_BODY)) +
    VARIETY_WEIGHT * (variety / (variety + 2)) +
    CONTEXT_WEIGHT * (context / (context + 2));
  const passing = counts.mentions === 1 && counts.title === 0 && counts.heading === 0 && counts.lead === 0;
  return passing ? strength * IN_PASSING_FACTOR : strength;
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

/** Those that the reason names. */
export function strongest(matches: readonly Match[]): readonly Match[] {
  return matches.slice(0, 3);
}

/** The reason of a score, in one sentence. */
export function reasonFor(matches: readonly Match[], score: number, language: Language): string {
  if (matches.length === 0) {
    if (language === 'ja')
      return score > 0 ? '関心のある話題には少し触れるだけである。' : '関心のある話題に触れていない。';
    return score > 0 ? 'Mentions the interests only in passing.' : 'Mentions none of the interests.';
  }
  const parts = strongest(matches).map((match) => (language === 'ja' ? inJapanese(match) : inEnglish(match)));
  return language === 'ja' ? `${parts.join('、')}。` : `${parts.join('; ')}.`;
}

function inJapanese(match: Match): string {
  const where = match.inTitle ? '見出しと本文' : '本文';
  return `「${match.interest.topic}」を${where}で${match.mentions}回取り上げている`;
}

function inEnglish(match: Match): string {
  const times = match.mentions === 1 ? 'once' : `${match.mentions} times`;
  return `“${match.interest.topic}” ${times}${match.inTitle ? ', also in the title' : ' in the text'}`;
}
