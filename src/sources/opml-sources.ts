import type { SourceConfig } from '../config/schema/sources.ts';
import { type OpmlOptions, parseOpmlDocument, writeOpml } from '../feeds/opml.ts';

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
    name: title.slice(0, MAX_NAME_LENGTH).trim(),
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
