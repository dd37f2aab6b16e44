import { readAsset } from '../assets/assets.ts';
import { meaningOf } from './word-meaning.ts';

/** The rank of each of the most frequent words of English. Read on first use: a program that compares no titles does without. */
let ranks: ReadonlyMap<string, number> | null = null;

function rankOf(word: string): number {
  ranks ??= new Map(
    readAsset('word-frequency/english.txt')
      .trimEnd()
      .split('\n')
      .map((each, rank) => [each, rank]),
  );
  return ranks.get(word) ?? Infinity;
}

/** What every other title has in German, French, Spanish, Italian, Portuguese, Dutch, Scandinavian languages and Russian. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'der das dem den des ein eine einer einem einen eines und oder aber nicht kein nach auf aus bei beim mit von vom zum zur über unter vor für gegen durch ohne ' +
    'um im ist sind hat haben wird werden wurde wurden kann soll sollen muss mehr sich wie wer wo wenn nur noch schon auch als bis seit zwischen ihr ihre seine ' +
    'sein sie er wir nun le la les une du au aux et ou dans sur pour par avec sans sous entre vers chez ce cette ces sa ses leur leurs est sont ont être plus pas ' +
    'ne que qui après avant contre selon el los las un una del al y en con por para sobre tras desde hasta su sus se es son ha han más no como este esta il lo ' +
    'gli uno di della dei delle nel nella alla dal dalla per tra fra che non sono hanno più dopo contro o os um uma do da dos na nos nas em com sem não são foi ' +
    'mais após contra de het een voor met op aan uit naar te niet maar door tegen zijn wordt worden heeft meer och att det som på är av för till inte har vid ' +
    'efter från ett en og til ikke etter ved и в на с по за из от до о об не что как для при после против к у'
  ).split(' '),
);
const FUNCTION_STEMS: ReadonlySet<string> = new Set([...FUNCTION_WORDS].map(meaningOf));
const MIN_FUNCTION_WORDS = 2;

/**
 * Whether a title, in lower case, has function words of another language: several, as one may be a name (LA, UN, MIT), or one with
 * letters that English does not have.
 */
export function isForeign(title: string): boolean {
  const found = new Set(title.match(/\p{L}+/gu)?.filter((token) => FUNCTION_WORDS.has(token)));
  return found.size >= MIN_FUNCTION_WORDS || [...found].some((word) => /[^a-z]/.test(word));
}

/** Whether a word, as `meaningOf` returns it, is a function word in another language. */
export function isFunctionWord(word: string): boolean {
  return FUNCTION_STEMS.has(word);
}

/** Endings that `meaningOf` removes. */
const ENDINGS = ['', 'e', 's', 'es', 'ed', 'ing', 'y'] as const;
/** A word of this rank or a more frequent one has `MIN_RARITY`, one of the second rank 1, and unknown ones `MAX_RARITY`. */
const FREQUENT_RANK = 100;
const RARE_RANK = 8000;
const MIN_RARITY = 0.3;
const MAX_RARITY = 1.15;

/**
 * How rare a word is in English news, whatever the window has: what it says about a story. `word` is a stem as `meaningOf`
 * returns it; its most frequent form counts.
 */
export function rarityOf(word: string): number {
  const rank = Math.min(...ENDINGS.map((ending) => rankOf(word + ending)));
  const rarity = MIN_RARITY + (1 - MIN_RARITY) * (Math.log((rank + 1) / FREQUENT_RANK) / RANGE);
  return Math.max(MIN_RARITY, Math.min(MAX_RARITY, rarity));
}

const RANGE = Math.log(RARE_RANK / FREQUENT_RANK);
