import { HOUR } from '../../src/time/duration.ts';
import type { Encoding } from './encode.ts';
import { type Entry, type Feed, type FeedFormat, xml } from './format.ts';

/** The feed's text in one dialect. */
export function writeFeed(feed: Feed, format: FeedFormat, encoding: Encoding): string {
  switch (format) {
    case 'rss091':
      return rss(feed, '0.91', encoding);
    case 'rss2':
      return rss(feed, '2.0', encoding);
    case 'rss1':
    case 'rdf':
      return rdf(feed, encoding);
    case 'atom':
      return atom(feed, encoding);
    case 'json':
      return jsonFeed(feed);
  }
}

function declaration(encoding: Encoding): string {
  const name = { 'utf-8': 'UTF-8', shift_jis: 'Shift_JIS', 'euc-jp': 'EUC-JP' }[encoding];
  return `<?xml version="1.0" encoding="${name}"?>\n`;
}

function element(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${xml(text)}</${name}>`;
}

function rss(feed: Feed, version: '0.91' | '2.0', encoding: Encoding): string {
  const items = feed.entries.map((entry) => (version === '2.0' ? rss2Item(entry) : rss091Item(entry)));
  const spaces =
    version === '2.0'
      ? ' xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"'
      : '';
  const self =
    version === '2.0' ? `<atom:link href="${xml(feed.self)}" rel="self" type="application/rss+xml"/>` : '';
  return `${declaration(encoding)}<rss version="${version}"${spaces}>
<channel>
${element('title', feed.title)}${element('link', feed.link)}${element('description', feed.about)}
${element('language', feed.language)}${self}${element('lastBuildDate', new Date(feed.updatedAt).toUTCString())}
${feed.icon === undefined ? '' : `<image>${element('url', feed.icon)}${element('title', feed.title)}${element('link', feed.link)}</image>`}${items.join('\n')}
</channel>
</rss>
`;
}

function rss2Item(entry: Entry): string {
  const content =
    entry.html === undefined ? '' : `<content:encoded><![CDATA[${entry.html}]]></content:encoded>`;
  return `<item>${element('title', entry.title)}${element('link', entry.link)}<guid isPermaLink="${entry.id === entry.link}">${xml(entry.id)}</guid>${element('pubDate', new Date(entry.publishedAt).toUTCString())}${element('dc:creator', entry.author)}${element('category', entry.category)}${element('description', entry.summary)}${content}</item>`;
}

/** RSS 0.91 has neither guid nor date. */
function rss091Item(entry: Entry): string {
  return `<item>${element('title', entry.title)}${element('link', entry.link)}${element('description', entry.summary)}</item>`;
}

function rdf(feed: Feed, encoding: Encoding): string {
  const order = feed.entries.map((entry) => `<rdf:li rdf:resource="${xml(entry.link)}"/>`);
  const items = feed.entries.map(
    (entry) =>
      `<item rdf:about="${xml(entry.link)}">${element('title', entry.title)}${element('link', entry.link)}${element('description', entry.summary)}${element('dc:date', japaneseTime(entry.publishedAt))}${element('dc:subject', entry.category)}</item>`,
  );
  return `${declaration(encoding)}<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" xml:lang="${feed.language}">
<channel rdf:about="${xml(feed.self)}">${element('title', feed.title)}${element('link', feed.link)}${element('description', feed.about)}${element('dc:date', japaneseTime(feed.updatedAt))}${element('dc:language', feed.language)}
<items><rdf:Seq>${order.join('')}</rdf:Seq></items>
</channel>
${items.join('\n')}
</rdf:RDF>
`;
}

/** Ministries write their own time zone: `2026-01-01T09:00:00+09:00`. */
function japaneseTime(ms: number): string {
  return `${new Date(ms + 9 * HOUR).toISOString().slice(0, 19)}+09:00`;
}

function atom(feed: Feed, encoding: Encoding): string {
  const entries = feed.entries.map((entry) => {
    const content = entry.html === undefined ? '' : `<content type="html">${xml(entry.html)}</content>`;
    const author = entry.author === undefined ? '' : `<author>${element('name', entry.author)}</author>`;
    const category = entry.category === undefined ? '' : `<category term="${xml(entry.category)}"/>`;
    const updated = new Date(entry.updatedAt ?? entry.publishedAt).toISOString();
    return `<entry>${element('id', entry.id)}${element('title', entry.title)}<link rel="alternate" href="${xml(entry.link)}"/>${element('published', new Date(entry.publishedAt).toISOString())}${element('updated', updated)}${author}${category}${element('summary', entry.summary)}${content}</entry>`;
  });
  return `${declaration(encoding)}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${feed.language}">
${element('id', feed.self)}${element('title', feed.title)}${element('subtitle', feed.about)}<link rel="alternate" href="${xml(feed.link)}"/><link rel="self" href="${xml(feed.self)}"/>${element('icon', feed.icon)}${element('updated', new Date(feed.updatedAt).toISOString())}
${entries.join('\n')}
</feed>
`;
}

function jsonFeed(feed: Feed): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feed.title,
    description: feed.about,
    home_page_url: feed.link,
    feed_url: feed.self,
    ...(feed.icon === undefined ? {} : { favicon: feed.icon }),
    language: feed.language,
    items: feed.entries.map((entry) => ({
      id: entry.id,
      url: entry.link,
      title: entry.title,
      summary: entry.summary,
      ...(entry.html === undefined ? { content_text: entry.summary } : { content_html: entry.html }),
      date_published: new Date(entry.publishedAt).toISOString(),
      ...(entry.updatedAt === undefined ? {} : { date_modified: new Date(entry.updatedAt).toISOString() }),
      ...(entry.author === undefined ? {} : { authors: [{ name: entry.author }] }),
      ...(entry.category === undefined ? {} : { tags: [entry.category] }),
    })),
  });
}
