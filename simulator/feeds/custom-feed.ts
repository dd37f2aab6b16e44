import type { Reply } from '../net/exchange.ts';
import { articlePage } from '../pages/article-page.ts';
import type { Encoding } from './encode.ts';
import type { Entry, Feed, FeedFormat } from './format.ts';

/** What a custom feed needs of the pages: a place to put one. */
export interface PagePutter {
  put(path: string, reply: Reply): string;
}

export interface MadeFeedOptions {
  /** In its address. */
  readonly id: string;
  readonly title?: string;
  readonly language?: string;
  readonly format?: FeedFormat;
  readonly encoding?: Encoding;
}

export interface MadeItem {
  readonly title: string;
  /** Paragraphs of the page behind the item; no page is created when `link` is given. */
  readonly text?: readonly string[];
  readonly summary?: string;
  readonly link?: string;
  readonly guid?: string;
  readonly publishedAt?: number;
}

/** A feed whose items a test publishes. */
export interface MadeFeed {
  readonly url: string;
  readonly format: FeedFormat;
  readonly encoding: Encoding;
  /** Adds an item at the top and returns the address of its page. */
  publish(item: MadeItem): string;
  /** Removes an item from the feed; its page stays. */
  remove(link: string): void;
  /** Edits the titles of everything that was published. */
  retitle(rename: (title: string) => string): void;
  feed(): Feed;
}

export function makeFeed(
  options: MadeFeedOptions,
  urls: { readonly feeds: string; readonly pages: string },
  pages: PagePutter,
  now: () => number,
): MadeFeed {
  const { id, title = id, language = 'en', format = 'rss2', encoding = 'utf-8' } = options;
  const url = `${urls.feeds}/made/${id}.${format === 'json' ? 'json' : 'xml'}`;
  let entries: Entry[] = [];
  let published = 0;
  let updatedAt = now();
  return {
    url,
    format,
    encoding,
    publish(item) {
      updatedAt = now();
      const publishedAt = item.publishedAt ?? updatedAt;
      published += 1;
      const path = `/made/${id}/${published}.html`;
      const text = item.text ?? [item.summary ?? item.title];
      const link = item.link ?? `${urls.pages}${path}`;
      if (item.link === undefined) {
        const body = articlePage({ url: link, site: title, language, title: item.title, text, publishedAt });
        pages.put(path, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body });
      }
      const summary = item.summary ?? text[0] ?? '';
      entries.unshift({ id: item.guid ?? link, link, title: item.title, summary, publishedAt });
      return link;
    },
    remove(link) {
      updatedAt = now();
      entries = entries.filter((entry) => entry.link !== link);
    },
    retitle(rename) {
      updatedAt = now();
      entries = entries.map((entry) => ({ ...entry, title: rename(entry.title) }));
    },
    feed: () => ({
      title,
      about: title,
      language,
      link: `${urls.pages}/made/${id}/`,
      self: url,
      updatedAt,
      entries,
    }),
  };
}
