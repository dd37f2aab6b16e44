import { readAtom } from './atom.ts';
import type { FeedDocument, ReadOptions } from './feed-document.ts';
import { readJsonFeed } from './json-feed.ts';
import { readRss } from './rss.ts';
import { readXml, type XmlElement, XmlRefusedError, type XmlTree } from './xml.ts';

export type FeedReading =
  | { readonly outcome: 'feed'; readonly feed: FeedDocument }
  /** A page for people; it may name a feed (see `discover.ts`). */
  | { readonly outcome: 'page' }
  | { readonly outcome: 'not_a_feed'; readonly detail: string }
  /** Built to do harm. */
  | { readonly outcome: 'refused'; readonly detail: string };

export const READ_DEFAULTS: Omit<ReadOptions, 'url'> = {
  textLimit: 2_000,
  titleLimit: 500,
  entryLimit: 2_000,
};

/** What begins like this is a page, and pages are too wild for the reader of XML. */
const PAGE = /^(?:<\?xml[^>]{0,200}\?>\s*)?<(?:!doctype\s+html|html)\b/i;

/** Finds out what a document is and reads it. Never throws, whatever the document. */
export function readFeed(text: string, options: ReadOptions): FeedReading {
  const start = text.slice(0, 4_096).trimStart();
  if (start === '') return { outcome: 'not_a_feed', detail: 'the answer is empty' };
  if (start.startsWith('{') || start.startsWith('[')) {
    const feed = readJsonFeed(text.trim(), options);
    return feed ? { outcome: 'feed', feed } : { outcome: 'not_a_feed', detail: 'JSON, but no JSON Feed' };
  }
  if (PAGE.test(start)) return { outcome: 'page' };
  let tree: XmlTree;
  try {
    tree = readXml(text);
  } catch (error) {
    if (error instanceof XmlRefusedError) return { outcome: 'refused', detail: error.message };
    throw error;
  }
  const root = feedRoot(tree.root);
  if (root !== null) {
    const atom = root.name === 'feed' || root.name === 'entry';
    const feed = atom ? readAtom(root, options) : readRss(root, options);
    if (tree.repairs === 0) return { outcome: 'feed', feed };
    const broken = `the XML is broken in ${tree.repairs} place${tree.repairs === 1 ? '' : 's'}; read as well as it could be`;
    return { outcome: 'feed', feed: { ...feed, warnings: [...feed.warnings, broken] } };
  }
  if (tree.root.child('opml') !== undefined) {
    return { outcome: 'not_a_feed', detail: 'a list of feeds (OPML); import it instead' };
  }
  if (/<(?:html|head|body)\b/i.test(start)) return { outcome: 'page' };
  return { outcome: 'not_a_feed', detail: 'neither RSS nor Atom nor JSON Feed' };
}

/** The feed's own element, though text, other elements or a lost root stand before it. */
function feedRoot(document: XmlElement): XmlElement | null {
  for (const child of document.children) {
    switch (child.name) {
      case 'rss':
      case 'rdf:rdf':
      case 'feed':
      case 'channel':
        return child.name === 'channel' ? document : child;
      case 'rdf':
        return child;
      case 'item':
        return document;
      case 'entry':
        return child;
    }
  }
  return null;
}
