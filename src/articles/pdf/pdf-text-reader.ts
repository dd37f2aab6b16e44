import { SECOND } from '../../time/duration.ts';
import type { DocumentText, DocumentTextReader } from '../article.ts';
import type { Isolated } from '../isolated/isolated-process.ts';
import type { PdfInput } from './extract-pdf-text-task.ts';

export interface PdfTextReaderOptions {
  readonly isolated: Isolated;
  /** Default 20 MB. */
  readonly maxBytes?: number;
  /** Only the first pages are read. Default 100. */
  readonly maxPages?: number;
  /** Default 200,000. */
  readonly maxCharacters?: number;
  /** Default 20 s. */
  readonly limitMs?: number;
}

const TASK = new URL('extract-pdf-text-task.ts', import.meta.url);

/** Reads the text of PDFs in isolation; nothing is drawn and no script of a PDF is run. */
export function createPdfTextReader(options: PdfTextReaderOptions): DocumentTextReader {
  const { isolated, maxBytes = 20 * 1024 * 1024, maxPages = 100, maxCharacters = 200_000 } = options;
  return {
    async read(bytes, signal) {
      if (bytes.byteLength > maxBytes)
        return { outcome: 'unreadable', why: 'too_large', detail: `more than ${maxBytes} bytes` };
      if (!isPdf(bytes)) return { outcome: 'unreadable', why: 'not_a_document', detail: 'it is not a PDF' };
      const input: PdfInput = { bytes, maxPages, maxCharacters };
      const done = await isolated.run<DocumentText>(TASK, input, options.limitMs ?? 20 * SECOND, signal);
      if (done.outcome === 'done') return done.value;
      if (done.outcome === 'timeout')
        return { outcome: 'unreadable', why: 'timeout', detail: 'it takes too long to read' };
      return { outcome: 'unreadable', why: 'broken', detail: `it cannot be read (${done.detail})` };
    },
  };
}

/** The header of a PDF is within its first kilobyte. */
export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-');
}
