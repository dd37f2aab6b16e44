import { generateOpml, parseOpml } from 'feedsmith';
import type { SourceConfig } from './schema/sources.ts';

/** A feed as feed readers exchange it. */
export interface FeedEntry {
  readonly name: string;
  readonly url: string;
}

export type OpmlReading =
  | { readonly ok: true; readonly feeds: readonly FeedEntry[]; readonly skipped: number }
  | { readonly ok: false; readonly why: string };

interface Outline {
  readonly text?: string | undefined;
  readonly title?: string | undefined;
  readonly xmlUrl?: string | undefined;
  readonly outlines?: readonly Outline[] | undefined;
}

/** The feeds of an OPML file, whatever folders they lie in, each address once. */
export function readOpml(text: string): OpmlReading {
  let outlines: readonly Outline[];
  try {
    outlines = (parseOpml(text).body?.outlines ?? []) as readonly Outline[];
  } catch {
    return { ok: false, why: 'is no OPML file: feed readers write one with "export subscriptions"' };
  }
  const found = flat(outlines).filter((outline) => (outline.xmlUrl ?? '') !== '');
  const feeds = new Map<string, FeedEntry>();
  for (const { xmlUrl = '', text: words, title } of found) {
    const url = URL.parse(xmlUrl.trim());
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      continue;
    if (!feeds.has(url.href))
      feeds.set(url.href, {
        name: (title ?? words ?? url.host).trim().slice(0, 100) || url.host,
        url: url.href,
      });
  }
  return { ok: true, feeds: [...feeds.values()], skipped: found.length - feeds.size };
}

function flat(outlines: readonly Outline[]): Outline[] {
  return outlines.flatMap((outline) => [outline, ...flat(outline.outlines ?? [])]);
}

/** The feeds among the sources, as any feed reader takes them (X14). */
export function writeOpml(sources: readonly SourceConfig[]): string {
  const feeds = sources.flatMap((source) => (source.kind === 'feed' ? [source] : []));
  return generateOpml({
    head: { title: 'Kawaraban' },
    body: {
      outlines: feeds.map(({ id, name, url }) => ({
        text: name ?? id,
        title: name ?? id,
        type: 'rss',
        xmlUrl: url,
      })),
    },
  });
}
