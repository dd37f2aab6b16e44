import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fetcher, FetchOutcome } from '../fetch/fetcher.ts';
import type { Article, DocumentText, DocumentTextReader } from './article.ts';

/** Fetches the documents that a page links to (B15). */
export interface AttachmentReader {
  /** Downloads what is within the limits, in the order of the page. Dispose of the result to remove the files. */
  fetch(attachments: Article['attachments'], signal?: AbortSignal): Promise<FetchedAttachments>;
}

export interface FetchedAttachments extends AsyncDisposable {
  readonly documents: readonly AttachedDocument[];
  readonly skipped: readonly SkippedAttachment[];
  /** A document was skipped because of its size or number: reason 4, if nothing else is left to read. */
  readonly overLimit: boolean;
  /** A download failed and can be retried: reason 3, if nothing else is left to read. */
  readonly retryable: boolean;
}

/** A document in a temporary file, which is removed when its `FetchedAttachments` is disposed. */
export interface AttachedDocument {
  readonly url: string;
  readonly name: string;
  readonly mediaType: 'application/pdf';
  readonly size: number;
  bytes(): Promise<Uint8Array>;
  /** For judges that accept no files (B17). */
  text(signal?: AbortSignal): Promise<DocumentText>;
}

export interface SkippedAttachment {
  readonly url: string;
  readonly name: string;
  readonly why:
    | 'too_many'
    | 'too_large'
    | 'too_large_in_all'
    | 'not_a_document'
    | 'not_found'
    | 'blocked'
    | 'failed';
  readonly detail: string;
}

export interface AttachmentLimits {
  readonly count: number;
  /** Bytes of one document. */
  readonly size: number;
  /** Bytes of all documents of one page. */
  readonly total: number;
}

export const defaultAttachmentLimits: AttachmentLimits = {
  count: 5,
  size: 20 * 1024 * 1024,
  total: 50 * 1024 * 1024,
};

export interface AttachmentReaderOptions {
  readonly fetcher: Fetcher;
  readonly texts: DocumentTextReader;
  readonly limits?: Partial<AttachmentLimits>;
  /** Parent of the temporary folders; the system's default if absent. */
  readonly folder?: string;
}

/** A large document over a slow line takes longer than a page. */
const DOWNLOAD_MS = 120_000;

export function createAttachmentReader(options: AttachmentReaderOptions): AttachmentReader {
  const limits = { ...defaultAttachmentLimits, ...options.limits };
  return {
    async fetch(attachments, signal) {
      // Created late: most pages have no documents, and a killed process leaves its folder behind.
      const none = attachments.length === 0;
      const folder = none ? '' : await mkdtemp(join(options.folder ?? tmpdir(), 'kawaraban-'));
      const remove = async (): Promise<void> => {
        if (!none) await rm(folder, { recursive: true, force: true });
      };
      try {
        return await download(attachments, limits, options, folder, remove, signal);
      } catch (error) {
        await remove();
        throw error;
      }
    },
  };
}

async function download(
  attachments: Article['attachments'],
  limits: AttachmentLimits,
  { fetcher, texts }: AttachmentReaderOptions,
  folder: string,
  remove: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<FetchedAttachments> {
  const documents: AttachedDocument[] = [];
  const skipped: SkippedAttachment[] = [];
  let left = limits.total;
  let retryable = false;
  for (const [index, { url, name }] of attachments.entries()) {
    const skip = (why: SkippedAttachment['why'], detail: string) => skipped.push({ url, name, why, detail });
    if (documents.length >= limits.count) {
      skip('too_many', `only ${limits.count} documents are read`);
      continue;
    }
    if (left <= 0) {
      skip('too_large_in_all', `the documents have more than ${limits.total} bytes together`);
      continue;
    }
    const answer = await fetcher.fetch(
      {
        url,
        headers: { accept: 'application/pdf' },
        maxBytes: Math.min(limits.size, left),
        timeoutMs: DOWNLOAD_MS,
      },
      signal,
    );
    signal?.throwIfAborted();
    if (answer.outcome === 'failed' && answer.why === 'too_large') {
      if (left < limits.size) skip('too_large_in_all', `more than the ${left} bytes that are left`);
      else skip('too_large', `more than ${limits.size} bytes`);
      continue;
    }
    const problem = problemOf(answer);
    if (problem !== null || answer.outcome === 'failed') {
      if (problem) skip(problem.why, problem.detail);
      retryable ||= problem?.retryable ?? false;
      continue;
    }
    left -= answer.body.byteLength;
    const path = join(folder, `${index}.pdf`);
    await writeFile(path, answer.body, { mode: 0o600 });
    documents.push({
      url,
      name,
      mediaType: 'application/pdf',
      size: answer.body.byteLength,
      bytes: () => readFile(path),
      text: async (giveUp) => texts.read(await readFile(path), giveUp),
    });
  }
  const overLimit = skipped.some(({ why }) => why.startsWith('too_'));
  return { documents, skipped, overLimit, retryable, [Symbol.asyncDispose]: remove };
}

interface Problem {
  readonly why: SkippedAttachment['why'];
  readonly detail: string;
  readonly retryable: boolean;
}

function problemOf(answer: FetchOutcome): Problem | null {
  if (answer.outcome === 'failed') {
    const blocked = answer.why === 'blocked_address' || answer.why === 'bad_address';
    return { why: blocked ? 'blocked' : 'failed', detail: answer.detail, retryable: !blocked };
  }
  const { status } = answer;
  const detail = `the server answered ${status}`;
  if (status === 404 || status === 410) return { why: 'not_found', detail, retryable: false };
  if (status !== 200)
    return { why: 'failed', detail, retryable: status === 408 || status === 429 || status >= 500 };
  // A "not found" page with status 200 is no document, whatever its content type.
  const isPdf = Buffer.from(answer.body.subarray(0, 1024)).includes('%PDF-');
  return isPdf ? null : { why: 'not_a_document', detail: 'it is not a PDF', retryable: false };
}
