import { HOUR } from '../../src/time/duration.ts';
import { conditional } from '../net/conditional.ts';
import type { Ask, Reply } from '../net/exchange.ts';
import { html, plainError, redirect } from '../net/reply.ts';
import type { Entry, Feed } from './format.ts';
import { writeFeed } from './write.ts';

type Urls = { readonly feeds: string; readonly pages: string };

/** Feeds as they occur in practice: each with one thing wrong. */
export const ODD_FEEDS = [
  'moved.xml',
  'moved-for-now.xml',
  'gone.xml',
  'limited.xml',
  'error.xml',
  'broken.xml',
  'cut-short.xml',
  'empty.xml',
  'page.xml',
  'one-guid.xml',
  'changing-guids.xml',
  'edited-titles.xml',
  'no-dates.xml',
  'relative-links.xml',
  'entity-bomb.xml',
  'slow.xml',
] as const;

/** The response for one of them, or `null` for an unknown name. */
export function oddFeed(ask: Ask, read: (outlet: string) => Feed, urls: Urls): Reply | null {
  const name = ask.path.slice('/odd/'.length) as (typeof ODD_FEEDS)[number];
  const usual = (): Feed => read('byte-herald');
  switch (name) {
    case 'moved.xml':
      return redirect(`${urls.feeds}/byte-herald/feed.xml`, 301);
    case 'moved-for-now.xml':
      return redirect(`${urls.feeds}/byte-herald/feed.xml`, 302);
    case 'gone.xml':
      return plainError(410);
    case 'limited.xml':
      return plainError(429, 120_000);
    case 'error.xml':
      return plainError(503);
    case 'broken.xml':
      return rss(broken(writeFeed(usual(), 'rss2', 'utf-8')));
    case 'cut-short.xml':
      return rss(halfOf(writeFeed(usual(), 'rss2', 'utf-8')));
    case 'empty.xml':
      return rss('');
    case 'page.xml':
      return html('<!doctype html><title>Welcome</title><p>This used to be a feed.</p>');
    case 'one-guid.xml':
      return rssOf(ask, usual(), (entry) => ({ ...entry, id: 'https://feeds.example/the-only-guid' }));
    case 'changing-guids.xml':
      return rssOf(ask, usual(), (entry) => ({ ...entry, id: `${entry.link}#${ask.now}` }));
    case 'edited-titles.xml':
      return rssOf(ask, usual(), (entry) => ({ ...entry, title: edited(entry, ask.now) }));
    case 'no-dates.xml':
      return rss(writeFeed(usual(), 'rss2', 'utf-8').replace(/<(pubDate|lastBuildDate)>.*?<\/\1>/g, ''));
    case 'relative-links.xml':
      return relative(writeFeed(usual(), 'atom', 'utf-8'), urls);
    case 'entity-bomb.xml':
      return rss(ENTITY_BOMB);
    case 'slow.xml':
      return { ...rss(writeFeed(usual(), 'rss2', 'utf-8')), delayMs: Number(ask.query.get('ms') ?? 3000) };
    default:
      return null;
  }
}

function rss(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'application/rss+xml; charset=utf-8' }, body };
}

function rssOf(ask: Ask, feed: Feed, change: (entry: Entry) => Entry): Reply {
  const entries = feed.entries.map(change);
  return conditional(ask, rss(writeFeed({ ...feed, entries }, 'rss2', 'utf-8')), feed.updatedAt);
}

/** A bare ampersand, a stray tag, a control character and an unclosed element: no strict parser accepts it. */
function broken(text: string): string {
  return text
    .replace('<title>', '<title>News & Views <br>\u0008')
    .replace('</item>', '</itm>')
    .replace('</channel>', '');
}

function halfOf(text: string): string {
  return text.slice(0, Math.floor(text.length * 0.6));
}

function edited(entry: Entry, now: number): string {
  const hours = Math.floor((now - entry.publishedAt) / HOUR);
  return hours < 1 ? entry.title : `${entry.title} (updated ${hours}×)`;
}

/** Links below an `xml:base`, as some Atom publishers write them. */
function relative(text: string, urls: Urls): Reply {
  const body = text
    .replaceAll(`href="${urls.pages}/`, 'href="/')
    .replace('<feed ', `<feed xml:base="${urls.pages}/" `);
  return { status: 200, headers: { 'content-type': 'application/atom+xml; charset=utf-8' }, body };
}

const LEVELS = 9;
const ENTITY_BOMB = `<?xml version="1.0"?>
<!DOCTYPE rss [<!ENTITY a0 "news">
${Array.from({ length: LEVELS }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join('\n')}
]>
<rss version="2.0"><channel><title>&a${LEVELS};</title><link>https://feeds.example/</link><description>bomb</description>
<item><title>&a${LEVELS};</title><link>https://feeds.example/1</link></item></channel></rss>
`;
