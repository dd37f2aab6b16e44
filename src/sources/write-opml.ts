import type { Opml } from 'feedsmith';
import { xmlText } from '../reading/feed/plain-text.ts';
import type { OpmlFeed } from './opml.ts';

export interface WriteOpmlOptions {
  readonly title: string;
  /** Time of writing, where it is to stand in the list. */
  readonly now?: number;
}

/** Writes a list of feeds with its folders as OPML 2.0, which every feed reader takes (X14). */
export async function writeOpml(feeds: readonly OpmlFeed[], options: WriteOpmlOptions): Promise<string> {
  const { generateOpml } = await import('feedsmith');
  const title = xmlText(options.title);
  const outlines = outlinesIn(feeds, 0);
  return generateOpml({
    head: { title, ...(options.now === undefined ? {} : { dateCreated: new Date(options.now) }) },
    // OPML must have an outline; without feeds it is an empty folder.
    body: { outlines: outlines.length > 0 ? outlines : [{ text: title }] },
  });
}

/** What lies in one folder, `depth` levels down: its feeds, and the folders inside it. */
function outlinesIn(feeds: readonly OpmlFeed[], depth: number): Opml.Outline<Date>[] {
  const here = feeds.filter(({ folders }) => folders.length <= depth);
  const deeper = feeds.filter(({ folders }) => folders.length > depth);
  const byFolder = Map.groupBy(deeper, ({ folders }) => xmlText(folders[depth] ?? ''));
  return [
    ...here.map(feedOutline),
    ...[...byFolder].map(([name, inside]) => ({
      text: name,
      title: name,
      outlines: outlinesIn(inside, depth + 1),
    })),
  ];
}

function feedOutline({ title, url, home }: OpmlFeed) {
  const text = xmlText(title) || url;
  return { type: 'rss', text, title: text, xmlUrl: url, ...(home === null ? {} : { htmlUrl: home }) };
}
