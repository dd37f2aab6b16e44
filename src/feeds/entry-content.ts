import { isUtf8 } from 'node:buffer';
import { decodeEntities } from './entities.ts';
import { literalText, plainText, plainTitle } from './plain-text.ts';
import { escapeHtml, textToHtml } from './text-html.ts';
import type { XmlElement } from './xml.ts';

const TAG = /<\/?[a-z][a-z0-9]{0,20}[\s/>]/i;

/**
 * The content of an item as HTML, unsafe as the feed has it; `null` if there is no more than what the excerpt shows.
 * `markup` is HTML in theory; without a tag it is plain text in practice.
 */
export function htmlContent(markup: string | undefined, textLimit: number): string | null {
  if (!markup) return null;
  if (TAG.test(markup) && isMarkup(markup)) return markup;
  return markup.length > textLimit ? textToHtml(decodeEntities(markup)) : null;
}

/** A description that keeps its line ends: of a video, of an episode. */
export function describedContent(markup: string | null): string | null {
  if (!markup) return null;
  return TAG.test(markup) ? markup : textToHtml(decodeEntities(markup));
}

/** The content of an Atom entry. A relative address in it is resolved by a `base` element. */
export function atomContent(
  content: AtomText,
  summary: AtomText,
  base: string | null,
  textLimit: number,
): string | null {
  const html = atomHtml(content, true, textLimit) ?? atomHtml(summary, false, textLimit);
  return html === null ? null : withBase(html, base);
}

/** HTML whose relative addresses are resolved on `base`, if it has one of its own. */
export function withBase(html: string, base: string | null): string {
  return base === null ? html : `<base href="${escapeHtml(base)}">${html}`;
}

function atomHtml({ kind, value }: AtomText, isContent: boolean, textLimit: number): string | null {
  if (value === '') return null;
  switch (kind) {
    case 'text':
      return isContent || value.length > textLimit ? textToHtml(value) : null;
    case 'xhtml':
      return isContent ? xhtml(value) : htmlContent(value, textLimit);
    case 'html':
      return isContent ? value : htmlContent(value, textLimit);
    case 'unknown':
      if (isContent) return isMarkup(value) && TAG.test(value) ? value : textToHtml(decodeEntities(value));
      return htmlContent(value, textLimit);
  }
}

/** A text of Atom by its `type`: plain text, HTML, XHTML as XML, or either of the first two where it has no type. */
export interface AtomText {
  readonly kind: 'text' | 'html' | 'xhtml' | 'unknown';
  readonly value: string;
}

const NO_TEXT: AtomText = { kind: 'text', value: '' };

export function atomText(element: XmlElement | undefined): AtomText {
  if (element === undefined) return NO_TEXT;
  const type = element.attr('type')?.split(';')[0]?.trim().toLowerCase();
  const mode = element.attr('mode')?.trim().toLowerCase();
  if (mode === 'base64') return decoded(element, type);
  if (type === 'xhtml' || (type === 'application/xhtml+xml' && mode !== 'escaped'))
    return { kind: 'xhtml', value: element.xml() };
  // Inline elements of Atom 0.3, whose references are of their own.
  if (type === 'text/html' && mode === 'xml' && element.children.length > 0)
    return { kind: 'xhtml', value: element.xml() };
  if (type === undefined || type === '') return { kind: 'unknown', value: element.markup() };
  if (type === 'text' || type === 'text/plain') return { kind: 'text', value: element.markup() };
  if (type === 'html' || type === 'text/html' || type === 'application/xhtml+xml')
    return { kind: 'html', value: element.markup() };
  // Atom 1.0: what is neither text nor XML is base64.
  if (type.startsWith('text/') || /(?:\/|\+)xml$/.test(type)) return { kind: 'text', value: element.text() };
  return type.includes('/') ? decoded(element, type) : { kind: 'unknown', value: element.markup() };
}

/** Base64 that is text; anything else is no content to read. */
function decoded(element: XmlElement, type: string | undefined): AtomText {
  const written = element.text().replace(/\s+/g, '');
  if (written === '' || !/^[\w+/-]+={0,2}$/.test(written)) return NO_TEXT;
  const bytes = Buffer.from(written, 'base64');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell a file from a text
  if (!isUtf8(bytes) || /[\0-\x08\x0e-\x1f]/.test(bytes.toString())) return NO_TEXT;
  const value = bytes.toString().trim();
  return type === 'text' || type === 'text/plain' ? { kind: 'text', value } : { kind: 'unknown', value };
}

/** The text on one line, at most `limit` characters. */
export function atomPlain({ kind, value }: AtomText, limit: number): string {
  return kind === 'text' ? literalText(value, limit) : markupText(value, limit);
}

/** A title: where its type is stated it is exactly that; otherwise see `plainTitle`. */
export function atomTitle({ kind, value }: AtomText, limit = 500): string {
  if (kind === 'text') return literalText(value, limit);
  return kind === 'unknown' ? plainTitle(value, limit) : markupText(value, limit);
}

/** The text of what is HTML in theory; see `isMarkup`. */
export function markupText(markup: string, limit: number): string {
  return isMarkup(markup) ? plainText(markup, limit) : literalText(markup, limit);
}

/** What only markup has: an end tag, an element without content, an attribute. Code (`unique_ptr<S>`) has none of them. */
const MARKUP_SIGN =
  /<\/[a-z][\w:-]{0,40}\s{0,9}>|<(?:area|br|col|hr|img|input|li|p|source|td|tr|wbr)\s{0,9}\/?>|<[a-z][\w:-]{0,40}\s[^<>]{0,2000}=|<[a-z][\w:-]{0,40}\/>|<!--/i;

/** Whether text that contains `<` is markup: some feeds write plain text where HTML is expected. */
function isMarkup(text: string): boolean {
  return !text.includes('<') || MARKUP_SIGN.test(text);
}

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** XHTML as HTML: without the prefix of its namespace, and with an end tag where XML needs none. */
function xhtml(xml: string): string | null {
  if (xml === '') return null;
  const prefix = /^<([a-z][\w-]{0,20}):div[\s/>]/i.exec(xml)?.[1];
  const plain =
    prefix === undefined ? xml : xml.replaceAll(`<${prefix}:`, '<').replaceAll(`</${prefix}:`, '</');
  return plain.replace(/<([a-z][\w-]{0,20})(\s[^<>]*)?\/>/gi, (tag, name: string, attributes?: string) =>
    VOID.test(name) ? tag : `<${name}${attributes ?? ''}></${name}>`,
  );
}
