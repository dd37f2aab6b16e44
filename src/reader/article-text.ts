import type { Article, ArticleReader, UnreadableReason } from '../articles/article.ts';
import { substance } from '../articles/substance.ts';
import { plainText } from '../feeds/plain-text.ts';
import { textToHtml } from '../feeds/text-html.ts';
import { videoIdOf } from '../item/video.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { Entry, EntryId, EntryStore, EntryText } from './entry-store.ts';

export interface ArticleTextsOptions {
  readonly entries: Pick<EntryStore, 'text' | 'saveText'>;
  readonly articles: Pick<ArticleReader, 'read'>;
  readonly clock: Clock;
}

export type ArticleTextOutcome = { readonly outcome: 'text'; readonly text: EntryText } | UnavailableArticle;

export interface UnavailableArticle {
  readonly outcome: 'unavailable';
  readonly why: UnreadableReason;
  /** For people: what happened, and what to do. */
  readonly reason: string;
  /** The page is not read again before this time. */
  readonly retryAt: number;
}

/** How long a page that could not be read is left alone. */
const FAILURE_TTL_MS = 5 * MINUTE;
/** The oldest are evicted first. */
const MAX_FAILURES = 2_000;
/** A shorter content is a summary of the article. */
const MIN_FULL_SUBSTANCE = 1_200;
const MAX_COMPARED_LENGTH = 400_000;

interface PendingRead {
  readonly result: Promise<ArticleTextOutcome>;
  readonly stop: AbortController;
  readers: number;
}

/**
 * The text of entries, as the reader shows it: what is kept, else what the page says. Concurrent requests for one entry share
 * the work; it stops when the last of them is cancelled.
 */
export class ArticleTexts {
  readonly #deps: ArticleTextsOptions;
  readonly #pending = new Map<EntryId, PendingRead>();
  readonly #failures = new Map<EntryId, UnavailableArticle>();

  constructor(deps: ArticleTextsOptions) {
    this.#deps = deps;
  }

  /**
   * The kept text, if it is the whole article; else the page, which is kept from then on. Where the page cannot be read, the
   * feed's own words are better than nothing.
   */
  async textOf(entry: Entry, signal?: AbortSignal): Promise<ArticleTextOutcome> {
    signal?.throwIfAborted();
    const kept = await this.#deps.entries.text(entry.id);
    if (kept !== null && (kept.origin === 'page' || isFullContent(kept.html))) return found(kept);
    if (isDescribedBySource(entry)) return kept === null ? this.#description(entry) : found(kept);
    const read = this.#failureOf(entry.id) ?? (await this.#share(entry, kept, signal));
    return read.outcome === 'unavailable' && kept !== null ? found(kept) : read;
  }

  #description({ excerpt, arrivedAt }: Entry): ArticleTextOutcome {
    if (excerpt !== null)
      return found({ html: textToHtml(excerpt), origin: 'feed', byline: null, fetchedAt: arrivedAt });
    return this.#unavailable('no_text', 'the source gives no description');
  }

  /** Joins the read that is under way, or starts one. */
  async #share(entry: Entry, kept: EntryText | null, signal?: AbortSignal): Promise<ArticleTextOutcome> {
    signal?.throwIfAborted();
    const pending = this.#pending.get(entry.id) ?? this.#start(entry, kept);
    const { promise: cancelled, reject } = Promise.withResolvers<never>();
    const cancel = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', cancel, { once: true });
    pending.readers++;
    try {
      return await Promise.race([pending.result, cancelled]);
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (--pending.readers === 0) {
        if (this.#pending.get(entry.id) === pending) this.#pending.delete(entry.id);
        pending.stop.abort();
      }
    }
  }

  #start(entry: Entry, kept: EntryText | null): PendingRead {
    const stop = new AbortController();
    const pending = { result: this.#read(entry, kept, stop.signal), stop, readers: 0 };
    // Every reader may have left when it fails.
    pending.result.catch(() => {});
    this.#pending.set(entry.id, pending);
    return pending;
  }

  async #read(entry: Entry, kept: EntryText | null, signal: AbortSignal): Promise<ArticleTextOutcome> {
    const read = await this.#deps.articles.read(entry.url, signal, { html: true });
    if (read.outcome === 'unreadable') return this.#failed(entry.id, read.why, read.detail);
    const text = this.#textFrom(read.article, entry);
    if (text === null) return this.#failed(entry.id, 'no_text', 'the page has no article text');
    if (kept !== null && substanceOf(text.html) < substanceOf(kept.html))
      return this.#failed(entry.id, 'no_text', 'the page has less text than the feed');
    await this.#deps.entries.saveText(entry.id, text);
    this.#failures.delete(entry.id);
    return found(text);
  }

  #textFrom({ html: whole = '', byline }: Article, { title }: Entry): EntryText | null {
    const html = withoutHeadline(whole, title);
    if (html === '') return null;
    return { html, origin: 'page', byline, fetchedAt: this.#deps.clock.now() };
  }

  #failed(id: EntryId, why: UnreadableReason, detail: string): UnavailableArticle {
    const failure = this.#unavailable(why, detail);
    this.#failures.delete(id);
    this.#failures.set(id, failure);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
    return failure;
  }

  #failureOf(id: EntryId): UnavailableArticle | null {
    const failure = this.#failures.get(id);
    return failure === undefined || failure.retryAt <= this.#deps.clock.now() ? null : failure;
  }

  #unavailable(why: UnreadableReason, detail: string): UnavailableArticle {
    const reason = `Failed to read the article: ${REASONS[why]} (${detail}). Open the original page.`;
    return { outcome: 'unavailable', why, reason, retryAt: this.#deps.clock.now() + FAILURE_TTL_MS };
  }
}

const REASONS: Readonly<Record<UnreadableReason, string>> = {
  not_found: 'the page does not exist any more',
  paywall: 'the page is only for subscribers or after signing in',
  timeout: 'the server did not answer in time',
  not_html: 'the address is not a web page',
  no_text: 'the page has no text to show',
  too_large: 'the page is too large',
  blocked_address: 'the address is private and blocked',
  server_error: 'the server answered with an error',
  unreachable: 'the server cannot be reached',
};

function found(text: EntryText): ArticleTextOutcome {
  return { outcome: 'text', text };
}

/** Videos, episodes and discussions: their page has no better text than the source itself. */
function isDescribedBySource({ key, url, enclosures }: Entry): boolean {
  const [first] = enclosures;
  if (videoIdOf(key) !== null || /^(?:audio|video)\//.test(first?.type ?? '')) return true;
  return /^https?:\/\/news\.ycombinator\.com\/item\?/.test(url);
}

/** Sentences that WordPress and others add below an excerpt and below a whole article alike. */
const SIGNATURE = /\s*The post .{1,300} (?:appeared first|first appeared) on .{1,200}$/i;
const TRUNCATED =
  /(?:…|\.\.\.|\[…\]|\[\.\.\.\]|\[&hellip;\]|&hellip;)\]?$|(?:(?:read|learn|see|view) (?:more|the full (?:article|story|post))|(?:continue|keep) reading|full (?:article|story)|続きを(?:読む|見る|みる)|続きはこちら|もっと(?:読む|見る)|全文を?(?:読む|見る)|記事を読む)[^.。!?]{0,80}$/i;

const HEADLINE =
  /^((?:\s*<(?:div|article|section|header|main|span)\b[^>]*>)*\s*)<h([1-3])\b[^>]*>(.*?)<\/h\2>/s;

/** Without a first heading that repeats the title, which stands above the article already. */
function withoutHeadline(html: string, title: string): string {
  const [first, before = '', , heading = ''] = HEADLINE.exec(html) ?? [];
  if (first === undefined || lettersOf(plainText(heading, MAX_COMPARED_LENGTH)) !== lettersOf(title))
    return html;
  return before + html.slice(first.length);
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

function substanceOf(html: string): number {
  return substance(plainText(html, MAX_COMPARED_LENGTH));
}

/** Whether the content of a feed is the whole article, and not the beginning or a summary of it. */
export function isFullContent(html: string): boolean {
  const text = plainText(html, MAX_COMPARED_LENGTH).replace(SIGNATURE, '').trim();
  return substance(text) >= MIN_FULL_SUBSTANCE && !TRUNCATED.test(text.slice(-400));
}
