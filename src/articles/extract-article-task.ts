import { decodeText } from '../fetch/text-encoding.ts';
import { type Extraction, extractArticle } from './extract-article.ts';

export interface ExtractInput {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly url: string;
  readonly now: number;
}

/** Runs in the isolated thread: even detecting the encoding processes untrusted data. */
export default function extractArticleTask(input: ExtractInput): Extraction {
  const { text } = decodeText(input.bytes, input.contentType, { html: true });
  return extractArticle({ html: text, url: input.url, now: input.now });
}
