import { createHash } from 'node:crypto';
import type { ArticleText, Document, SummaryStyle } from './judge.ts';

/** Stands for everything a judge reads. The address is not part of it: the same text elsewhere gets the same verdict. */
export function textHashOf(
  article: ArticleText,
  documents: readonly Document[] = [],
  style?: SummaryStyle,
): string {
  const hash = createHash('sha256');
  const add = (part: string | Uint8Array): void => {
    hash.update(`${part.length}:`).update(part);
  };
  add(article.title);
  add(article.text);
  for (const heading of article.headings ?? []) add(heading);
  for (const document of documents) {
    add(document.name);
    add(document.bytes ?? document.text ?? '');
  }
  if (style) add(JSON.stringify([style.language, style.sentences, style.characters]));
  return hash.digest('hex').slice(0, 32);
}
