import { interestsOf } from '../interests.ts';
import concepts from './concepts.json' with { type: 'json' };
import { type Profile, profileOf } from './profile.ts';
import { relevanceOf } from './relevance.ts';
import { hasJapanese } from './text.ts';

/** A concept of the vocabulary that an article is about. */
export interface FoundConcept {
  readonly name: string;
  readonly nameJa: string | null;
  /** 0–1. */
  readonly strength: number;
}

const names = new Map(concepts.map((concept) => [concept.names[0] ?? '', concept.names]));
let profile: Profile | undefined;

/** The concepts that an article is about, whoever is interested in them; the strongest first. */
export function conceptsIn(title: string, text: string): readonly FoundConcept[] {
  profile ??= profileOf(interestsOf([...names.keys()].map((topic) => ({ topic }))));
  return relevanceOf({ url: '', title, text }, profile).matches.map(({ interest: { topic }, strength }) => ({
    name: topic,
    nameJa: names.get(topic)?.find(hasJapanese) ?? null,
    strength: Math.min(1, strength),
  }));
}
