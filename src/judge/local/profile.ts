import type { Interest, Interests } from '../judge.ts';
import { fold } from './folded-text.ts';
import type { Term } from './term-index.ts';
import { TermIndex } from './term-index.ts';
import { conceptOf } from './thesaurus.ts';

/** What finding a term says about an interest. */
export interface Meaning {
  /** Place of the interest in the list. */
  readonly interest: number;
  /** Tells finds of different terms apart. */
  readonly term: number;
  /** 1 for the person's own words, less for ours. */
  readonly weight: number;
  /** Context only: says which sense is meant, not what the text is about. */
  readonly context: boolean;
  /** Counts in full only beside other words of its concept. */
  readonly ambiguous: boolean;
}

/** Interests made ready for reading articles: made once per version, used for every article. */
export interface Profile {
  readonly interests: readonly Interest[];
  readonly index: TermIndex<Meaning>;
}

const OWN_WORD = 1;
const OTHER_NAME = 0.95;
const PART_OF_IT = 0.8;
const NEARBY = 0.25;

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
  for (const text of own) add(text, OWN_WORD, false);
  for (const concept of concepts) {
    for (const text of concept.names) add(text, OTHER_NAME, false);
    for (const text of concept.same) add(text, PART_OF_IT, false);
    for (const text of concept.near) add(text, NEARBY, true);
  }
  return [...terms.values()];
}

/** Short abbreviations (IT, WHO) and ambiguous names (Go, Rust) mean what they mean only as they are written. */
function needsExactCase(text: string, ambiguous: boolean): boolean {
  if (/^[A-Z][A-Z0-9]{1,3}$/.test(text)) return text !== 'AI';
  return ambiguous && /^[A-Z]/.test(text);
}
