import { readFileSync } from 'node:fs';
import type { ArticleText } from '../../src/judge/judge.ts';

const FOLDER = new URL('../../src/judge/local/labelled/', import.meta.url);
const CHARACTERS = 5000;

/** Articles of 5,000 characters, each made of several labelled ones; one language each, no two alike. */
export function* longArticles(count: number): Generator<ArticleText> {
  const texts = { en: textsOf('en'), ja: textsOf('ja') };
  for (let i = 0; i < count; i++) {
    const language = i % 2 === 0 ? 'ja' : 'en';
    const pool = texts[language];
    const pieces = [language === 'ja' ? `第${i}号の記事である。` : `This is article number ${i}.`];
    let length = 0;
    for (let at = i * 7; length < CHARACTERS; at += 1 + (i % 5)) {
      const piece = pool[at % pool.length] ?? '';
      pieces.push(piece);
      length += piece.length + 2;
    }
    const text = pieces.join('\n\n').slice(0, CHARACTERS);
    yield { url: `https://example.org/${i}`, title: text.slice(20, 60), text, language };
  }
}

function textsOf(language: string): string[] {
  const entries = JSON.parse(readFileSync(new URL(`${language}.json`, FOLDER), 'utf8')) as { text: string }[];
  return entries.map(({ text }) => text);
}
