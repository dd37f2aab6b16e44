import { decodeText } from '../fetch/text-encoding.ts';
import type { Article } from './article.ts';
import { type Extraction, extractArticle } from './extract-article.ts';

export interface ExtractInput {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly url: string;
  readonly now: number;
  /** Whether the article is wanted as HTML, too. */
  readonly html?: boolean;
}

export type ExtractedArticle =
  | { readonly kind: 'article'; readonly article: Article }
  | Exclude<Extraction, { kind: 'article' }>;

/** Runs in the isolated thread: even detecting the encoding processes untrusted data. */
export default async function extractArticleTask(input: ExtractInput): Promise<ExtractedArticle> {
  const { text } = decodeText(input.bytes, input.contentType, { html: true });
  const found = extractArticle({
    html: text,
    url: input.url,
    now: input.now,
    withHtml: input.html === true,
  });
  if (found.kind !== 'article') return found;
  const { article, markup } = found;
  if (markup === undefined) return { kind: 'article', article };
  // Judges need no HTML: the sanitiser is loaded for the reader only.
  const { sanitiseArticle } = await import('./sanitise.ts');
  return {
    kind: 'article',
    article: { ...article, html: sanitiseArticle(markup.html, { baseUrl: markup.base }) },
  };
}
