import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml';
import { type OpmlOptions, parseOpmlDocument, writeOpml } from '../feeds/opml.ts';
import type { SourceConfig } from './schema/sources.ts';

/** A source as written in the file: `{ feed: … }`, `{ youtube: … }` or `{ hackernews: … }`, and more. */
export type SourceFields = Readonly<Record<string, unknown>>;

/** A range of the text and its replacement. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly put: string;
}

/**
 * Adds a source to the text of a valid configuration, and to the lists of pipelines. Like all edits here it changes only the lines
 * that it must and keeps comments, order and layout of everything else.
 */
export function addSource(
  text: string,
  id: string,
  fields: SourceFields,
  pipelines: readonly string[],
): string {
  const document = parseDocument(text);
  const splices = [
    ...additionTo(text, document.get('sources', true), id, `${id}: ${flow(fields)}`),
    ...pipelines.flatMap((pipeline) => listAddition(text, listOf(document, pipeline), id)),
  ];
  const node = document.createNode(fields);
  if (isMap(node)) node.flow = true;
  if (!isMap(document.get('sources', true))) document.set('sources', document.createNode({}));
  document.setIn(['sources', id], node);
  for (const pipeline of pipelines) {
    const list = listOf(document, pipeline);
    if (isSeq(list)) list.add(document.createNode(id));
  }
  return edited(text, splices, document);
}

/** Removes a source, also from the list of every pipeline that follows it. */
export function removeSource(text: string, id: string): string {
  const document = parseDocument(text);
  const splices: Splice[] = [];
  const sources = document.get('sources', true);
  if (isMap(sources)) splices.push(...removal(text, sources.items, named(sources.items, id), sources.flow));
  const pipelines = document.get('pipelines', true);
  const lists = isMap(pipelines) ? pipelines.items.map(({ key }) => listOf(document, String(key))) : [];
  for (const list of lists) {
    if (!isSeq(list)) continue;
    const at = list.items.findIndex((item) => isScalar(item) && item.value === id);
    if (at < 0) continue;
    splices.push(...removal(text, list.items, at, list.flow));
    list.items.splice(at, 1);
  }
  document.deleteIn(['sources', id]);
  return edited(text, splices, document);
}

/** Enables or disables a source. */
export function switchSource(text: string, id: string, on: boolean): string {
  const document = parseDocument(text);
  const source = document.getIn(['sources', id], true);
  const splices: Splice[] = [];
  if (isMap(source)) {
    const present = source.get('enabled', true);
    const [first] = source.items;
    const start = first === undefined ? null : startOf(first);
    if (present?.range) splices.push({ from: present.range[0], to: present.range[1], put: String(on) });
    else if (start !== null) {
      const between = source.flow === true ? ', ' : `\n${' '.repeat(start - lineStart(text, start))}`;
      splices.push({ from: start, to: start, put: `enabled: ${on}${between}` });
    }
  }
  document.setIn(['sources', id, 'enabled'], on);
  return edited(text, splices, document);
}

/** Applies the splices. If they do not result in the wanted document, it is serialised again: comments are kept, layout is not. */
function edited(text: string, splices: readonly Splice[], wanted: Document): string {
  let result = text;
  for (const { from, to, put } of splices.toSorted((a, b) => b.from - a.from))
    result = result.slice(0, from) + put + result.slice(to);
  const reached = parseDocument(result);
  if (reached.errors.length === 0 && isDeepStrictEqual(reached.toJS(), wanted.toJS())) return result;
  return wanted.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function additionTo(text: string, sources: unknown, id: string, entry: string): Splice[] {
  if (sources === undefined) {
    const put = `${text === '' || text.endsWith('\n') ? '' : '\n'}\nsources:\n  ${entry}\n`;
    return [{ from: text.length, to: text.length, put }];
  }
  if (!isMap(sources) || named(sources.items, id) >= 0) return [];
  const [first, last] = [sources.items[0], sources.items.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [after(text, first, last, entry, sources.flow)];
}

function listAddition(text: string, list: unknown, id: string): Splice[] {
  if (!isSeq(list)) return [];
  const [first, last] = [list.items[0] as Node | undefined, list.items.at(-1) as Node | undefined];
  if (first === undefined || last === undefined) return [];
  return [after(text, first, last, id, list.flow, '- ')];
}

/** Inserts an entry after the last, in the same column. */
function after(
  text: string,
  first: Node | Pair,
  last: Node | Pair,
  entry: string,
  inFlow: boolean | undefined,
  dash = '',
): Splice {
  const end = endOf(last);
  if (inFlow === true) return { from: end, to: end, put: `, ${entry}` };
  const at = lineEnd(text, end);
  const start = startOf(first) ?? 0;
  const column = start - lineStart(text, start) - dash.length;
  return { from: at, to: at, put: `\n${' '.repeat(Math.max(0, column))}${dash}${entry}` };
}

function removal(
  text: string,
  items: readonly unknown[],
  index: number,
  inFlow: boolean | undefined,
): Splice[] {
  const item = items[index] as Node | Pair | undefined;
  const start = item === undefined ? null : startOf(item);
  if (item === undefined || start === null) return [];
  const end = endOf(item);
  if (inFlow !== true) {
    return [{ from: lineStart(text, start), to: Math.min(text.length, lineEnd(text, end) + 1), put: '' }];
  }
  const next = items[index + 1] as Node | Pair | undefined;
  const before = items[index - 1] as Node | Pair | undefined;
  if (next !== undefined) return [{ from: start, to: startOf(next) ?? end, put: '' }];
  return [{ from: before === undefined ? start : endOf(before), to: end, put: '' }];
}

function named(items: readonly Pair[], id: string): number {
  return items.findIndex(({ key }) => isScalar(key) && String(key.value) === id);
}

function listOf(document: Document, pipeline: string): unknown {
  return document.getIn(['pipelines', pipeline, 'sources'], true);
}

function startOf(node: Node | Pair): number | null {
  return (isPair(node) ? (node.key as Node | null)?.range?.[0] : node.range?.[0]) ?? null;
}

/** End of the last node inside. A block's own end would include the comments that follow it. */
function endOf(node: unknown): number {
  if (isPair(node)) return node.value === null ? endOf(node.key) : endOf(node.value);
  if ((isMap(node) || isSeq(node)) && node.flow !== true && node.items.length > 0)
    return endOf(node.items.at(-1));
  return (node as Node).range?.[1] ?? 0;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

/** `{ feed: "https://…", name: "…" }`: JSON's strings are YAML's. */
function flow(fields: SourceFields): string {
  const pairs = Object.entries(fields).map(([key, value]) => `${key}: ${flowValue(value)}`);
  return `{ ${pairs.join(', ')} }`;
}

function flowValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? flow(value as SourceFields) : JSON.stringify(value);
}

export interface AddedSources {
  /** The whole file, comments and order kept. */
  readonly text: string;
  readonly added: readonly { readonly id: string; readonly url: string }[];
  /** Feeds whose URL was there already. */
  readonly known: number;
}

/** Adds feeds to the text of a valid configuration, and to the list of a pipeline if one is named. */
export function addSources(text: string, feeds: readonly OpmlSource[], pipeline?: string): AddedSources {
  const document = parseDocument(text);
  const sources = document.get('sources');
  const taken = new Set(isMap(sources) ? sources.items.map((pair) => String(pair.key)) : []);
  const addresses = new Set(
    [...taken].map((id) => normaliseFeedUrl(document.getIn(['sources', id, 'feed']))),
  );
  const added: { id: string; url: string }[] = [];
  for (const { name, url, folders } of feeds) {
    const address = normaliseFeedUrl(url);
    if (address === null || addresses.has(address)) continue;
    addresses.add(address);
    const id = uniqueSourceId(name, url, taken);
    taken.add(id);
    document.setIn(
      ['sources', id],
      document.createNode({ feed: url, name, ...(folders.length > 0 && { folders }) }),
    );
    if (pipeline !== undefined) append(document.getIn(['pipelines', pipeline, 'sources']), id);
    added.push({ id, url });
  }
  return { text: document.toString({ lineWidth: 0 }), added, known: feeds.length - added.length };
}

function append(list: unknown, id: string): void {
  if (isSeq(list)) list.add(id);
}

/** A unique ID, derived from the name or the host. */
export function uniqueSourceId(name: string, url: string, taken: ReadonlySet<string>): string {
  const base = slug(name) || slug(URL.parse(url)?.host ?? '') || 'feed';
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(id)) return id;
  }
}

function slug(words: string): string {
  return words
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-$/, '');
}

/** Canonical form of a feed's URL, for comparison; `null` if it is no URL. */
export function normaliseFeedUrl(written: unknown): string | null {
  const url = typeof written === 'string' ? URL.parse(written) : null;
  return url === null ? null : `${url.host}${url.pathname.replace(/\/$/, '')}${url.search}`;
}

/** A feed to import. */
export interface OpmlSource {
  readonly name: string;
  readonly url: string;
  /** Outermost first. */
  readonly folders: readonly string[];
}

export type OpmlSources =
  | { readonly ok: true; readonly feeds: readonly OpmlSource[]; readonly skipped: number }
  | { readonly ok: false; readonly why: string };

const MAX_NAME_LENGTH = 100;

/** Feeds of an OPML file with their folders, each URL once. */
export function readOpmlSources(text: string, options: OpmlOptions = {}): OpmlSources {
  const reading = parseOpmlDocument(text, options);
  if (reading.outcome === 'not_opml') {
    return { ok: false, why: 'is no OPML file: feed readers write one with "export subscriptions"' };
  }
  const feeds = reading.feeds.map(({ title, url, folders }) => ({
    name: title.slice(0, MAX_NAME_LENGTH),
    url,
    folders: folders
      .map((folder) => folder.slice(0, MAX_NAME_LENGTH).trim())
      .filter((folder) => folder !== ''),
  }));
  return { ok: true, feeds, skipped: reading.duplicates.length + reading.problems.length };
}

/** The feeds among the sources as OPML, for feed readers (X14). */
export async function writeOpmlSources(sources: readonly SourceConfig[]): Promise<string> {
  const feeds = sources.flatMap((source) => (source.kind === 'feed' ? [source] : []));
  const listed = feeds.map(({ id, name, url, folders = [] }) => ({
    title: name ?? id,
    url,
    home: null,
    folders,
  }));
  return writeOpml(listed, { title: 'Kawaraban' });
}
