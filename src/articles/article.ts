/** Reads the page behind an address: its main text, or the reason why there is none. */
export interface ArticleReader {
  read(url: string, signal?: AbortSignal, options?: ReadOptions): Promise<ArticleOutcome>;
  /** Warms up, so that the first page does not take longer than the others. Optional, and never fails. */
  warmUp(): Promise<void>;
}

export interface ReadOptions {
  /** Whether `Article.html` is wanted; judges need only the text. Default false. */
  readonly html?: boolean;
}

export type ArticleOutcome =
  | { readonly outcome: 'article'; readonly article: Article }
  | {
      readonly outcome: 'unreadable';
      readonly why: UnreadableReason;
      readonly detail: string;
      readonly retryable: boolean;
      /** Documents that a page without a text of its own links to. */
      readonly attachments?: Article['attachments'];
    };

export type UnreadableReason =
  | 'not_found'
  | 'paywall'
  | 'timeout'
  | 'not_html'
  | 'no_text'
  | 'too_large'
  | 'blocked_address'
  | 'server_error'
  | 'unreachable';

export interface Article {
  /** After redirects. */
  readonly url: string;
  readonly canonicalUrl: string | null;
  readonly title: string;
  readonly byline: string | null;
  readonly language: string | null;
  readonly publishedAt: number | null;
  /** Plain text; paragraphs separated by blank lines. */
  readonly text: string;
  /** Sanitised; only where it was asked for. */
  readonly html?: string;
  readonly headings: readonly string[];
  readonly imageUrl: string | null;
  /** Links to documents on the page, absolute, in order (B15). */
  readonly attachments: readonly { readonly url: string; readonly name: string }[];
}

/** Extracts the text of a document for judges that accept no files (B17). */
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
  | { readonly outcome: 'unreadable'; readonly why: DocumentUnreadableReason; readonly detail: string };

export type DocumentUnreadableReason =
  | 'encrypted'
  | 'broken'
  /** Pictures of pages: scanned, or drawn without letters. */
  | 'no_text'
  | 'timeout'
  | 'too_large'
  | 'not_a_document';
