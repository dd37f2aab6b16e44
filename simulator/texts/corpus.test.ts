import { describe, expect, it } from 'vitest';
import { opinionOn } from '../model/opinion.ts';
import { readPrompt } from '../model/prompt.ts';
import { writeStory } from './article.ts';
import { CORPUS } from './corpus.ts';
import { type Language, TOPICS } from './topic.ts';

const LANGUAGES: readonly Language[] = ['en', 'ja'];

describe('the corpus', () => {
  it('has at least 60 stories in each language, on all twelve topics', () => {
    for (const language of LANGUAGES) {
      const stories = TOPICS.map((topic) => CORPUS[language][topic].stories.length);
      expect(Math.min(...stories)).toBeGreaterThanOrEqual(5);
      expect(stories.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(60);
    }
  });

  it('fills every slot, the same way throughout a story', () => {
    for (const language of LANGUAGES) {
      for (const topic of TOPICS) {
        for (const story of CORPUS[language][topic].stories) {
          const article = writeStory(language, topic, story, 'test');
          const text = [article.title, ...article.paragraphs, ...article.background].join('\n');
          expect(text).not.toMatch(/[{}]/);
          expect(text.length).toBeGreaterThan(language === 'ja' ? 150 : 350);
        }
      }
    }
    const [story] = CORPUS.en.databases.stories;
    if (!story) throw new Error('no story');
    const { title, paragraphs } = writeStory('en', 'databases', story, 1);
    const company = /what (.+) learned/.exec(title)?.[1] ?? '?';
    expect(paragraphs[0]).toContain(`${company} moved`);
  });

  it('has no duplicate sentences', () => {
    for (const language of LANGUAGES) {
      const texts = TOPICS.flatMap((topic) => {
        const { stories, background } = CORPUS[language][topic];
        return [...stories.flatMap((story) => [story.title, ...story.lead]), ...background];
      });
      expect(new Set(texts).size).toBe(texts.length);
    }
  });

  it('has distinguishable topics', () => {
    const wrong: string[] = [];
    let right = 0;
    for (const language of LANGUAGES) {
      for (const topic of TOPICS) {
        for (const story of CORPUS[language][topic].stories) {
          const article = writeStory(language, topic, story, 'apart');
          const material = [`Title: ${article.title}`, ...article.paragraphs, ...article.background].join(
            '\n',
          );
          const { topics } = opinionOn(readPrompt(`<article>${material}</article>`), TOPICS);
          if (topics[0] === topic) right++;
          else wrong.push(`${language} ${topic} → ${topics[0]}: ${article.title}`);
        }
      }
    }
    expect(right / (right + wrong.length), wrong.join('\n')).toBeGreaterThan(0.95);
  });
});
