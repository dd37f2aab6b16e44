import type { Interest, Interests } from '../judge.ts';
import { type Term, TermIndex } from './term-index.ts';
import { fold } from './text.ts';
import { type Field, isAbbreviation, type Vocabulary } from './vocabulary/vocabulary.ts';

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
  /** The broad fields that each interest names; none for most. */
  readonly fields: readonly (readonly Field[])[];
  readonly words: Vocabulary;
}

const OWN_WORD_WEIGHT = 1;
const SYNONYM_WEIGHT = 0.95;
const PART_WEIGHT = 0.8;
const CONTEXT_WEIGHT = 0.25;

export function profileOf(interests: Interests, words: Vocabulary): Profile {
  const terms: Term<Meaning>[] = [];
  interests.topics.forEach((interest, place) => {
    terms.push(...termsOf(interest, place, words));
  });
  return {
    interests: interests.topics,
    index: new TermIndex(terms),
    fields: interests.topics.map(({ topic }) => words.fieldsOf(topic)),
    words,
  };
}

function termsOf(interest: Interest, place: number, words: Vocabulary): Term<Meaning>[] {
  const terms = new Map<string, Term<Meaning>>();
  const own = [interest.topic, ...interest.aliases];
  const concepts = own.flatMap((name) => words.conceptsOf(name));
  const ambiguous = new Set(concepts.flatMap((concept) => concept.ambiguous.map((name) => fold(name).lower)));
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

/** Ambiguous names (Go, Rust) mean what they mean only as they are written. */
function needsExactCase(text: string, ambiguous: boolean): boolean {
  return isAbbreviation(text) || (ambiguous && /^[A-Z]/.test(text));
}
