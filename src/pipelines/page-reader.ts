import type { Article, ArticleReader } from '../articles/article.ts';
import type { AttachedDocument, AttachmentReader } from '../articles/attachments.ts';
import type { Document } from '../judge/judge.ts';
import type { PageOutcome } from './summarise.ts';

/**
 * Reads a page together with the documents attached to it (B15). A judge that takes PDFs gets the files, others get
 * their text (B17). Temporary files are deleted before this returns.
 */
export function createPageReader(
  reader: ArticleReader,
  attachments: AttachmentReader,
  takesPdf: boolean,
): (url: string, signal: AbortSignal) => Promise<PageOutcome> {
  return async (url, signal) => {
    const read = await reader.read(url, signal);
    if (read.outcome === 'unreadable' && read.why !== 'no_text' && read.why !== 'not_html') {
      const reason = read.why === 'too_large' ? 'too_large' : 'download_failed';
      return { outcome: 'unreadable', reason, detail: `${read.why}: ${read.detail}` };
    }
    const links = attachmentLinks(url, read);
    const fetched = await attachments.fetch(links, signal);
    try {
      const documents = await Promise.all(
        fetched.documents.map((document) => documentOf(document, takesPdf, signal)),
      );
      const nothingLeft = read.outcome === 'unreadable' && documents.length === 0;
      if (nothingLeft && fetched.overLimit) {
        return {
          outcome: 'unreadable',
          reason: 'too_large',
          detail: fetched.skipped.map((s) => s.detail).join('; '),
        };
      }
      if (nothingLeft)
        return { outcome: 'unreadable', reason: 'download_failed', detail: `${read.why}: ${read.detail}` };
      return { outcome: 'page', page: pageOf(url, read), documents };
    } finally {
      await fetched[Symbol.asyncDispose]();
    }
  };
}

/** A URL that is not an HTML page may be the document itself. */
function attachmentLinks(
  url: string,
  read: Awaited<ReturnType<ArticleReader['read']>>,
): Article['attachments'] {
  if (read.outcome === 'article') return read.article.attachments;
  if (read.why === 'not_html') return [{ url, name: new URL(url).pathname.split('/').at(-1) ?? url }];
  return read.attachments ?? [];
}

function pageOf(url: string, read: Awaited<ReturnType<ArticleReader['read']>>) {
  if (read.outcome === 'unreadable') return { url, title: '', text: '' };
  const { title, text, headings, language } = read.article;
  return { url, title, text, headings, ...(language !== null && { language }) };
}

async function documentOf(
  document: AttachedDocument,
  takesPdf: boolean,
  signal: AbortSignal,
): Promise<Document> {
  const { url, name, mediaType } = document;
  if (takesPdf) return { url, name, mediaType, bytes: await document.bytes() };
  const read = await document.text(signal);
  return { url, name, mediaType, ...(read.outcome === 'text' && { text: read.text }) };
}
