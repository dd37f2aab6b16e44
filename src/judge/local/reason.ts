import type { Language } from './language.ts';
import type { Match } from './relevance.ts';

/** One sentence that says why an article got its score. */
export function reasonFor(matches: readonly Match[], score: number, language: Language): string {
  if (matches.length === 0) {
    if (language === 'ja')
      return score > 0 ? '関心のある話題には少し触れるだけである。' : '関心のある話題に触れていない。';
    return score > 0 ? 'Mentions the interests only in passing.' : 'Mentions none of the interests.';
  }
  const parts = matches
    .slice(0, 3)
    .map((match) => (language === 'ja' ? inJapanese(match) : inEnglish(match)));
  return language === 'ja' ? `${parts.join('、')}。` : `${parts.join('; ')}.`;
}

function inJapanese(match: Match): string {
  const where = match.inTitle ? '見出しと本文' : '本文';
  return `「${match.interest.topic}」を${where}で${match.mentions}回取り上げている`;
}

function inEnglish(match: Match): string {
  const times = match.mentions === 1 ? 'once' : `${match.mentions} times`;
  return `“${match.interest.topic}” ${times}${match.inTitle ? ', also in the title' : ' in the text'}`;
}
