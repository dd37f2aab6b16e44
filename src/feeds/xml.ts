import { type DeclaredEntities, decodeEntities, parseDoctype } from './entities.ts';
import { escapeHtml } from './text-html.ts';
import { closedBy, firstStray, KNOWN_NAMESPACES, misspelt, USUAL_PREFIXES } from './xml-names.ts';

/**
 * A lenient parser of XML as feeds serve it, well-formed or not, in one pass from left to right. Elements are offsets
 * into the document; text is decoded lazily.
 *
 * One parser handles good and broken documents alike, so that an item has the same identity on the day its feed is
 * broken as on the day before. What cannot be a tag is text; a closing tag that nothing opened is skipped; one that
 * closes an outer element closes the inner ones too; the end of the document closes everything.
 *
 * Time is linear in the length by construction: no search runs over the same text twice. Depth and number of elements
 * are limited, entities are never expanded inside entities, and nothing outside the document is ever read.
 */
export function parseXml(source: string, limits: XmlLimits = XML_LIMITS): XmlTree {
  return new XmlReader(source, limits).read();
}

export interface XmlTree {
  /** Stands for the document; the feed's own root is among its children. */
  readonly root: XmlElement;
  /** How many times a tag was missing, misplaced or misspelt. */
  readonly repairs: number;
}

export interface XmlLimits {
  readonly depth: number;
  readonly elements: number;
  readonly repairs: number;
}

export const XML_LIMITS: XmlLimits = { depth: 200, elements: 250_000, repairs: 50_000 };

/** The document is hostile, or too large to tell. */
export class XmlRefusedError extends Error {
  override readonly name = 'XmlRefusedError';
}

/** Maximum characters read of one element. */
export const MAX_CONTENT_LENGTH = 300_000;
/** Maximum children that are taken out of an element that was never closed, so that time stays linear. */
const MAX_STRAYS = 1_000;
/** Maximum characters read of one tag. */
const MAX_TAG_LENGTH = 20_000;

interface XmlDocument {
  readonly source: string;
  entities: DeclaredEntities;
}

export class XmlElement {
  /** In lower case, with the customary prefix of its namespace (`dc:date`), none for RSS and the root's own. */
  readonly name: string;
  readonly children: XmlElement[] = [];
  readonly #document: XmlDocument;
  readonly #attributes: number;
  /** Where the content begins and ends. */
  readonly start: number;
  end: number;

  constructor(document: XmlDocument, name: string, attributes: number, start: number) {
    this.#document = document;
    this.name = name;
    this.#attributes = attributes;
    this.start = start;
    this.end = start;
  }

  /** Where its tag begins. */
  tagStart(): number {
    return this.#document.source.lastIndexOf('<', this.#attributes);
  }

  attr(name: string): string | undefined {
    const end = Math.min(this.start, this.#attributes + MAX_TAG_LENGTH);
    const raw = attributeOf(this.#document.source, this.#attributes, end, name);
    return raw === undefined ? undefined : decodeEntities(raw, this.#document.entities);
  }

  child(name: string): XmlElement | undefined {
    for (const child of this.children) if (child.name === name) return child;
    return undefined;
  }

  all(name: string): XmlElement[] {
    return this.children.filter((child) => child.name === name);
  }

  /** The content with CDATA and references resolved once; tags stay, so what comes out may be markup. */
  markup(): string {
    const { source, entities } = this.#document;
    const stop = Math.min(this.end, this.start + MAX_CONTENT_LENGTH);
    let at = source.indexOf('<', this.start);
    if (at < 0 || at >= stop) return decodeEntities(source.slice(this.start, stop), entities).trim();
    let out = '';
    let from = this.start;
    while (at >= 0 && at < stop) {
      const cdata = source.startsWith('<![CDATA[', at);
      if (!cdata && !source.startsWith('<!--', at)) {
        at = source.indexOf('<', at + 1);
        continue;
      }
      out += decodeEntities(source.slice(from, at), entities);
      const close = source.indexOf(cdata ? ']]>' : '-->', at);
      const end = close < 0 || close > stop ? stop : close;
      if (cdata) out += source.slice(at + 9, end);
      from = Math.min(stop, end + 3);
      at = source.indexOf('<', from);
    }
    return (out + decodeEntities(source.slice(from, stop), entities)).trim();
  }

  /** The content as XML, references included; CDATA becomes text, comments go. */
  xml(): string {
    const { source } = this.#document;
    const stop = Math.min(this.end, this.start + MAX_CONTENT_LENGTH);
    let out = '';
    let from = this.start;
    for (let at = source.indexOf('<!', from); at >= 0 && at < stop; at = source.indexOf('<!', from)) {
      const cdata = source.startsWith('<![CDATA[', at);
      const close = source.indexOf(cdata ? ']]>' : source.startsWith('<!--', at) ? '-->' : '>', at + 2);
      const end = close < 0 || close > stop ? stop : close;
      out += source.slice(from, at);
      if (cdata) out += escapeHtml(source.slice(at + 9, end));
      from = Math.min(stop, end + (cdata || source.startsWith('<!--', at) ? 3 : 1));
    }
    return (out + source.slice(from, stop)).trim();
  }

  /** The content of a field without markup: an address, a date, a name. */
  text(): string {
    const markup = this.markup();
    if (this.children.length === 0) return markup;
    return markup.replace(/<[^<>]*>/g, ' ').trim();
  }
}

class XmlReader {
  readonly #source: string;
  readonly #limits: XmlLimits;
  readonly #document: { source: string; entities: DeclaredEntities };
  readonly #prefixes = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #stack: XmlElement[] = [];
  /** Whether the root is of Atom: then every prefix of that namespace means the root's own. */
  #isAtom = false;
  #elements = 0;
  #repairs = 0;

  constructor(source: string, limits: XmlLimits) {
    this.#source = source;
    this.#limits = limits;
    this.#document = { source, entities: new Map() };
  }

  read(): XmlTree {
    const source = this.#source;
    const root = new XmlElement(this.#document, '#document', 0, 0);
    root.end = source.length;
    this.#stack.push(root);
    let at = source.indexOf('<');
    while (at >= 0) {
      const next = source.charCodeAt(at + 1);
      if (next === 47) at = this.#closing(at);
      else if (next === 33) at = this.#declaration(at);
      else if (next === 63) at = this.#after('>', at + 2);
      else if (isNameStart(next)) at = this.#opening(at);
      else at = this.#stray(at);
      at = source.indexOf('<', at);
    }
    this.#popUnclosed(1, source.length);
    return { root, repairs: this.#repairs };
  }

  /** Records a malformed construct, which is skipped as text. */
  #stray(at: number): number {
    if (++this.#repairs > this.#limits.repairs) throw new XmlRefusedError('broken beyond repair');
    return at + 1;
  }

  #pop(end: number): void {
    const element = this.#stack.pop();
    if (element) element.end = end;
  }

  /** Closes all elements from `level` up, whose closing tags are missing: what is no part of them lies beside them. */
  #popUnclosed(level: number, end: number): void {
    const unclosed = this.#stack.splice(level);
    this.#repairs += unclosed.length;
    for (let i = unclosed.length - 1; i >= 0; i--) {
      const element = unclosed[i];
      const parent = unclosed[i - 1] ?? this.#stack[level - 1];
      if (element === undefined || parent === undefined) continue;
      element.end = end;
      const stray = firstStray(element);
      const first = element.children[stray];
      if (first === undefined || element.children.length > MAX_STRAYS) continue;
      element.end = first.tagStart();
      parent.children.push(...element.children.splice(stray));
    }
  }

  #after(mark: string, from: number): number {
    const found = this.#source.indexOf(mark, from);
    return found < 0 ? this.#source.length : found + mark.length;
  }

  #declaration(at: number): number {
    if (this.#source.startsWith('<!--', at)) return this.#after('-->', at + 4);
    if (this.#source.startsWith('<![CDATA[', at)) return this.#after(']]>', at + 9);
    if (!/^<!doctype/i.test(this.#source.slice(at, at + 9))) return at + 2;
    const doctype = parseDoctype(this.#source, at);
    if (doctype.refused !== null) throw new XmlRefusedError(doctype.refused);
    this.#document.entities = doctype.entities;
    return doctype.end;
  }

  #closing(at: number): number {
    const nameEnd = endOfName(this.#source, at + 2);
    const name = this.#nameOf(this.#source.slice(at + 2, nameEnd));
    const end = tagEnd(this.#source, nameEnd);
    for (let i = this.#stack.length - 1; i > 0; i--) {
      const open = this.#stack[i]?.name;
      if (open === name) {
        if (this.#stack.length - 1 > i) this.#popUnclosed(i + 1, at);
        this.#pop(at);
        return end < 0 ? nameEnd : end;
      }
      if (open === 'item' || open === 'entry') {
        // Nothing inside an item closes what lies outside it, but for the feed itself.
        if (name !== 'channel' && name !== 'rss' && name !== 'feed' && name !== 'rdf:rdf') break;
      }
    }
    this.#stray(at);
    // A field that nothing else can have closed: `<title>…</titel>`.
    if (misspelt(this.#stack, name)) this.#pop(at);
    return end < 0 ? nameEnd : end;
  }

  #opening(at: number): number {
    const source = this.#source;
    const nameEnd = endOfName(source, at + 1);
    const end = tagEnd(source, nameEnd);
    if (end < 0) return this.#stray(at);
    if (++this.#elements > this.#limits.elements) {
      throw new XmlRefusedError(`more than ${this.#limits.elements} elements`);
    }
    this.#declareNamespaces(nameEnd, end);
    if (
      this.#stack.length === 1 &&
      !this.#isAtom &&
      /^(?:[\w.-]+:)?(?:feed|entry)$/i.test(source.slice(at + 1, nameEnd))
    ) {
      this.#isAtom = true;
      this.#names.clear();
    }
    const name = this.#nameOf(source.slice(at + 1, nameEnd));
    let level = this.#stack.length;
    while (level > 1 && closedBy(this.#stack[level - 1], name, level === 2)) level--;
    if (level < this.#stack.length) this.#popUnclosed(level, at);
    const element = new XmlElement(this.#document, name, nameEnd, end);
    this.#stack[this.#stack.length - 1]?.children.push(element);
    if (source.charCodeAt(end - 2) === 47) return end;
    this.#stack.push(element);
    if (this.#stack.length > this.#limits.depth) {
      throw new XmlRefusedError(`elements nested more than ${this.#limits.depth} deep`);
    }
    return end;
  }

  #declareNamespaces(from: number, to: number): void {
    if (to - from < 8) return;
    const attributes = this.#source.slice(from, Math.min(to, from + MAX_TAG_LENGTH));
    if (!attributes.includes('xmlns:')) return;
    for (const declaration of attributes.matchAll(
      /\sxmlns:([\w.-]{1,40})\s{0,9}=\s{0,9}["']([^"'<>]{1,200})["']/g,
    )) {
      const prefix = declaration[1] ?? '';
      const known = KNOWN_NAMESPACES.get((declaration[2] ?? '').trim().toLowerCase().replace(/\/$/, ''));
      if (known === undefined || this.#prefixes.has(prefix)) continue;
      this.#prefixes.set(prefix, known);
      this.#names.clear();
    }
  }

  #prefixOf(written: string): string | undefined {
    return this.#prefixes.get(written) ?? USUAL_PREFIXES.get(written.toLowerCase());
  }

  #nameOf(raw: string): string {
    const cached = this.#names.get(raw);
    if (cached !== undefined) return cached;
    const colon = raw.indexOf(':');
    const known = colon > 0 ? this.#prefixOf(raw.slice(0, colon)) : undefined;
    const prefix = known === 'atom' && this.#isAtom ? '' : known;
    const local = raw.slice(colon + 1);
    const name = (prefix === undefined ? raw : prefix === '' ? local : `${prefix}:${local}`).toLowerCase();
    if (this.#names.size < 2000 && raw.length < 100) this.#names.set(raw, name);
    return name;
  }
}

function isNameStart(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95 || c > 127;
}

function endOfName(source: string, from: number): number {
  let at = from;
  for (; at < source.length; at++) {
    const c = source.charCodeAt(at);
    if (c <= 32 || c === 62 || c === 47 || c === 60 || c === 61 || c === 34 || c === 39) break;
  }
  return at;
}

/**
 * The position after the `>` of a tag whose name ends at `from`, or -1 where a `<` comes first, which makes it text.
 * A `>` inside quotes counts only when the quotes turn out never to close.
 */
function tagEnd(source: string, from: number): number {
  let quote = 0;
  let quoted = -1;
  for (let at = from; at < source.length; at++) {
    const c = source.charCodeAt(at);
    if (c === 60) return quoted < 0 ? -1 : quoted + 1;
    if (quote !== 0) {
      if (c === quote) {
        quote = 0;
        quoted = -1;
      } else if (c === 62 && quoted < 0) quoted = at;
    } else if (c === 62) return at + 1;
    else if ((c === 34 || c === 39) && source.charCodeAt(at - 1) !== 60) quote = c;
  }
  return quoted < 0 ? -1 : quoted + 1;
}

/**
 * The raw value of an attribute in the tag between two offsets, or undefined. Names are compared without regard to
 * case; values without quotes are read up to the next blank; a quote that never closes ends with the tag.
 */
export function attributeOf(source: string, from: number, to: number, wanted: string): string | undefined {
  let at = from;
  while (at < to) {
    at = skipBlanks(source, at, to);
    const nameStart = at;
    while (at < to && !endsName(source.charCodeAt(at))) at++;
    const nameEnd = at;
    at = skipBlanks(source, at, to);
    if (source.charCodeAt(at) !== 61 || at >= to) {
      if (at === nameStart) at++;
      continue;
    }
    at = skipBlanks(source, at + 1, to);
    const quote = source.charCodeAt(at);
    const quoted = quote === 34 || quote === 39;
    const valueStart = quoted ? at + 1 : at;
    at = valueStart;
    while (at < to && !(quoted ? source.charCodeAt(at) === quote : endsBareValue(source.charCodeAt(at))))
      at++;
    const sameLength = nameEnd - nameStart === wanted.length;
    if (sameLength && source.slice(nameStart, nameEnd).toLowerCase() === wanted) {
      return source.slice(valueStart, Math.min(at, to - (at >= to ? 1 : 0)));
    }
    if (quoted) at++;
  }
  return undefined;
}

function skipBlanks(source: string, from: number, to: number): number {
  let at = from;
  while (at < to && source.charCodeAt(at) <= 32) at++;
  return at;
}

/** Blank, `=`, `>`, `/`, quotes. */
function endsName(c: number): boolean {
  return c <= 32 || c === 61 || c === 62 || c === 47 || c === 34 || c === 39;
}

function endsBareValue(c: number): boolean {
  return c <= 32 || c === 62;
}
