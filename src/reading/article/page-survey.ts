import { type LinkedData, readLinkedData } from './linked-data.ts';
import { isElement, type PageElement, walk } from './page-node.ts';

/** What a page says about itself, gathered in one pass before its text is looked for. */
export interface PageSurvey {
  /** By lower-case name, property or itemprop; the first of each. */
  readonly meta: ReadonlyMap<string, string>;
  readonly canonicalHref: string | null;
  readonly title: string | null;
  readonly language: string | null;
  readonly linkedData: LinkedData;
  readonly times: readonly { readonly value: string; readonly published: boolean }[];
  readonly firstHeading: string | null;
  readonly author: string | null;
  readonly refreshTo: string | null;
  /** Links and frames to documents, as they are written, outside navigation and footers. */
  readonly documentLinks: readonly { readonly href: string; readonly name: string }[];
  /** What relative links are relative to. */
  readonly base: string;
  /** How many elements stand inside each other at most. */
  readonly depth: number;
}

const MOST_ELEMENTS = 60_000;
const MOST_DOCUMENTS = 200;
const ELSEWHERE: ReadonlySet<string> = new Set(['nav', 'footer']);

/** `null` when the page has more elements than any honest one. */
export function survey(root: PageElement, url: string): PageSurvey | null {
  const meta = new Map<string, string>();
  const times: { value: string; published: boolean }[] = [];
  const scripts: string[] = [];
  const links: { href: string; name: string }[] = [];
  let canonicalHref: string | null = null;
  let title: string | null = null;
  let language: string | null = null;
  let firstHeading: string | null = null;
  let author: string | null = null;
  let refreshTo: string | null = null;
  let base: string | null = null;
  let elsewhere = 0;
  let drawing = 0;
  let depth = 0;
  let deepest = 0;

  const whole = walk(
    root,
    (node) => {
      if (!isElement(node)) return 'past';
      const name = node.localName;
      deepest = Math.max(deepest, ++depth);
      if (name === 'svg') drawing++;
      if (drawing > 0) return 'inside';
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
        case 'time': {
          const value = node.getAttribute('datetime') ?? node.textContent ?? '';
          const published =
            node.getAttribute('pubdate') !== null ||
            /datePublished/i.test(node.getAttribute('itemprop') ?? '');
          if (times.length < 50) times.push({ value, published });
          break;
        }
        case 'h1':
          firstHeading ??= clean(node.textContent);
          break;
        case 'a': {
          if (author === null && /(^|\s)author(\s|$)/i.test(node.getAttribute('rel') ?? ''))
            author = clean(node.textContent);
          const href = node.getAttribute('href');
          if (href !== null && elsewhere === 0 && links.length < MOST_DOCUMENTS)
            if (isDocument(href, node.getAttribute('type')))
              links.push({ href, name: clean(node.textContent) ?? '' });
          break;
        }
        case 'iframe':
        case 'embed':
        case 'object': {
          const href = node.getAttribute('src') ?? node.getAttribute('data');
          if (href !== null && links.length < MOST_DOCUMENTS && isDocument(href, node.getAttribute('type')))
            links.push({ href, name: clean(node.getAttribute('title')) ?? '' });
          break;
        }
      }
      if (ELSEWHERE.has(name)) elsewhere++;
      return 'inside';
    },
    (element) => {
      depth--;
      if (element.localName === 'svg') drawing--;
      else if (drawing === 0 && ELSEWHERE.has(element.localName)) elsewhere--;
    },
    MOST_ELEMENTS,
  );
  if (!whole) return null;
  return {
    meta,
    canonicalHref,
    title,
    language,
    linkedData: readLinkedData(scripts),
    times,
    firstHeading,
    author,
    refreshTo,
    documentLinks: links,
    base: baseOf(base, url),
    depth: deepest,
  };
}

/** By its path or by what the link says about it; a query may carry the name as well. */
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
