import { rngOf } from '../world/rng.ts';
import { CORPUS } from './corpus.ts';
import { filler } from './slots.ts';
import type { Language, TopicId } from './topic.ts';

/** A story told once: a complete article. */
export interface Telling {
  readonly topic: TopicId;
  readonly language: Language;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly summary: string;
  readonly byline: string;
}

/** Tells a story of the topic; the same words choose the same telling. */
export function tell(language: Language, topic: TopicId, ...words: readonly (string | number)[]): Telling {
  const rng = rngOf(language, topic, ...words);
  const texts = CORPUS[language][topic];
  const story = rng.pick(texts.stories);
  const fill = filler(language, rng);
  const lead = story.lead.map(fill);
  const background = rng.some(texts.background, 4).map(fill);
  const glue = language === 'ja' ? '' : ' ';
  return {
    topic,
    language,
    title: fill(story.title),
    paragraphs: [
      lead.slice(0, 2).join(glue),
      [...lead.slice(2), ...background.slice(0, 1)].join(glue),
      background.slice(1, 3).join(glue),
      background.slice(3).join(glue),
    ],
    summary: lead[0] ?? '',
    byline: filler(language, rngOf(language, 'byline', ...words))('{name}'),
  };
}
