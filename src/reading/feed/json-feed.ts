import { readDate } from './dates.ts';
import { absolute, type FeedDocument, type FeedEntry, type ReadOptions } from './feed-document.ts';
import { plainText, plainTitle } from './plain-text.ts';
import { imageIn, languageOf } from './rss.ts';

type Fields = Readonly<Record<string, unknown>>;

/** JSON Feed 1.0 and 1.1. Fields of the wrong type count as missing; `null` if it is no JSON Feed at all. */
export function readJsonFeed(text: string, options: ReadOptions): FeedDocument | null {
  if (isTooDeep(text)) return null;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isFields(json) || !Array.isArray(json.items)) return null;
  if (!String(json.version ?? '').includes('jsonfeed.org') && typeof json.title !== 'string') return null;
  const all = json.items.filter(isFields);
  const language = languageOf(string(json, 'language'));
  const author = nameOf(json);
  const entries = all.slice(0, options.entryLimit).map((item) => readItem(item, author, options));
  return {
    format: 'json',
    title: plainTitle(string(json, 'title') ?? '') || null,
    home: absolute(string(json, 'home_page_url'), options.url),
    language,
    ttl: null,
    entries,
    warnings: all.length > entries.length ? [`only the first ${entries.length} items were read`] : [],
  };
}

function readItem(item: Fields, feedAuthor: string | null, options: ReadOptions): FeedEntry {
  const id = (string(item, 'id') ?? number(item, 'id') ?? null)?.slice(0, 2_000) || null;
  const link =
    absolute(string(item, 'url') ?? string(item, 'external_url'), options.url) ??
    (id !== null && /^https?:\/\//i.test(id) ? absolute(id, options.url) : null);
  const html = string(item, 'content_html');
  const said = string(item, 'content_text') ?? string(item, 'summary');
  const text =
    html === undefined
      ? (said ?? '').replace(/\s+/g, ' ').trim().slice(0, options.textLimit)
      : plainText(html, options.textLimit);
  return {
    id,
    link,
    title:
      plainTitle(string(item, 'title') ?? '', options.titleLimit) || text.slice(0, 100) || link || id || '',
    publishedAt:
      readDate(string(item, 'date_published') ?? '') ?? readDate(string(item, 'date_modified') ?? ''),
    author: nameOf(item) ?? feedAuthor,
    text: text === '' ? null : text,
    image: absolute(
      string(item, 'image') ?? string(item, 'banner_image') ?? imageIn(html),
      link ?? options.url,
    ),
    language: languageOf(string(item, 'language')),
    video: null,
  };
}

/** 1.1 has a list of authors, 1.0 has one. */
function nameOf(of: Fields): string | null {
  const list = Array.isArray(of.authors) ? of.authors : [of.author];
  const names = list.filter(isFields).map((author) => plainTitle(string(author, 'name') ?? '', 200));
  return names.filter((name) => name !== '').join(', ') || null;
}

function string(of: Fields, name: string): string | undefined {
  const value = of[name];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function number(of: Fields, name: string): string | undefined {
  const value = of[name];
  return typeof value === 'number' ? String(value) : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const DEEPEST = 100;

/** Brackets within brackets, looked at before anything is built from them. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 34) at = stringEnd(text, at);
    else if (c === 91 || c === 123) {
      if (++depth > DEEPEST) return true;
    } else if (c === 93 || c === 125) depth--;
  }
  return false;
}

function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
