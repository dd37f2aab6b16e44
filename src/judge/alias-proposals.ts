import type { Interest } from './judge.ts';
import { STOP_WORDS } from './local/summary.ts';
import { TermIndex } from './local/term-index.ts';
import { fold, isHiragana, isJapanese, segmentWords } from './local/text.ts';

/** A word that often accompanies an interest. It counts only after an owner has accepted it. */
export interface AliasProposal {
  readonly word: string;
  /** Texts with the interest and this word. */
  readonly together: number;
  /** Texts with this word and without the interest. */
  readonly elsewhere: number;
}

export interface InterestProposals {
  /** Texts that name the interest or one of its aliases. */
  readonly texts: number;
  /** Strongest first. */
  readonly proposals: readonly AliasProposal[];
}

const MAX_PROPOSALS = 8;
/** Fewer common texts are a coincidence. */
const MIN_TOGETHER = 3;
/** Critical value of the log-likelihood ratio at p < 0.01. */
const MIN_LIKELIHOOD_RATIO = 6.63;
/** A word in more of the texts than this is no sign of anything. */
const MAX_SHARE = 0.25;
/** At least this share of the texts with the word must have the interest: an alias counts like the interest itself. */
const MIN_PRECISION = 0.5;
const MAX_TEXT_UNITS = 1000;

/**
 * Words that accompany an interest in these texts more than chance explains (Dunning's log-likelihood ratio), for an
 * interest whose words the judge does not know.
 */
export function proposeAliases(
  interest: Interest,
  texts: readonly string[],
  isPossible: (word: string) => boolean = () => true,
): InterestProposals {
  const own = [interest.topic, ...interest.aliases];
  const index = new TermIndex(own.map((text) => ({ text, exactCase: false, meaning: true })));
  const ownWords = new Set(own.flatMap((text) => [fold(text).lower, ...wordsOf(text).keys()]));
  const counts = new Map<string, { word: string; together: number; elsewhere: number }>();
  let named = 0;
  for (const whole of texts) {
    const text = whole.slice(0, MAX_TEXT_UNITS);
    const isNamed = index.find(fold(text)).length > 0;
    if (isNamed) named++;
    for (const [key, word] of wordsOf(text)) {
      if (ownWords.has(key)) continue;
      const count = counts.get(key) ?? { word, together: 0, elsewhere: 0 };
      counts.set(key, count);
      if (isNamed) count.together++;
      else count.elsewhere++;
    }
  }
  const proposals = [...counts.values()]
    .map((count) => ({
      ...count,
      ratio: likelihoodRatio(count.together, count.elsewhere, named, texts.length),
    }))
    .filter(
      ({ word, together, elsewhere, ratio }) =>
        isPossible(word) &&
        together >= MIN_TOGETHER &&
        ratio >= MIN_LIKELIHOOD_RATIO &&
        together + elsewhere <= Math.max(MIN_TOGETHER, texts.length * MAX_SHARE) &&
        together / (together + elsewhere) >= MIN_PRECISION,
    )
    .sort((a, b) => b.ratio - a.ratio || (a.word < b.word ? -1 : 1))
    .slice(0, MAX_PROPOSALS)
    .map(({ word, together, elsewhere }) => ({ word, together, elsewhere }));
  return { texts: named, proposals };
}

/** G² of a word's presence with and without the interest. */
function likelihoodRatio(together: number, elsewhere: number, named: number, all: number): number {
  const word = together + elsewhere;
  const cells = [
    [together, word, named],
    [elsewhere, word, all - named],
    [named - together, all - word, named],
    [all - named - elsewhere, all - word, all - named],
  ] as const;
  let sum = 0;
  for (const [observed, row, column] of cells) {
    if (observed > 0) sum += observed * Math.log((observed * all) / (row * column));
  }
  return 2 * sum;
}

/** The words of a text that carry meaning: folded, with the spelling of their first use. */
function wordsOf(text: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const { segment, isWordLike } of segmentWords(text.normalize('NFKC'))) {
    if (!isWordLike || /^[\d.,]+$/.test(segment)) continue;
    const lower = segment.toLowerCase();
    const japanese = isJapanese(lower.charCodeAt(0));
    if (
      japanese
        ? lower.length < 2 || isHiragana(lower.charCodeAt(0))
        : lower.length < 3 || STOP_WORDS.has(lower)
    )
      continue;
    if (!words.has(lower)) words.set(lower, segment);
  }
  return words;
}
