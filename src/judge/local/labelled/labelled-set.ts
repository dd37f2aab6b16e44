import { interestsOf } from '../../interests.ts';
import type { ArticleText, Interest, Interests, Screening } from '../../judge.ts';
import english from './en.json' with { type: 'json' };
import japanese from './ja.json' with { type: 'json' };
import profiles from './profiles.json' with { type: 'json' };

/**
 * An article with what a person says of it. Relevance, per profile: 3 = would be missed, 2 = worth reading, 1 = a mention
 * in passing, the word in another sense, or a topic of low priority and nothing else; nothing = 0.
 */
export interface LabelledArticle {
  readonly id: string;
  readonly article: ArticleText;
  readonly relevance: Readonly<Record<string, number>>;
  readonly screening: Screening['decision'];
  /** A summary written by a person, where there is one. */
  readonly summary: string | null;
}

/** Settings are chosen on the tuning half; the promises are checked on the held-back half, which nobody tunes on. */
export type Half = 'tuning' | 'held-back';

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly relevance: Readonly<Record<string, number>>;
  readonly screening: string;
  readonly summary?: string;
}

export function labelledArticles(half: Half): LabelledArticle[] {
  return [...read(english as Entry[], 'en'), ...read(japanese as Entry[], 'ja')].filter(
    ({ id }) => halfOf(id) === half,
  );
}

export function labelledProfiles(): { readonly name: string; readonly interests: Interests }[] {
  return Object.entries(profiles).map(([name, topics]) => ({
    name,
    interests: interestsOf(
      (topics as { topic: string; aliases?: string[]; priority: string }[]).map((entry) => ({
        ...entry,
        priority: entry.priority as Interest['priority'],
      })),
    ),
  }));
}

/** Odd numbers tune, even numbers are held back. */
function halfOf(id: string): Half {
  return Number(id.slice(-3)) % 2 === 1 ? 'tuning' : 'held-back';
}

function read(entries: readonly Entry[], language: string): LabelledArticle[] {
  return entries.map((entry) => ({
    id: entry.id,
    article: { url: `https://example.org/${entry.id}`, title: entry.title, text: entry.text, language },
    relevance: entry.relevance,
    screening: entry.screening as Screening['decision'],
    summary: entry.summary ?? null,
  }));
}
