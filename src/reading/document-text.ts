/** Reads the text of a document for judges that take no files (B17). */
export interface DocumentTextReader {
  read(bytes: Uint8Array, signal?: AbortSignal): Promise<DocumentText>;
}

export type DocumentText =
  | {
      readonly outcome: 'text';
      /** Pages separated by blank lines. */
      readonly text: string;
      readonly title: string | null;
      readonly pages: number;
      /** Fewer than `pages` when the limit of pages or of text was reached. */
      readonly pagesRead: number;
    }
  | { readonly outcome: 'unreadable'; readonly why: DocumentUnreadableWhy; readonly detail: string };

export type DocumentUnreadableWhy =
  | 'encrypted'
  | 'broken'
  /** Pictures of pages: scanned, or drawn without letters. */
  | 'no_text'
  | 'timeout'
  | 'too_large'
  | 'not_a_document';
