import { isMap, isSeq, parseDocument } from 'yaml';
import { feedAddress } from './feed-address.ts';
import type { FeedEntry } from './opml.ts';

export interface AddedSources {
  /** The whole file, comments and order kept. */
  readonly text: string;
  readonly added: readonly { readonly id: string; readonly url: string }[];
  /** Feeds whose address is there already. */
  readonly known: number;
}

/** Puts feeds into the text of a configuration that passed the check, and into a pipeline's list where one is named. */
export function addSources(text: string, feeds: readonly FeedEntry[], pipeline?: string): AddedSources {
  const document = parseDocument(text);
  const sources = document.get('sources');
  const taken = new Set(isMap(sources) ? sources.items.map((pair) => String(pair.key)) : []);
  const addresses = new Set([...taken].map((id) => feedAddress(document.getIn(['sources', id, 'feed']))));
  const added: { id: string; url: string }[] = [];
  for (const { name, url, folders } of feeds) {
    const address = feedAddress(url);
    if (address === null || addresses.has(address)) continue;
    addresses.add(address);
    const id = freeId(name, url, taken);
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

/** An ID made of the name, or of the host, that no other source has. */
export function freeId(name: string, url: string, taken: ReadonlySet<string>): string {
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
