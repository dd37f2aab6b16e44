import { decodeEntities } from './entities.ts';
import { escapeHtml, textToHtml } from './text-html.ts';
import type { XmlElement } from './xml.ts';

const TAG = /<\/?[a-z][a-z0-9]{0,20}[\s/>]/i;

/**
 * The content of an item as HTML, unsafe as the feed has it; `null` if there is no more than what the excerpt shows.
 * `markup` is HTML in theory; without a tag it is plain text in practice.
 */
export function htmlContent(markup: string | undefined, textLimit: number): string | null {
  if (!markup) return null;
  if (TAG.test(markup)) return markup;
  return markup.length > textLimit ? textToHtml(decodeEntities(markup)) : null;
}

/** A description that keeps its line ends: of a video, of an episode. */
export function describedContent(markup: string | null): string | null {
  if (!markup) return null;
  return TAG.test(markup) ? markup : textToHtml(decodeEntities(markup));
}

/** The content of an Atom entry, by its `type`. A relative address in it is resolved by a `base` element. */
export function atomContent(
  content: XmlElement | undefined,
  summary: XmlElement | undefined,
  base: string | null,
  textLimit: number,
): string | null {
  const html = atomHtml(content) ?? htmlContent(summary?.markup(), textLimit);
  return html === null || base === null ? html : `<base href="${escapeHtml(base)}">${html}`;
}

function atomHtml(content: XmlElement | undefined): string | null {
  if (content === undefined) return null;
  const type = content.attr('type')?.trim().toLowerCase();
  if (type === 'xhtml' || (type === 'application/xhtml+xml' && content.attr('mode') !== 'escaped'))
    return xhtml(content.xml());
  const markup = content.markup();
  if (markup === '') return null;
  if (type === 'text' || type === 'text/plain') return textToHtml(markup);
  if (type === undefined) return TAG.test(markup) ? markup : textToHtml(decodeEntities(markup));
  return type === 'html' || type === 'text/html' ? markup : null;
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
