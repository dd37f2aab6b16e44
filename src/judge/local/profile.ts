import type { Interest, Interests } from '../judge.ts';
import concepts from './concepts.json' with { type: 'json' };
import { type Term, TermIndex } from './term-index.ts';
import { fold } from './text.ts';

/** What a match of a term means for an interest. */
export interface Meaning {
  /** Index of the interest. */
  readonly interest: number;
  /** Distinguishes matches of different terms. */
  readonly term: number;
  /** 1 for the person's own words, less for ours. */
  readonly weight: number;
  /** Context only: indicates the sense of a name, not what the text is about. */
  readonly context: boolean;
  /** Counts in full only beside other words of its concept. */
  readonly ambiguous: boolean;
}

/** Interests compiled for matching: once per version, used for every article. */
export interface Profile {
  readonly interests: readonly Interest[];
  readonly index: TermIndex<Meaning>;
}

const OWN_WORD_WEIGHT = 1;
const SYNONYM_WEIGHT = 0.95;
const PART_WEIGHT = 0.8;
const CONTEXT_WEIGHT = 0.25;

export function profileOf(interests: Interests): Profile {
  const terms: Term<Meaning>[] = [];
  interests.topics.forEach((interest, place) => {
    terms.push(...termsOf(interest, place));
  });
  return { interests: interests.topics, index: new TermIndex(terms) };
}

function termsOf(interest: Interest, place: number): Term<Meaning>[] {
  const terms = new Map<string, Term<Meaning>>();
  const own = [interest.topic, ...interest.aliases];
  const concepts = new Set(own.map(conceptOf).filter((concept) => concept !== undefined));
  const ambiguous = new Set(
    [...concepts].flatMap((concept) => concept.ambiguous.map((name) => fold(name).lower)),
  );
  const add = (text: string, weight: number, context: boolean): void => {
    const key = fold(text.trim()).lower;
    if (key === '' || terms.has(key)) return;
    const meaning: Meaning = {
      interest: place,
      term: terms.size,
      weight,
      context,
      ambiguous: ambiguous.has(key),
    };
    terms.set(key, { text, exactCase: needsExactCase(text, ambiguous.has(key)), meaning });
  };
  for (const text of own) add(text, OWN_WORD_WEIGHT, false);
  for (const concept of concepts) {
    for (const text of concept.names) add(text, SYNONYM_WEIGHT, false);
    for (const text of concept.same) add(text, PART_WEIGHT, false);
    for (const text of concept.near) add(text, CONTEXT_WEIGHT, true);
  }
  return [...terms.values()];
}

/** Short abbreviations (IT, WHO) and ambiguous names (Go, Rust) mean what they mean only as they are written. */
function needsExactCase(text: string, ambiguous: boolean): boolean {
  if (/^[A-Z][A-Z0-9]{1,3}$/.test(text)) return text !== 'AI';
  return ambiguous && /^[A-Z]/.test(text);
}

/** Vocabulary of a topic beyond its name. */
export interface Concept {
  /** The topic in other words and in the other language. */
  readonly names: readonly string[];
  /** Parts and kinds of it: an article about one of them is about the topic. */
  readonly same: readonly string[];
  /** Words that such articles use. They prove nothing alone, but indicate the sense of a name. */
  readonly near: readonly string[];
  /** Names that mean something else as often as not: they count in full only in the company of the other words. */
  readonly ambiguous: readonly string[];
}

interface ConceptEntry {
  readonly names: readonly string[];
  readonly same?: readonly string[];
  readonly near?: readonly string[];
  readonly ambiguous?: readonly string[];
}

let byName: Map<string, Concept> | undefined;

/** The concept that a topic or an alias names, in either language. */
export function conceptOf(name: string): Concept | undefined {
  byName ??= indexByName(concepts);
  return byName.get(fold(name.trim()).lower);
}

function indexByName(entries: readonly ConceptEntry[]): Map<string, Concept> {
  const map = new Map<string, Concept>();
  for (const entry of entries) {
    const concept: Concept = {
      names: entry.names,
      same: entry.same ?? [],
      near: entry.near ?? [],
      ambiguous: entry.ambiguous ?? [],
    };
    for (const name of entry.names) map.set(fold(name).lower, concept);
  }
  return map;
}
