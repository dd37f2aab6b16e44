import type { ComponentChildren } from 'preact';
import { UNSPACED } from '../../../src/reader/search-text.ts';
import { Foreign } from './text.tsx';

const MAX_TERMS = 20;
const MAX_SHOWN = 400;
const STARTS_UNSPACED = new RegExp(`^${UNSPACED}`, 'v');
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, 'v');
/** What words of the other scripts consist of. */
const WORD_CHARACTER = `[[\\p{L}\\p{M}\\p{N}]--${UNSPACED}]`;

/** Marks the words and phrases of a search in a text; `-excluded` ones are not marked. */
export function markerFor(query: string): (text: string) => ComponentChildren {
  const pattern = patternFor(query);
  if (pattern === null) return (text) => <Foreign text={text} most={MAX_SHOWN} />;
  return (text) => (
    <bdi class="foreign">
      {text
        .slice(0, MAX_SHOWN)
        .split(pattern)
        .map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}
    </bdi>
  );
}

/** Its one group matches what the search finds: whole words, and any letters of scripts that have no spaces. */
export function patternFor(query: string): RegExp | null {
  const terms = [...query.matchAll(/(-?)(?:"([^"]+)"|(\S+))/g)]
    .filter(([, minus]) => minus === '')
    .flatMap(([, , phrase, word]) => patternOf(phrase ?? word ?? '') ?? [])
    .slice(0, MAX_TERMS);
  return terms.length === 0 ? null : new RegExp(`(${terms.join('|')})`, 'giv');
}

function patternOf(term: string): string | null {
  const words = term.match(/[\p{L}\p{M}\p{N}]+/gu);
  if (words === null) return null;
  const start = STARTS_UNSPACED.test(words[0] ?? '') ? '' : `(?<!${WORD_CHARACTER})`;
  const end = ENDS_UNSPACED.test(words.at(-1) ?? '') ? '' : `(?!${WORD_CHARACTER})`;
  return start + words.join('[^\\p{L}\\p{M}\\p{N}]+') + end;
}
