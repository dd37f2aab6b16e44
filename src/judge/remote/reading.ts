import type { ArticleText, Document } from '../judge.ts';
import type { QuestionFile } from '../model.ts';

/** What goes to the model as text, and what as files (B17). */
export interface Reading {
  readonly texts: readonly { readonly label: string; readonly text: string }[];
  readonly files: readonly QuestionFile[];
  /** Why a document can be sent in no way, where nothing else is left to read. */
  readonly tooLarge: string | null;
  readonly empty: boolean;
}

/** Files go inside the request, which may have 20 MB in all; their encoding makes them a third larger. */
export const MOST_FILE_BYTES = 14_000_000;

export function readingOf(page: ArticleText, documents: readonly Document[], takesPdf: boolean): Reading {
  const texts: { label: string; text: string }[] = [];
  const files: QuestionFile[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  for (const [index, document] of documents.entries()) {
    const size = document.bytes?.byteLength ?? 0;
    const asFile = takesPdf && document.bytes !== undefined && document.mediaType === 'application/pdf';
    if (asFile && size > 0 && bytes + size <= MOST_FILE_BYTES) {
      bytes += size;
      files.push({
        name: document.name,
        mediaType: document.mediaType,
        bytes: document.bytes ?? new Uint8Array(),
      });
    } else if (document.text !== undefined && document.text.trim() !== '') {
      texts.push({ label: `DOCUMENT ${index + 1}`, text: `${document.name}\n${document.text}` });
    } else if (size > 0) {
      leftOut.push(`${document.name} (${Math.ceil(size / 1_000_000)} MB)`);
    }
  }
  const nothing = page.text.trim() === '' && texts.length === 0 && files.length === 0;
  return {
    texts,
    files,
    tooLarge: nothing && leftOut.length > 0 ? `Too large, and without text: ${leftOut.join(', ')}` : null,
    empty: nothing && page.title.trim() === '',
  };
}
