import { type Declared, decodeEntities } from './entities.ts';

/** What a document type declaration says, as far as feeds need it: entities that stand for plain text. */
export interface Doctype {
  readonly entities: Declared;
  /** Where the document goes on. */
  readonly end: number;
  /** Why the document is not to be read at all, or null. */
  readonly refused: string | null;
}

const LONGEST_SUBSET = 65_536;
const MOST_ENTITIES = 500;
const LONGEST_VALUE = 100;

/**
 * Reads the declaration that begins at `start`. Entities from outside are never fetched and stay unknown. An entity
 * that is made of other entities has no honest use in a feed, so the whole document is refused.
 */
export function readDoctype(source: string, start: number): Doctype {
  const none = new Map<string, string>();
  const close = source.indexOf('>', start);
  const bracket = source.indexOf('[', start);
  if (close < 0) return { entities: none, end: source.length, refused: null };
  if (bracket < 0 || bracket > close) return { entities: none, end: close + 1, refused: null };
  const subset = source.slice(bracket + 1, bracket + 1 + LONGEST_SUBSET);
  const end = subsetEnd(subset);
  if (end < 0) {
    const endless = bracket + 1 + LONGEST_SUBSET < source.length;
    const refused = endless ? `a document type declaration longer than ${LONGEST_SUBSET} characters` : null;
    return { entities: none, end: source.length, refused };
  }
  const after = source.indexOf('>', bracket + 1 + end);
  return { ...readEntities(subset.slice(0, end)), end: after < 0 ? source.length : after + 1 };
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

function readEntities(subset: string): { entities: Declared; refused: string | null } {
  const entities = new Map<string, string>();
  const declaration =
    /<!ENTITY\s{1,20}(%\s{1,20})?([\w.-]{1,64})\s{1,20}(?:"([^"]*)"|'([^']*)'|SYSTEM|PUBLIC)/g;
  for (const [, parameter, name = '', double, single] of subset.matchAll(declaration)) {
    const value = double ?? single;
    if (parameter !== undefined || value === undefined || entities.has(name)) continue;
    if (value.length > LONGEST_VALUE) return { entities, refused: `the entity ${name} is far too long` };
    const plain = decodeEntities(value);
    if (/&[A-Za-z_][\w.-]*;/.test(plain)) {
      return { entities, refused: `the entity ${name} is made of other entities` };
    }
    if (entities.size >= MOST_ENTITIES) return { entities, refused: `more than ${MOST_ENTITIES} entities` };
    entities.set(name, plain);
  }
  return { entities, refused: null };
}
