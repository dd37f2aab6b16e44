import { interestsOf } from '../interests.ts';
import { type Profile, profileOf } from './profile.ts';
import { relevanceOf } from './relevance.ts';
import { hasJapanese } from './text.ts';
import { vocabulary } from './vocabulary/vocabulary.ts';

/** A concept of the vocabulary that an article is about. */
export interface FoundConcept {
  readonly name: string;
  readonly nameJa: string | null;
  /** 0–1. */
  readonly strength: number;
}

/** Topic → its names. Made on first use. */
let names: ReadonlyMap<string, readonly string[]> | undefined;
let profile: Profile | undefined;

/** The concepts that an article is about, independent of interests; the strongest first. */
export function conceptsIn(title: string, text: string): readonly FoundConcept[] {
  const words = vocabulary();
  names ??= new Map(words.conceptNames().map((each) => [each[0] ?? '', each]));
  profile ??= profileOf(interestsOf([...names.keys()].map((topic) => ({ topic }))), words);
  return relevanceOf({ url: '', title, text }, profile).matches.map(({ interest: { topic }, strength }) => ({
    name: topic,
    nameJa: names?.get(topic)?.find(hasJapanese) ?? null,
    strength: Math.min(1, strength),
  }));
}
