import { decodeEntities } from './entities.ts';

/** Elements whose content is not for reading. */
const SKIPPED_ELEMENTS = /^(?:script|style|template|noscript|iframe|svg|head)$/;
/** Elements that do not part words. Everything else becomes a blank. */
const INLINE =
  /^(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|rb|rp|rt|ruby|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr)$/;
const TITLE_MARKUP =
  /^(?:a|abbr|b|big|blink|br|cite|code|del|em|font|h[1-6]|i|img|ins|kbd|mark|p|q|s|small|span|strike|strong|sub|sup|tt|u|wbr|div)$/;
const VOID = /^(?:br|img|wbr)$/;

/** The text of HTML, on one line, at most `limit` characters. Reads no further than it has to. */
export function plainText(html: string, limit: number): string {
  return tidy(decodeEntities(strip(html, limit * 2)), limit);
}

/** Plain text on one line, at most `limit` characters: what looks like a tag or an entity is text. */
export function literalText(text: string, limit: number): string {
  return tidy(text, limit);
}

/**
 * A title as a person wrote it. Publishers escape titles once, twice or never, with and without markup: a tag goes
 * only if it is a known one that also closes, so that `<b>` in "the <b> tag" stays, and what still looks escaped after
 * the first round was escaped twice.
 */
export function plainTitle(markup: string, limit = 500): string {
  const cut = markup.length > limit * 20 ? markup.slice(0, limit * 20) : markup;
  if (!cut.includes('<') && !cut.includes('&')) return tidy(cut, limit);
  const once = withoutTitleMarkup(cut);
  const twice = decodeEntities(once);
  return tidy(decodeEntities(twice === once ? once : withoutTitleMarkup(twice)), limit);
}

/** Text without the characters that XML 1.0 cannot contain; a writer of XML escapes the rest. */
export function xmlText(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
}

function withoutTitleMarkup(text: string): string {
  if (!text.includes('<')) return text;
  const closed = new Set(
    [...text.matchAll(/<\/([a-z][a-z0-9]{0,9})\s{0,9}>/gi)].map((m) => m[1]?.toLowerCase()),
  );
  return text.replace(
    /<(\/?)([a-z][a-z0-9]{0,9})(?:\s[^<>]{0,2000})?\/?>/gi,
    (tag, _slash: string, name: string) => {
      const known = name.toLowerCase();
      if (!TITLE_MARKUP.test(known) || !(VOID.test(known) || closed.has(known))) return tag;
      return INLINE.test(known) ? '' : ' ';
    },
  );
}

function strip(html: string, enough: number): string {
  let at = html.indexOf('<');
  if (at < 0) return html.length > enough ? html.slice(0, enough) : html;
  let out = html.slice(0, at);
  while (at >= 0 && out.length < enough) {
    const end = html.startsWith('<!--', at) ? after(html, '-->', at + 4) : tagEnd(html, at);
    if (end < 0) {
      const next = html.indexOf('<', at + 1);
      out += html.slice(at, next < 0 ? html.length : next);
      at = next;
      continue;
    }
    const name = tagName(html, at);
    if (!INLINE.test(name)) out += ' ';
    const from =
      SKIPPED_ELEMENTS.test(name) && html.charCodeAt(end - 2) !== 47 ? afterElement(html, name, end) : end;
    at = html.indexOf('<', from);
    out += html.slice(from, at < 0 ? html.length : at);
  }
  return out;
}

/** The position after the tag that begins here, or -1 if it is no tag. */
function tagEnd(html: string, at: number): number {
  const c = html.charCodeAt(at + 1) | 32;
  if (!((c >= 97 && c <= 122) || html.charCodeAt(at + 1) === 47 || html.charCodeAt(at + 1) === 33)) return -1;
  const end = html.indexOf('>', at + 1);
  if (end < 0) return html.length;
  // Nearly every tag is short or ends with a quote.
  if (end - at < 8 || html.charCodeAt(end - 1) === 34) return end + 1;
  return afterValue(html, at, end) ?? end + 1;
}

/** Where a tag ends whose first `>` is part of the value of an attribute. */
function afterValue(html: string, at: number, end: number): number | undefined {
  const tag = html.slice(at, end);
  const value = tag.lastIndexOf('="');
  if (value < 0 || tag.indexOf('"', value + 2) >= 0) return undefined;
  const close = html.slice(end, end + MAX_VALUE_LENGTH).indexOf('"');
  const after = close < 0 ? -1 : html.indexOf('>', end + close);
  return after < 0 ? undefined : after + 1;
}

const MAX_VALUE_LENGTH = 1_000;

function tagName(html: string, at: number): string {
  const from = html.charCodeAt(at + 1) === 47 ? at + 2 : at + 1;
  let end = from;
  while (end < from + 12 && isWord(html.charCodeAt(end))) end++;
  return html.slice(from, end).toLowerCase();
}

function isWord(c: number): boolean {
  return (c >= 48 && c <= 57) || ((c | 32) >= 97 && (c | 32) <= 122);
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

function afterElement(html: string, name: string, from: number): number {
  if (html.charCodeAt(from - 1) !== 62) return from;
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    if (tagName(html, at) === name) return after(html, '>', at);
  }
  // A frame that is never closed hides nothing; a script would.
  return name === 'script' || name === 'style' ? html.length : from;
}

/** One line, without control characters and without half a character at the cut. */
function tidy(text: string, limit: number): string {
  const long = text.length > limit * 4 ? text.slice(0, limit * 4) : text;
  const line = long.replace(UNTIDY, ' ').trim();
  if (line.length <= limit) return line;
  const end = /[\ud800-\udbff]/.test(line.charAt(limit - 1)) ? limit - 1 : limit;
  return line.slice(0, end).trimEnd();
}

/** All but single blanks, which most of a text has and which may stay. */
const UNTIDY =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be removed
  /[\s\u0000-\u001f\u007f-\u009f\u200b\ufffe\uffff]{2,}|[^\S ]|[\u0000-\u001f\u007f-\u009f\u200b\ufffe\uffff]/g;
