import { rngOf } from '../world/rng.ts';
import { CORPUS } from './corpus.ts';
import { filler } from './slots.ts';
import type { Language, StoryText, TopicId } from './topic.ts';

/** A complete article, generated from a story. */
export interface ArticleText {
  readonly topic: TopicId;
  readonly language: Language;
  readonly title: string;
  /** What happened. */
  readonly paragraphs: readonly string[];
  /** What one should know about it; below a heading of its own. */
  readonly background: readonly string[];
  readonly summary: string;
  readonly byline: string;
}

/** Generates an article on the topic; the same words give the same article. */
export function writeArticle(
  language: Language,
  topic: TopicId,
  ...words: readonly (string | number)[]
): ArticleText {
  const story = rngOf(language, topic, 'story', ...words).pick(CORPUS[language][topic].stories);
  return writeStory(language, topic, story, ...words);
}

/** Generates an article from this story; the words decide how its slots are filled. */
export function writeStory(
  language: Language,
  topic: TopicId,
  story: StoryText,
  ...words: readonly (string | number)[]
): ArticleText {
  const rng = rngOf(language, topic, ...words);
  const texts = CORPUS[language][topic];
  const fill = filler(language, rng);
  const title = fill(story.title);
  const lead = story.lead.map(fill);
  const background = rng.some(texts.background, 4);
  const glue = language === 'ja' ? '' : ' ';
  return {
    topic,
    language,
    title,
    paragraphs: [lead.slice(0, 2).join(glue), lead.slice(2).join(glue)],
    background: [background.slice(0, 2).join(glue), background.slice(2).join(glue)],
    summary: lead[0] ?? '',
    byline: filler(language, rngOf(language, 'byline', ...words))('{name}'),
  };
}
