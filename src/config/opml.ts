import { type OpmlOptions, readOpml as readList } from '../sources/opml.ts';
import { writeOpml as writeList } from '../sources/write-opml.ts';
import type { SourceConfig } from './schema/sources.ts';

/** A feed as the configuration names it. */
export interface FeedEntry {
  readonly name: string;
  readonly url: string;
  /** Outermost first. */
  readonly folders: readonly string[];
}

export type OpmlReading =
  | { readonly ok: true; readonly feeds: readonly FeedEntry[]; readonly skipped: number }
  | { readonly ok: false; readonly why: string };

const LONGEST_NAME = 100;

/** The feeds of an OPML file with the folders they lie in, each address once. */
export function readOpml(text: string, options: OpmlOptions = {}): OpmlReading {
  const reading = readList(text, options);
  if (reading.outcome === 'not_opml') {
    return { ok: false, why: 'is no OPML file: feed readers write one with "export subscriptions"' };
  }
  const feeds = reading.feeds.map(({ title, url, folders }) => ({
    name: title.slice(0, LONGEST_NAME),
    url,
    folders: folders.map((folder) => folder.slice(0, LONGEST_NAME).trim()).filter((folder) => folder !== ''),
  }));
  return { ok: true, feeds, skipped: reading.duplicates.length + reading.problems.length };
}

/** The feeds among the sources, as any feed reader takes them (X14). */
export async function writeOpml(sources: readonly SourceConfig[]): Promise<string> {
  const feeds = sources.flatMap((source) => (source.kind === 'feed' ? [source] : []));
  const listed = feeds.map(({ id, name, url, folders = [] }) => ({
    title: name ?? id,
    url,
    home: null,
    folders,
  }));
  return writeList(listed, { title: 'Kawaraban' });
}
