import type { Opml } from 'feedsmith';
import { canonicalUrl } from '../item/identity.ts';
import { plainTitle, xmlText } from './plain-text.ts';
import { parseXml, type XmlElement, XmlRefusedError } from './xml.ts';

/** A feed as feed readers exchange it. */
export interface OpmlFeed {
  readonly title: string;
  readonly url: string;
  /** The site's own address, where the list has it. */
  readonly home: string | null;
  /** The folders it lies in, outermost first. */
  readonly folders: readonly string[];
}

export type ParsedOpml =
  | {
      readonly outcome: 'read';
      readonly title: string | null;
      /** Each address once, in the order of the list. */
      readonly feeds: readonly OpmlFeed[];
      /** Addresses that stand more than once, or that are one feed by the rules of identity (X3). */
      readonly duplicates: readonly OpmlFeed[];
      /** Outlines that were skipped, each with a human-readable reason. */
      readonly problems: readonly string[];
    }
  | { readonly outcome: 'not_opml'; readonly detail: string };

export interface OpmlOptions {
  /** Called periodically with the number of processed outlines and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

const MAX_FOLDERS = 10;
const MAX_TITLE_LENGTH = 200;
const PROGRESS_STEP = 100;

/** Parses a list of feeds, well-formed or not, as far as possible (X14). Never throws. */
export function parseOpmlDocument(text: string, options: OpmlOptions = {}): ParsedOpml {
  let root: XmlElement;
  try {
    root = parseXml(text).root;
  } catch (error) {
    if (error instanceof XmlRefusedError) return { outcome: 'not_opml', detail: error.message };
    throw error;
  }
  const opml = root.child('opml') ?? root;
  const body = opml.child('body') ?? opml;
  const outlines = [...walk(body.all('outline'), [])];
  if (opml === root && outlines.length === 0)
    return { outcome: 'not_opml', detail: 'there is no list of feeds in it' };

  const feeds = new Map<string, OpmlFeed>();
  const duplicates: OpmlFeed[] = [];
  const problems: string[] = [];
  for (const [index, { outline, folders }] of outlines.entries()) {
    if (index % PROGRESS_STEP === 0) options.onProgress?.(index, outlines.length);
    const written =
      outline.attr('xmlurl') ?? (outline.attr('type') === 'rss' ? outline.attr('url') : undefined);
    if (written === undefined || written.trim() === '') continue;
    const feed = feedOf(outline, written, folders);
    if (typeof feed === 'string') problems.push(feed);
    else if (feeds.has(identityOf(feed.url))) duplicates.push(feed);
    else feeds.set(identityOf(feed.url), feed);
  }
  options.onProgress?.(outlines.length, outlines.length);
  const title = plainTitle(opml.child('head')?.child('title')?.markup() ?? '') || null;
  return { outcome: 'read', title, feeds: [...feeds.values()], duplicates, problems };
}

interface Placed {
  readonly outline: XmlElement;
  readonly folders: readonly string[];
}

/** Every outline with its folders. A feed is no folder: what lies inside it only lost a closing tag before it. */
function* walk(outlines: readonly XmlElement[], folders: readonly string[]): Generator<Placed> {
  for (const outline of outlines) {
    yield { outline, folders };
    const name = titleOf(outline);
    const isFolder = outline.attr('xmlurl') === undefined && name !== '' && folders.length < MAX_FOLDERS;
    yield* walk(outline.all('outline'), isFolder ? [...folders, name] : folders);
  }
}

/** The feed, or why it is skipped. */
function feedOf(outline: XmlElement, written: string, folders: readonly string[]): OpmlFeed | string {
  const title = titleOf(outline);
  const url = webAddress(written);
  if (url === null) return `${title || 'a feed'}: ${shown(written)} is no address of the web`;
  if (url.username !== '' || url.password !== '') return `${title || url.host}: the address holds a password`;
  const home = webAddress(outline.attr('htmlurl') ?? '');
  return {
    title: title || url.host,
    url: url.href,
    home: home?.href ?? null,
    folders: folders.length > 0 ? folders : categoryOf(outline),
  };
}

function titleOf(outline: XmlElement): string {
  return (
    plainTitle(outline.attr('title') ?? '', MAX_TITLE_LENGTH) ||
    plainTitle(outline.attr('text') ?? '', MAX_TITLE_LENGTH)
  );
}

/** `category="/News/Japan,/Other"`: the folders of readers that write no nested outlines. */
function categoryOf(outline: XmlElement): string[] {
  const [first = ''] = (outline.attr('category') ?? '').split(',');
  return first
    .split('/')
    .map((name) => name.trim().slice(0, MAX_TITLE_LENGTH))
    .filter((name) => name !== '')
    .slice(0, MAX_FOLDERS);
}

function webAddress(written: string): URL | null {
  const text = written
    .trim()
    .replace(/^feed:(?:\/\/)?(?=https?:)/i, '')
    .replace(/^feed:\/\//i, 'https://');
  const url = text.length > 4_000 ? null : URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== ''
    ? url
    : null;
}

function identityOf(url: string): string {
  const canonical = canonicalUrl(url);
  return canonical.outcome === 'canonical' ? canonical.url : url;
}

/** Short, and without a password that might be in it. */
function shown(address: string): string {
  return JSON.stringify(
    address
      .trim()
      .replace(/\/\/[^/@]*@/, '//…@')
      .slice(0, 80),
  );
}

export interface WriteOpmlOptions {
  readonly title: string;
  /** Time of writing, where it is to stand in the list. */
  readonly now?: number;
}

/** Writes a list of feeds with its folders as OPML 2.0, which every feed reader imports (X14). */
export async function writeOpml(feeds: readonly OpmlFeed[], options: WriteOpmlOptions): Promise<string> {
  const { generateOpml } = await import('feedsmith');
  const title = xmlText(options.title);
  const outlines = outlinesIn(feeds, 0);
  return generateOpml({
    head: { title, ...(options.now === undefined ? {} : { dateCreated: new Date(options.now) }) },
    // OPML must have an outline; without feeds it is an empty folder.
    body: { outlines: outlines.length > 0 ? outlines : [{ text: title }] },
  });
}

/** What lies in one folder, `depth` levels down: its feeds, and the folders inside it. */
function outlinesIn(feeds: readonly OpmlFeed[], depth: number): Opml.Outline<Date>[] {
  const here = feeds.filter(({ folders }) => folders.length <= depth);
  const deeper = feeds.filter(({ folders }) => folders.length > depth);
  const byFolder = Map.groupBy(deeper, ({ folders }) => xmlText(folders[depth] ?? ''));
  return [
    ...here.map(feedOutline),
    ...[...byFolder].map(([name, inside]) => ({
      text: name,
      title: name,
      outlines: outlinesIn(inside, depth + 1),
    })),
  ];
}

function feedOutline({ title, url, home }: OpmlFeed) {
  const text = xmlText(title) || url;
  return { type: 'rss', text, title: text, xmlUrl: url, ...(home === null ? {} : { htmlUrl: home }) };
}
