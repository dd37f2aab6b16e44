import { isElement, isText, type PageNode, walk } from './page-node.ts';

const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr li main nav ol p pre section summary table tbody tfoot thead tr ul'
  ).split(' '),
);
/** Blocks that stand closer together than paragraphs. */
const LINES: ReadonlySet<string> = new Set(['li', 'tr', 'dt', 'dd']);
const UNSEEN: ReadonlySet<string> = new Set(
  'script style noscript template svg math iframe object embed canvas audio video button input select textarea head rt rp'.split(
    ' ',
  ),
);

/**
 * The text of a part of a page as a person would copy it: paragraphs separated by blank lines, list items and table
 * rows by line ends. Readings above Japanese characters (ruby) are left out, so that words stay whole.
 */
export function textOf(root: PageNode, skips: (name: string) => boolean = () => false): string {
  const paragraphs: string[] = [];
  let current = '';
  let preformatted = 0;
  const end = (): void => {
    const text = preformatted > 0 ? current.replace(/[ \t]+$/gm, '') : tidy(current);
    if (text.trim() !== '') paragraphs.push(text.trim());
    current = '';
  };
  walk(
    root,
    (node) => {
      if (isText(node)) {
        const text = node.textContent ?? '';
        current += preformatted > 0 ? text : text.replace(/[\t\n\f\r ]+/g, ' ');
        return 'past';
      }
      if (!isElement(node)) return node === root ? 'inside' : 'past';
      const name = node.localName;
      if (UNSEEN.has(name) || skips(name)) return 'past';
      if (name === 'br') current += '\n';
      else if (LINES.has(name)) current += '\n';
      else if (name === 'td' || name === 'th') current += ' ';
      else if (BLOCKS.has(name)) end();
      if (name === 'pre') preformatted++;
      return 'inside';
    },
    (element) => {
      if (LINES.has(element.localName)) current += '\n';
      else if (BLOCKS.has(element.localName) && !UNSEEN.has(element.localName)) end();
      if (element.localName === 'pre' && preformatted > 0) preformatted--;
    },
  );
  end();
  return paragraphs.join('\n\n');
}

/** How much of a text is links: a menu is nearly all of it. */
export function linkShare(root: PageNode): number {
  let all = 0;
  let linked = 0;
  let links = 0;
  walk(
    root,
    (node) => {
      if (isText(node)) {
        const size = (node.textContent ?? '').trim().length;
        all += size;
        if (links > 0) linked += size;
      } else if (isElement(node)) {
        if (UNSEEN.has(node.localName)) return 'past';
        if (node.localName === 'a') links++;
      }
      return 'inside';
    },
    (element) => {
      if (element.localName === 'a') links--;
    },
  );
  return all === 0 ? 0 : linked / all;
}

function tidy(text: string): string {
  return text
    .replace(/\u00ad|\u200b|\ufeff/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}

/** Beyond this nobody asks for the exact amount. */
const CLEARLY_MUCH = 20_000;
/** So many characters are looked at, all over the page, to tell its script. */
const LOOKED_AT = 40_000;

/**
 * How much a text says, in Latin letters: a character of Japanese, Chinese or Korean says about as much as two and a
 * half of them.
 */
export function substance(text: string): number {
  let dense = 0;
  const end = Math.min(text.length, CLEARLY_MUCH);
  for (let index = 0; index < end; index++) if (isDense(text.charCodeAt(index))) dense++;
  return text.length + dense * 1.5;
}

/** Whether a text is written mostly without spaces between words. */
export function isDenseScript(text: string): boolean {
  let dense = 0;
  let letters = 0;
  const step = Math.max(1, Math.floor(text.length / LOOKED_AT));
  for (let index = 0; index < text.length; index += step) {
    const code = text.charCodeAt(index);
    if (isDense(code)) dense++;
    else if (code > 0x40) letters++;
  }
  // Markup is Latin letters, so a small share of the source is a large share of the text.
  return dense * step > 50 && dense > letters * 0.05;
}

function isDense(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af)
  );
}
