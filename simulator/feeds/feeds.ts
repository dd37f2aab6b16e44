import { conditional } from '../net/conditional.ts';
import type { Ask, Reply, Service } from '../net/exchange.ts';
import { html, plainError } from '../net/reply.ts';
import { findOutlet, type Outlet } from '../world/outlet.ts';
import type { NewsItem, World } from '../world/world.ts';
import { type MadeFeed, type MadeFeedOptions, makeFeed, type PagePutter } from './custom-feed.ts';
import { discoveryPage } from './discovery.ts';
import { type Encoding, encode } from './encode.ts';
import { type Entry, type Feed, type FeedFormat, MEDIA_TYPES } from './format.ts';
import { oddFeed } from './malformed.ts';
import { writeFeed } from './write.ts';

/** The host on which all feeds of the simulated world live. */
export class Feeds implements Service {
  readonly #world: World;
  readonly #urls: { readonly feeds: string; readonly pages: string };
  readonly #pages: PagePutter;
  readonly #now: () => number;
  readonly #made = new Map<string, MadeFeed>();
  readonly #put = new Map<string, Reply>();

  constructor(
    world: World,
    urls: { readonly feeds: string; readonly pages: string },
    pages: PagePutter,
    now: () => number,
  ) {
    this.#world = world;
    this.#urls = urls;
    this.#pages = pages;
    this.#now = now;
  }

  errorReply = plainError;

  /** The address of an outlet's feed. */
  urlOf(outlet: Outlet): string {
    return `${this.#urls.feeds}${feedPath(outlet)}`;
  }

  /** A feed whose items a test publishes, with the pages behind them. */
  create(options: MadeFeedOptions): MadeFeed {
    const feed = makeFeed(options, this.#urls, this.#pages, this.#now);
    this.#made.set(new URL(feed.url).pathname, feed);
    return feed;
  }

  /** Serves exactly this at `path` from now on. */
  put(path: string, reply: Reply): string {
    this.#put.set(path, reply);
    return `${this.#urls.feeds}${path}`;
  }

  answer(ask: Ask): Reply {
    if (ask.method !== 'GET' && ask.method !== 'HEAD') return plainError(405);
    const put = this.#put.get(ask.path);
    if (put) return put;
    const made = this.#made.get(ask.path);
    if (made) return asFeed(ask, made.feed(), made.format, made.encoding);
    if (ask.path.startsWith('/odd/')) {
      return oddFeed(ask, (id) => this.#read(id, ask.now), this.#urls) ?? plainError(404);
    }
    const [, id, rest] = ask.path.split('/');
    const outlet = findOutlet(id ?? '');
    if (!outlet) return ask.path === '/' ? html(discoveryPage(this.#urls.feeds)) : plainError(404);
    if (rest === '' || rest === undefined) return html(discoveryPage(this.#urls.feeds, outlet));
    if (ask.path !== feedPath(outlet)) return plainError(404);
    return asFeed(ask, this.#read(outlet.id, ask.now), outlet.format, outlet.encoding);
  }

  #read(id: string, now: number): Feed {
    const outlet = findOutlet(id);
    if (!outlet) throw new RangeError(`no outlet ${id}`);
    const items = this.#world.latest(outlet, now);
    return {
      title: outlet.name,
      about: outlet.about,
      language: outlet.language,
      link: `${this.#urls.pages}/${outlet.id}/`,
      self: this.urlOf(outlet),
      ...(outlet.icon === 'feed' && { icon: `${this.#urls.pages}/${outlet.id}/icon.png` }),
      updatedAt: items[0]?.publishedAt ?? now,
      entries: items.map((item) => this.#entry(item)),
    };
  }

  #entry(item: NewsItem): Entry {
    const link = `${this.#urls.pages}${item.path}`;
    return {
      id: item.outlet.format === 'atom' ? `tag:${item.outlet.id}.example,2026:${item.number}` : link,
      link,
      title: item.article.title,
      summary: item.article.summary,
      author: item.article.byline,
      category: item.article.topic,
      publishedAt: item.publishedAt,
    };
  }
}

export function feedPath(outlet: Outlet): string {
  return `/${outlet.id}/feed.${outlet.format === 'json' ? 'json' : 'xml'}`;
}

function asFeed(ask: Ask, feed: Feed, format: FeedFormat, encoding: Encoding): Reply {
  const body = encode(writeFeed(feed, format, encoding), encoding);
  // Many publishers in the old encodings name them in the XML declaration only.
  const type = encoding === 'utf-8' ? `${MEDIA_TYPES[format]}; charset=utf-8` : MEDIA_TYPES[format];
  return conditional(ask, { status: 200, headers: { 'content-type': type }, body }, feed.updatedAt);
}
