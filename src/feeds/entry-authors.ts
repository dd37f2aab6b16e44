import { plainTitle } from './plain-text.ts';
import type { XmlElement } from './xml.ts';

const MAX_NAMES_LENGTH = 200;

/** Elements that name the author of an item of RSS, the most telling first. */
const OF_RSS_ITEM = ['dc:creator', 'author', 'atom:author', 'itunes:author', 'media:credit', 'dc:author'];
const OF_ATOM_ENTRY = ['author', 'dc:creator', 'itunes:author', 'media:credit'];
/** Those of a channel also name an editor or an owner. */
const OF_CHANNEL = [
  'dc:creator',
  'author',
  'atom:author',
  'itunes:author',
  'managingeditor',
  'dc:publisher',
  'itunes:owner',
];

export function rssAuthors(item: XmlElement): string | null {
  return authorsOf(item, OF_RSS_ITEM);
}

export function atomAuthors(entry: XmlElement | undefined): string | null {
  return entry === undefined ? null : authorsOf(entry, OF_ATOM_ENTRY);
}

export function channelAuthors(channel: XmlElement): string | null {
  return authorsOf(channel, OF_CHANNEL);
}

/** Everybody whom the first of these elements names, each once. */
function authorsOf(place: XmlElement, elements: readonly string[]): string | null {
  for (const element of elements) {
    const first = place.child(element);
    if (first === undefined) continue;
    const last = place.children.findLast(({ name }) => name === element);
    const names = first === last ? [personOf(first)] : place.all(element).map(personOf);
    const found = joinNames(names);
    if (found !== null) return found;
  }
  return null;
}

/** A person as text, or as an object with a name, an address of mail or one of the web, however deep. */
function personOf(person: XmlElement): string {
  if (person.children.length === 0) return personName(person.markup());
  for (const part of [/^(?:.*:)?name$/, /^(?:.*:)?email$/, /^(?:.*:)?(?:uri|url)$/]) {
    const found = descendant(person, part);
    const name = found === undefined ? '' : personName(found.markup());
    if (name !== '') return name;
  }
  return personName(person.text());
}

function descendant(place: XmlElement, name: RegExp): XmlElement | undefined {
  for (const child of place.children) {
    const found = name.test(child.name) ? child : descendant(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `mail@example.org (Name)`, `Name (mail@example.org)` and `Name <mail@example.org>` are a name; an address alone is better than nothing. */
export function personName(markup: string): string {
  if (!markup.includes('@') && !markup.includes('(')) return plainTitle(markup, MAX_NAMES_LENGTH);
  const text = plainTitle(markup.replace(/<(?:mailto:)?([^\s@<>]+@[^\s@<>]+)>/i, '($1)'), MAX_NAMES_LENGTH);
  const [, before = '', inBrackets = ''] = /^(.*?)\s*\(([^()]*)\)$/.exec(text) ?? [];
  if (isMailAddress(inBrackets) || inBrackets === '') return before || inBrackets || text;
  return isMailAddress(before) ? inBrackets.trim() || before : text;
}

function isMailAddress(text: string): boolean {
  return /^(?:mailto:)?[^\s@]+@[^\s@]+$/i.test(text.trim());
}

/** Each name once. */
export function joinNames(names: readonly string[]): string | null {
  if (names.length === 1) return names[0] || null;
  return [...new Set(names.filter((name) => name !== ''))].join(', ').slice(0, MAX_NAMES_LENGTH) || null;
}
