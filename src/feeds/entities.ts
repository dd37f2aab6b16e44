/**
 * Character references as feeds use them: numbers, the five of XML, and the names of HTML 4, which publishers write
 * into XML although it does not know them. What is not a reference stays as it stands: a stray `&` is an ampersand.
 */

const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml';

const GREEK =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi ' +
  'Chi Psi Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi ' +
  'rho sigmaf sigma tau upsilon phi chi psi omega';

const OTHERS =
  'quot 34 amp 38 apos 39 lt 60 gt 62 OElig 338 oelig 339 Scaron 352 scaron 353 Yuml 376 fnof 402 circ 710 tilde 732 ' +
  'thetasym 977 upsih 978 piv 982 ensp 8194 emsp 8195 thinsp 8201 zwnj 8204 zwj 8205 lrm 8206 rlm 8207 ndash 8211 ' +
  'mdash 8212 lsquo 8216 rsquo 8217 sbquo 8218 ldquo 8220 rdquo 8221 bdquo 8222 dagger 8224 Dagger 8225 bull 8226 ' +
  'hellip 8230 permil 8240 prime 8242 Prime 8243 lsaquo 8249 rsaquo 8250 oline 8254 frasl 8260 euro 8364 image 8465 ' +
  'weierp 8472 real 8476 trade 8482 alefsym 8501 larr 8592 uarr 8593 rarr 8594 darr 8595 harr 8596 crarr 8629 ' +
  'lArr 8656 uArr 8657 rArr 8658 dArr 8659 hArr 8660 forall 8704 part 8706 exist 8707 empty 8709 nabla 8711 isin 8712 ' +
  'notin 8713 ni 8715 prod 8719 sum 8721 minus 8722 lowast 8727 radic 8730 prop 8733 infin 8734 ang 8736 and 8743 ' +
  'or 8744 cap 8745 cup 8746 int 8747 there4 8756 sim 8764 cong 8773 asymp 8776 ne 8800 equiv 8801 le 8804 ge 8805 ' +
  'sub 8834 sup 8835 nsub 8836 sube 8838 supe 8839 oplus 8853 otimes 8855 perp 8869 sdot 8901 lceil 8968 rceil 8969 ' +
  'lfloor 8970 rfloor 8971 lang 9001 rang 9002 loz 9674 spades 9824 clubs 9827 hearts 9829 diams 9830';

const NAMES: ReadonlyMap<string, string> = named();

function named(): Map<string, string> {
  const names = new Map<string, string>();
  for (const [i, name] of LATIN_1.split(' ').entries()) names.set(name, String.fromCodePoint(160 + i));
  for (const [i, name] of GREEK.split(' ').entries()) {
    if (name !== '-') names.set(name, String.fromCodePoint(913 + i));
  }
  const others = OTHERS.split(' ');
  for (let i = 0; i + 1 < others.length; i += 2) {
    names.set(others[i] ?? '', String.fromCodePoint(Number(others[i + 1])));
  }
  return names;
}

/** What Windows-1252 has where Unicode has control characters; publishers write `&#146;` and mean an apostrophe. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const MAX_ENTITY_NAME_LENGTH = 32;

/** Entities that a document declares for itself. */
export type DeclaredEntities = ReadonlyMap<string, string>;

/** Replaces every character reference once. Never fails, and never scans further than a reference can be long. */
export function decodeEntities(text: string, declared?: DeclaredEntities): string {
  let at = text.indexOf('&');
  if (at < 0) return text;
  let out = '';
  let from = 0;
  while (at >= 0) {
    const end = referenceEnd(text, at + 1);
    const value = end < 0 ? undefined : referenceValue(text.slice(at + 1, end), declared);
    if (value === undefined) {
      at = text.indexOf('&', at + 1);
      continue;
    }
    out += text.slice(from, at) + value;
    from = end + 1;
    at = text.indexOf('&', from);
  }
  return out + text.slice(from);
}

/** Where the `;` of a reference stands, or -1 if what follows the `&` cannot be one. */
function referenceEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + MAX_ENTITY_NAME_LENGTH + 1);
  for (let i = start; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === 59) return i === start ? -1 : i;
    const word =
      (c >= 48 && c <= 57) ||
      (c >= 65 && c <= 90) ||
      (c >= 97 && c <= 122) ||
      c === 35 ||
      c === 95 ||
      c === 45 ||
      c === 46;
    if (!word) return -1;
  }
  return -1;
}

function referenceValue(name: string, declared: DeclaredEntities | undefined): string | undefined {
  if (name.charCodeAt(0) !== 35) return NAMES.get(name) ?? declared?.get(name);
  const hex = name.charCodeAt(1) === 120 || name.charCodeAt(1) === 88;
  const digits = name.slice(hex ? 2 : 1);
  if (!(hex ? /^[0-9a-f]{1,8}$/i : /^[0-9]{1,9}$/).test(digits)) return undefined;
  return character(Number.parseInt(digits, hex ? 16 : 10));
}

function character(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252.charAt(code - 0x80);
  const text = code !== 9 && code !== 10 && code !== 13 && code < 32;
  if (text || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(code);
}

/** The part of a document type declaration that feeds need: entities that stand for plain text. */
export interface Doctype {
  readonly entities: DeclaredEntities;
  /** Where the document goes on. */
  readonly end: number;
  /** Why the document is not to be read at all, or null. */
  readonly refused: string | null;
}

const MAX_SUBSET_LENGTH = 65_536;
const MAX_ENTITIES = 500;
const MAX_ENTITY_LENGTH = 100;

/**
 * Reads the declaration that begins at `start`. Entities from outside are never fetched and stay unknown. An entity
 * that is made of other entities has no honest use in a feed, so the whole document is refused.
 */
export function parseDoctype(source: string, start: number): Doctype {
  const none = new Map<string, string>();
  const close = source.indexOf('>', start);
  const bracket = source.indexOf('[', start);
  if (close < 0) return { entities: none, end: source.length, refused: null };
  if (bracket < 0 || bracket > close) return { entities: none, end: close + 1, refused: null };
  const subset = source.slice(bracket + 1, bracket + 1 + MAX_SUBSET_LENGTH);
  const end = subsetEnd(subset);
  if (end < 0) {
    const endless = bracket + 1 + MAX_SUBSET_LENGTH < source.length;
    const refused = endless
      ? `a document type declaration longer than ${MAX_SUBSET_LENGTH} characters`
      : null;
    return { entities: none, end: source.length, refused };
  }
  const after = source.indexOf('>', bracket + 1 + end);
  return { ...parseEntities(subset.slice(0, end)), end: after < 0 ? source.length : after + 1 };
}

/** Where the `]` stands that ends the subset: one outside quotes and comments. */
function subsetEnd(subset: string): number {
  let quote = '';
  for (let at = 0; at < subset.length; at++) {
    const c = subset.charAt(at);
    if (quote !== '') {
      if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === ']') return at;
    else if (c === '<' && subset.startsWith('<!--', at)) {
      const close = subset.indexOf('-->', at + 4);
      if (close < 0) return -1;
      at = close + 2;
    }
  }
  return -1;
}

function parseEntities(subset: string): { entities: DeclaredEntities; refused: string | null } {
  const entities = new Map<string, string>();
  const declaration =
    /<!ENTITY\s{1,20}(%\s{1,20})?([\w.-]{1,64})\s{1,20}(?:"([^"]*)"|'([^']*)'|SYSTEM|PUBLIC)/g;
  for (const [, parameter, name = '', double, single] of subset.matchAll(declaration)) {
    const value = double ?? single;
    if (parameter !== undefined || value === undefined || entities.has(name)) continue;
    if (value.length > MAX_ENTITY_LENGTH) return { entities, refused: `the entity ${name} is far too long` };
    const plain = decodeEntities(value);
    if (/&[A-Za-z_][\w.-]*;/.test(plain)) {
      return { entities, refused: `the entity ${name} is made of other entities` };
    }
    if (entities.size >= MAX_ENTITIES) return { entities, refused: `more than ${MAX_ENTITIES} entities` };
    entities.set(name, plain);
  }
  return { entities, refused: null };
}
