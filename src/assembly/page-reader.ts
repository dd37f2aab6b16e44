import type { Document } from '../judge/judge.ts';
import type { PageOutcome } from '../pipelines/summarise.ts';
import type { PipelineParts } from './pipeline-parts.ts';

/** Limits on the documents that are read with a page (B15). */
export interface AttachmentLimits {
  readonly count: number;
  readonly size: number;
  readonly total: number;
}

/** Reads a page together with its documents. */
export function pageReader(
  _limits: AttachmentLimits,
  { reader }: Pick<PipelineParts, 'reader'>,
): (url: string, signal: AbortSignal) => Promise<PageOutcome> {
  return async (url, signal) => {
    const read = await reader.read(url, signal);
    if (read.outcome === 'unreadable') {
      const reason = read.why === 'too_large' ? 'too_large' : 'download_failed';
      return { outcome: 'unreadable', reason, detail: `${read.why}: ${read.detail}` };
    }
    const { title, text, headings, language } = read.article;
    const documents: Document[] = [];
    return {
      outcome: 'page',
      page: { url, title, text, headings, ...(language !== null && { language }) },
      documents,
    };
  };
}
