import { countCharacters, takeCharacters } from '../characters.ts';
import type { ArticleText, SummaryStyle } from '../judge.ts';
import { plainWords } from '../plain-words.ts';
import { compose, shorten } from './compose.ts';
import type { Candidate } from './extract.ts';
import { candidatesOf } from './extract.ts';
import type { Language } from './language.ts';
import { languageOf } from './language.ts';

/** A3. */
export const SHORT_SUMMARY = { least: 50, most: 200 } as const;
/** How much of a text is looked at where no sentences can be chosen. */
const BEGINNING = 2000;
/** Japanese says as much in half of the characters. */
const ENOUGH = { ja: 68, en: 84 } as const;

/** The summary of an evaluation: 50–200 characters, whatever the article gives. Its links and mentions are left out (X6). */
export function shortSummary(
  article: ArticleText,
  candidates: readonly Candidate[],
  language: Language,
): string {
  const size = { ...SHORT_SUMMARY, enough: ENOUGH[language] };
  const composed = plainWords(compose(candidates, size, language) ?? '');
  if (countCharacters(composed) >= SHORT_SUMMARY.least) return composed;
  const beginning = plainWords(takeCharacters(article.text, BEGINNING));
  if (countCharacters(beginning) >= SHORT_SUMMARY.least) return shorten(beginning, SHORT_SUMMARY.most);
  return aboutShortText(beginning, language);
}

/** There is hardly any text: says so instead of making something up. */
function aboutShortText(text: string, language: Language): string {
  if (language === 'ja') {
    const tail = '本文がほとんどないため、くわしい内容は元の記事を開いて確かめる必要がある。';
    if (text === '') return `この記事には読み取れる本文がない。${tail}`;
    return `本文は次のとおり短い。「${text}」${tail}`;
  }
  const tail = 'There is hardly any text here; open the article itself for the rest.';
  return takeCharacters(
    text === '' ? `No text could be read. ${tail}` : `${text} ${tail}`,
    SHORT_SUMMARY.most,
  );
}

/** The summary that a page is published with (B16): so many sentences, about so many characters. */
export function styledSummary(page: ArticleText, text: string, style: SummaryStyle): string {
  const language = languageOf(text, page.language);
  const candidates = candidatesOf(text, page.title);
  const most = Math.round(style.characters * 1.15);
  const least = Math.round(style.characters * 0.4);
  const full = compose(
    candidates,
    { least, most, enough: Math.round(style.characters * 0.7), sentences: style.sentences },
    language,
  );
  const some = full ?? compose(candidates, { least: 1, most, enough: least }, language);
  return plainWords(some ?? '') || shorten(plainWords(takeCharacters(text, BEGINNING)), most);
}
