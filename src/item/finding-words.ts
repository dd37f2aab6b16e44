import { type Headline, isJapaneseWord, isPair } from './headline.ts';
import type { ReadTelling } from './story-evidence.ts';
import { pairHash, wordHash } from './word-hash.ts';

const MOST = 32;

/**
 * What a telling is found by, as hashes: its figures and words, and pairs of Japanese characters, since nothing parts
 * words there.
 */
export function findingWords({ title, lead, figures }: ReadTelling): readonly number[] {
  const found: number[] = [];
  addWords(found, title);
  if (lead !== null) addWords(found, lead);
  return figures.title.length === 0
    ? found
    : [...figures.title.map(({ value }) => wordHash(`#${value}`)), ...found];
}

function addWords(found: number[], part: Headline): void {
  const { text, words, hasPairs } = part;
  for (const word of words) if (!hasPairs || !isJapaneseWord(word)) addOnce(found, wordHash(word));
  if (!hasPairs) return;
  for (let at = 0; at + 1 < text.length && found.length < MOST; at++)
    if (isPair(text, at)) addOnce(found, pairHash(text.charCodeAt(at), text.charCodeAt(at + 1)));
}

function addOnce(found: number[], hash: number): void {
  if (found.length < MOST && !found.includes(hash)) found.push(hash);
}

/** All that is weighed of a telling, each once: what it is found by, and its whole Japanese words. */
export function weighedWords({ title, lead }: ReadTelling, found: readonly number[]): readonly number[] {
  const all = new Set(found);
  for (const word of title.words) all.add(wordHash(word));
  for (const word of lead?.words ?? []) all.add(wordHash(word));
  return [...all];
}
