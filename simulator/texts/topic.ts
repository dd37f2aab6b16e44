/** Topics of the simulated world. Tests and the sample's interests name these. */
export const TOPICS = [
  'databases',
  'typescript',
  'ai',
  'security',
  'privacy',
  'hardware',
  'space',
  'climate',
  'economy',
  'local-government',
  'cooking',
  'sports',
] as const;

export type TopicId = (typeof TOPICS)[number];
export type Language = 'en' | 'ja';

/** One story, with `{slots}` that are filled for each article. */
export interface StoryText {
  readonly title: string;
  /** Sentences that belong to this story alone, in order. */
  readonly lead: readonly string[];
}

export interface TopicTexts {
  /** The topic as a person would name it. */
  readonly name: string;
  readonly stories: readonly StoryText[];
  /** Sentences that fit any story of the topic. */
  readonly background: readonly string[];
}
