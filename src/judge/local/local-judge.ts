import { DETAIL_TEXTS } from '../../item/detail-texts.ts';
import type {
  ArticleText,
  Document,
  Evaluation,
  Interests,
  Judge,
  Judgement,
  Provenance,
  Screening,
  Summary,
} from '../judge.ts';
import type { Profile } from './profile.ts';
import { profileOf } from './profile.ts';
import { reasonFor, relevanceOf, strongest } from './relevance.ts';
import { screenPage } from './screening.ts';
import { candidatesOf, shortSummary, styledSummary } from './summary.ts';
import type { FoldedText } from './text.ts';
import { type Language, languageOf } from './text.ts';

/** Raised whenever the same article could get another verdict: cached verdicts of an older version are not used. */
export const LOCAL_VERSION = 'local-3';

/** Maximum length that is read: no article is about what comes after a hundred pages, and reading blocks the process. */
const MAX_UNITS = 100_000;

/** Size of the profile cache. A program has a few sets of interests; more means that they are being edited. */
const MAX_PROFILES = 16;

export interface LocalJudgeOptions {
  /** Measures how long an answer took; milliseconds that only grow. */
  readonly monotonic?: () => number;
  /** BCP 47; of the reasons. That of the article where absent. */
  readonly language?: string;
}

/**
 * The judge that needs no key and no network: weighs the reader's topics in title, headings and text, screens pages by
 * their content, and summarises by choosing sentences. It always answers.
 */
export function createLocalJudge(options: LocalJudgeOptions = {}): Judge {
  const monotonic = options.monotonic ?? (() => performance.now());
  const profiles = new Map<string, Profile>();

  const profileFor = async (interests: Interests): Promise<Profile> => {
    const known = profiles.get(interests.version);
    if (known) return known;
    if (profiles.size >= MAX_PROFILES) profiles.clear();
    // Loaded on first use: a program that judges nothing keeps no vocabulary in memory.
    const { vocabulary } = await import('./vocabulary/vocabulary.ts');
    const made = profileOf(interests, vocabulary());
    profiles.set(interests.version, made);
    return made;
  };

  const judged = <T>(value: T, startedAt: number): Judgement<T> => ({
    outcome: 'judged',
    value,
    by: provenance(monotonic() - startedAt),
  });

  return {
    id: 'local',
    abilities: { takesPdf: false },

    async evaluate(whole, interests, signal): Promise<Judgement<Evaluation>> {
      signal?.throwIfAborted();
      const article = truncated(whole);
      const startedAt = monotonic();
      if (article.title.trim() === '' && article.text.trim() === '') return emptyText();
      const language = languageOf(article.text || article.title, article.language);
      const profile = await profileFor(interests);
      const { score, matches } = relevanceOf(article, profile);
      const candidates = candidatesOf(article.text, article.title, {
        interest: (sentence) => (matches.length === 0 ? 0 : interestIn(sentence, profile)),
        short: true,
      });
      return judged(
        {
          score,
          topics: matches.map((match) => match.interest.topic),
          summary: shortSummary(article, candidates, language),
          reason: reasonFor(
            matches,
            score,
            options.language === undefined ? language : reasonLanguage(options.language),
          ),
          mentions: strongest(matches).map(({ interest, mentions, inTitle }) => ({
            topic: interest.topic,
            times: mentions,
            inTitle,
          })),
        },
        startedAt,
      );
    },

    async screen(page, documents, signal): Promise<Judgement<Screening>> {
      signal?.throwIfAborted();
      const startedAt = monotonic();
      return judged(screenPage(truncated(page), documents), startedAt);
    },

    async summarise(page, documents, style, signal): Promise<Judgement<Summary>> {
      signal?.throwIfAborted();
      const startedAt = monotonic();
      const text = textOf(page, documents).slice(0, MAX_UNITS);
      if (text.trim() === '') return emptyText();
      return judged({ text: styledSummary(page, text, style) }, startedAt);
    },
  };
}

/** The local judge has words in two languages. */
function reasonLanguage(language: string): Language {
  return language.toLowerCase().startsWith('ja') ? 'ja' : 'en';
}

/** A sentence that names what the reader asked for is worth more; more than two names add nothing. */
function interestIn(sentence: FoldedText, profile: Profile): number {
  const finds = profile.index.find(sentence);
  return Math.min(2, finds.filter((find) => !find.meaning.context).length) * 0.25;
}

function truncated(article: ArticleText): ArticleText {
  return article.text.length <= MAX_UNITS ? article : { ...article, text: article.text.slice(0, MAX_UNITS) };
}

function textOf(page: ArticleText, documents: readonly Document[]): string {
  return [page.text, ...documents.map((document) => document.text ?? '')]
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

function emptyText<T>(): Judgement<T> {
  return { outcome: 'unfit', why: 'empty', detail: DETAIL_TEXTS.no_text_to_judge };
}

function provenance(ms: number): Provenance {
  return {
    judge: 'local',
    model: LOCAL_VERSION,
    promptVersion: LOCAL_VERSION,
    provisional: false,
    usage: { calls: 0, inputTokens: 0, outputTokens: 0, microUsd: 0, ms: Math.max(0, Math.round(ms)) },
  };
}
