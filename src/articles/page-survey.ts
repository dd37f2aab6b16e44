import { ASIDE_NAMES, BESIDE_NAMES, COMMENT_NAMES } from './furniture.ts';
import { isElement, type PageElement, parsePage, textOf, walk } from './page.ts';

/** Metadata of the article in the JSON-LD of a page. */
export interface LinkedData {
  readonly headline: string | null;
  readonly author: string | null;
  readonly published: string | null;
  readonly modified: string | null;
  readonly image: string | null;
  readonly language: string | null;
  /** The text of the article; plain, or with a few tags. */
  readonly body: string | null;
  readonly words: number | null;
  /** `false`: behind a paywall. */
  readonly free: boolean | null;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_SCRIPT_LENGTH = 512 * 1024;
const MAX_NODES = 500;
const ARTICLE =
  /^(https?:\/\/schema\.org\/)?(\w*Article|BlogPosting|Report|\w*Review|Recipe|CreativeWork|VideoObject|NewsItem|WebPage|LiveBlogPosting|SocialMediaPosting|DiscussionForumPosting)$/;

/** Parses the scripts as far as possible. Articles come before pages that merely contain them. */
export function readLinkedData(scripts: readonly string[]): LinkedData {
  const nodes: Fields[] = [];
  for (const script of scripts) if (script.length <= MAX_SCRIPT_LENGTH) collect(parse(script), nodes);
  const articles = nodes
    .filter((node) => typesOf(node).some((type) => ARTICLE.test(type)))
    .sort((a, b) => Number(isPage(a)) - Number(isPage(b)));
  const first = <T>(read: (node: Fields) => T | null): T | null => {
    for (const node of articles) {
      const found = read(node);
      if (found !== null) return found;
    }
    return null;
  };
  return {
    headline: first((node) => (isPage(node) ? null : (text(node.headline) ?? text(node.name)))),
    author: first((node) => nameOf(node.author, nodes)) ?? first((node) => nameOf(node.creator, nodes)),
    published: first((node) => text(node.datePublished) ?? text(node.dateCreated) ?? text(node.uploadDate)),
    modified: first((node) => text(node.dateModified)),
    image: first((node) => addressOf(node.image)),
    language: first((node) => text(node.inLanguage)),
    body: first((node) => bodyText(node.articleBody) ?? bodyText(node.text)),
    words: first((node) => count(node.wordCount)),
    free: first((node) => booleanOrNull(node.isAccessibleForFree)),
  };
}

function parse(script: string): unknown {
  const bare = script
    .replace(/^\s*(<!--|\/\/\s*<!\[CDATA\[|<!\[CDATA\[)/, '')
    .replace(/(-->|\/\/\s*\]\]>|\]\]>)\s*$/, '');
  try {
    return JSON.parse(bare);
  } catch {
    try {
      // Line ends inside strings are the most common mistake.
      return JSON.parse(bare.replace(/[\n\r\t]+/g, ' '));
    } catch {
      return null;
    }
  }
}

/** Lists and graphs, flattened. */
function collect(start: unknown, nodes: Fields[]): void {
  const waiting: unknown[] = [start];
  for (let value = waiting.shift(); value !== undefined || waiting.length > 0; value = waiting.shift()) {
    if (nodes.length >= MAX_NODES) return;
    if (Array.isArray(value)) waiting.push(...value.slice(0, MAX_NODES));
    else if (isFields(value)) {
      nodes.push(value);
      for (const key of ['@graph', 'mainEntity', 'mainEntityOfPage', 'hasPart'])
        if (typeof value[key] === 'object') waiting.push(inherit(value[key], value, key));
    }
  }
}

/** A locked part locks the article: that is how the parts behind a paywall are marked. */
function inherit(value: unknown, parent: Fields, key: string): unknown {
  if (key !== 'hasPart') return value;
  const parts = Array.isArray(value) ? value : [value];
  return parts
    .filter((part) => isFields(part) && booleanOrNull(part.isAccessibleForFree) === false)
    .map(() => ({ '@type': parent['@type'], isAccessibleForFree: false }));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typesOf(node: Fields): readonly string[] {
  const type = node['@type'];
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string');
}

function isPage(node: Fields): boolean {
  return typesOf(node).every((type) => /WebPage$/.test(type));
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null;
}

const MAX_BODY_LENGTH = 400_000;

function bodyText(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_BODY_LENGTH) return null;
  const page = /<\w|&(?:\w+|#\d+);/.test(value) ? parsePage(value).body : null;
  const plain = page === null ? value : textOf(page);
  return plain.trim() === '' ? null : plain.trim();
}

function count(value: unknown): number | null {
  const number = typeof value === 'string' ? Number.parseInt(value, 10) : value;
  return typeof number === 'number' && number > 0 ? number : null;
}

/** A name, a person, several of them, or a reference to another node of the page. */
function nameOf(value: unknown, nodes: readonly Fields[], depth = 0): string | null {
  if (depth > 4) return null;
  if (Array.isArray(value)) {
    const names = value.slice(0, 20).map((each) => nameOf(each, nodes, depth + 1));
    const known = [...new Set(names.filter((name) => name !== null))];
    return known.length > 0 ? known.slice(0, 5).join(', ') : null;
  }
  if (!isFields(value)) return text(value);
  const full = [text(value.givenName), text(value.familyName)].filter((part) => part !== null).join(' ');
  const name = nameOf(value.name, nodes, depth + 1) ?? (full || null);
  const id = value['@id'];
  if (name !== null || typeof id !== 'string') return name;
  const target = nodes.find((node) => node['@id'] === id && node.name !== undefined);
  return target === undefined ? null : nameOf(target.name, nodes, depth + 1);
}

function addressOf(value: unknown): string | null {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return isFields(one) ? text(one.url) : text(one);
}

function booleanOrNull(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' && /^(true|false)$/i.test(value) ? /^true$/i.test(value) : null;
}

/** The metadata of a page, gathered in one pass before its text is extracted. */
export interface PageSurvey {
  /** By lower-case name, property or itemprop; the first of each. */
  readonly meta: ReadonlyMap<string, string>;
  readonly canonicalHref: string | null;
  readonly title: string | null;
  readonly language: string | null;
  readonly linkedData: LinkedData;
  readonly times: readonly {
    readonly value: string;
    /** 3 marked as the time of publication, 2 a time in the article, 1 a text there, 0 beside it or of a change. */
    readonly certainty: number;
  }[];
  readonly firstHeading: string | null;
  /** Names in elements that are marked as the author, in their order. */
  readonly authors: readonly string[];
  readonly refreshTo: string | null;
  /** Links and frames to documents, as they are written, outside navigation and footers. */
  readonly documentLinks: readonly { readonly href: string; readonly name: string }[];
  /** What relative links are relative to. */
  readonly base: string;
  /** Maximum nesting depth of elements. */
  readonly depth: number;
}

const MAX_ELEMENTS = 60_000;
const MAX_DOCUMENT_LINKS = 200;
const MAX_NOTES = 50;
const PUBLISHED_NAMES =
  /(?:^|[\s_-])(?:published|pubdate|pub-?date|publish-?(?:date|time)|posted-?(?:on|date)|post-?date|entry-?date|article-?date|news-?date|story-?date|date-?(?:published|time)|date|datetime|timestamp|time|day|hiduke|nichiji)(?:$|[\s_-])/i;
const AUTHOR_NAMES =
  /(?:^|[\s_-])(?:author-?name|byline-?(?:name|author)?|writer-?name|writer|author|posted-?by|post-?author|entry-?author|article-?author|reporter|kisha|fn)(?:$|\s)/i;
const SKIPPED_SECTIONS: ReadonlySet<string> = new Set(['nav', 'footer']);
const BESIDE_ELEMENTS: ReadonlySet<string> = new Set(['nav', 'aside', 'footer']);

/** `null` when the page exceeds the maximum number of elements. */
export function surveyPage(root: PageElement, url: string): PageSurvey | null {
  const meta = new Map<string, string>();
  const times: { value: string; certainty: number }[] = [];
  const authors: string[] = [];
  const scripts: string[] = [];
  const links: { href: string; name: string }[] = [];
  let canonicalHref: string | null = null;
  let title: string | null = null;
  let language: string | null = null;
  let firstHeading: string | null = null;
  let refreshTo: string | null = null;
  let base: string | null = null;
  let elsewhere = 0;
  let drawing = 0;
  let beside = 0;
  let depth = 0;
  let deepest = 0;

  const known = new Map<string, ClassMeaning>();
  const noteTime = (node: PageElement, name: string, meaning: ClassMeaning): void => {
    const property = node.getAttribute('itemprop') ?? '';
    const marked = /datePublished|dateCreated/i.test(property) || node.getAttribute('pubdate') !== null;
    if (times.length >= MAX_NOTES || (name !== 'time' && !marked && !meaning.time)) return;
    const exact = node.getAttribute('datetime');
    const value =
      exact ??
      node.getAttribute('content') ??
      (name === 'abbr' ? node.getAttribute('title') : null) ??
      brief(node.textContent);
    if (value === null || !/[\d０-９]/.test(value)) return;
    const changed = meaning.changed || /dateModified/i.test(property);
    times.push({ value, certainty: marked ? 3 : beside > 0 || changed ? 0 : exact !== null ? 2 : 1 });
  };
  const noteAuthor = (node: PageElement, meaning: ClassMeaning): void => {
    if (authors.length >= MAX_NOTES || beside > 0) return;
    const marked = isAuthor(node.getAttribute('rel')) || isAuthor(node.getAttribute('itemprop'));
    if (!marked && !meaning.author) return;
    const name = node.getAttribute('content') ?? brief(node.textContent);
    if (name === null || name.trim() === '') return;
    // Marks are more certain than names of classes.
    if (marked) authors.unshift(name);
    else authors.push(name);
  };
  const complete = walk(
    root,
    (node) => {
      if (!isElement(node)) return 'past';
      const name = node.localName;
      deepest = Math.max(deepest, ++depth);
      if (name === 'svg') drawing++;
      if (drawing > 0) return 'inside';
      const meaning = classMeaning(node, known);
      if (meaning.beside || BESIDE_ELEMENTS.has(name)) beside++;
      if (name !== 'meta') {
        noteTime(node, name, meaning);
        noteAuthor(node, meaning);
      }
      switch (name) {
        case 'html':
          language ??= node.getAttribute('lang') || node.getAttribute('xml:lang') || null;
          break;
        case 'base':
          base ??= node.getAttribute('href');
          break;
        case 'title':
          if (title === null) title = clean(node.textContent);
          return 'past';
        case 'meta': {
          const key =
            node.getAttribute('property') ?? node.getAttribute('name') ?? node.getAttribute('itemprop');
          const content = node.getAttribute('content');
          const http = node.getAttribute('http-equiv')?.toLowerCase();
          if (http === 'refresh') refreshTo ??= refreshTarget(content);
          if (http === 'content-language') language ??= content;
          if (key !== null && content !== null)
            for (const each of key.toLowerCase().split(/\s+/))
              if (!meta.has(each)) meta.set(each, content.trim());
          break;
        }
        case 'link':
          if (canonicalHref === null && /(^|\s)canonical(\s|$)/i.test(node.getAttribute('rel') ?? ''))
            canonicalHref = node.getAttribute('href');
          break;
        case 'script':
          if (/ld\+json/i.test(node.getAttribute('type') ?? '')) scripts.push(node.textContent ?? '');
          return 'past';
        case 'style':
          return 'past';
        case 'h1':
          firstHeading ??= clean(node.textContent);
          break;
        case 'a': {
          const href = node.getAttribute('href');
          if (href !== null && elsewhere === 0 && links.length < MAX_DOCUMENT_LINKS)
            if (isDocument(href, node.getAttribute('type')))
              links.push({ href, name: clean(node.textContent) ?? '' });
          break;
        }
        case 'iframe':
        case 'embed':
        case 'object': {
          const href = node.getAttribute('src') ?? node.getAttribute('data');
          if (
            href !== null &&
            links.length < MAX_DOCUMENT_LINKS &&
            isDocument(href, node.getAttribute('type'))
          )
            links.push({ href, name: clean(node.getAttribute('title')) ?? '' });
          break;
        }
      }
      if (SKIPPED_SECTIONS.has(name)) elsewhere++;
      return 'inside';
    },
    (element) => {
      depth--;
      const name = element.localName;
      if (name === 'svg') drawing--;
      else if (drawing === 0) {
        if (SKIPPED_SECTIONS.has(name)) elsewhere--;
        if (BESIDE_ELEMENTS.has(name) || classMeaning(element, known).beside) beside--;
      }
    },
    MAX_ELEMENTS,
  );
  if (!complete) return null;
  return {
    meta,
    canonicalHref,
    title,
    language,
    linkedData: readLinkedData(scripts),
    times,
    firstHeading,
    authors,
    refreshTo,
    documentLinks: links,
    base: baseOf(base, url),
    depth: deepest,
  };
}

/** What the class names and the ID of an element say about it. */
interface ClassMeaning {
  /** Other articles, comments, columns beside the article. */
  readonly beside: boolean;
  readonly time: boolean;
  /** The time of a change is only the second best. */
  readonly changed: boolean;
  readonly author: boolean;
}

const NO_MEANING: ClassMeaning = { beside: false, time: false, changed: false, author: false };

/** Elements share their names, so they are looked at once. */
function classMeaning(element: PageElement, known: Map<string, ClassMeaning>): ClassMeaning {
  const classes = element.getAttribute('class');
  const id = element.getAttribute('id');
  if (!classes && !id) return NO_MEANING;
  const names = `${classes ?? ''} ${id ?? ''}`.slice(0, 500);
  const before = known.get(names);
  if (before !== undefined) return before;
  const isPage = element.localName === 'body' || element.localName === 'html';
  const meaning: ClassMeaning = {
    beside:
      !isPage && [COMMENT_NAMES, ASIDE_NAMES, BESIDE_NAMES].some((pattern) => pattern.test(classes ?? '')),
    time: PUBLISHED_NAMES.test(names),
    changed: /modified|updat|更新/i.test(names),
    author: AUTHOR_NAMES.test(classes ?? ''),
  };
  known.set(names, meaning);
  return meaning;
}

function isAuthor(relation: string | null): boolean {
  return relation !== null && /(^|\s)author(\s|$)/i.test(relation);
}

/** A longer text is no date and no name. */
function brief(text: string | null): string | null {
  const short = text !== null && text.length < 400 ? clean(text) : null;
  return short !== null && short.length <= 120 ? short : null;
}

/** By its path or the attributes of the link; a query may contain the name as well. */
function isDocument(href: string, type: string | null): boolean {
  return /\.pdf($|[?#])/i.test(href) || type?.toLowerCase() === 'application/pdf';
}

function refreshTarget(content: string | null): string | null {
  const parts = /^\s*(\d+(?:\.\d+)?)\s*[;,]\s*url\s*=\s*["']?([^"']+?)["']?\s*$/i.exec(content ?? '');
  return parts && Number(parts[1]) <= 10 ? (parts[2] ?? null) : null;
}

function baseOf(href: string | null, url: string): string {
  if (href === null) return url;
  const base = URL.parse(href, url);
  return base && (base.protocol === 'http:' || base.protocol === 'https:') ? base.href : url;
}

function clean(text: string | null): string | null {
  const tidy = text?.replace(/\s+/g, ' ').trim().slice(0, 500);
  return tidy ? tidy : null;
}
