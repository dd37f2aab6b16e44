import type { ComponentChildren } from 'preact';
import { Foreign } from './text.tsx';

const MAX_WORDS = 20;
const MAX_SHOWN = 400;

/** Marks the words and phrases of a search in a text; `-excluded` ones are not marked. */
export function markerFor(query: string): (text: string) => ComponentChildren {
  const wanted = [...query.matchAll(/(-?)(?:"([^"]+)"|(\S+))/g)]
    .filter(([, minus]) => minus === '')
    .map(([, , phrase, word]) => (phrase ?? word ?? '').replaceAll('"', ''))
    .filter((text) => text !== '')
    .slice(0, MAX_WORDS);
  if (wanted.length === 0) return (text) => <Foreign text={text} most={MAX_SHOWN} />;
  const pattern = new RegExp(`(${wanted.map((text) => escaped(text)).join('|')})`, 'giu');
  return (text) => (
    <bdi class="foreign">
      {text
        .slice(0, MAX_SHOWN)
        .split(pattern)
        .map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}
    </bdi>
  );
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
