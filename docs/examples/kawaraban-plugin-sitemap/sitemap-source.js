import type { Fetcher } from '../../src/fetch/fetcher.ts';
import { itemKey } from '../../src/item/identity.ts';
import type { Sighting } from '../../src/item/item.ts';
import { errorResponseReading, failedFetchReading } from '../../src/sources/polling.ts';
import type { Source, SourceReading, SourceState } from '../../src/sources/source.ts';
import type { Clock } from '../../src/time/clock.ts';

export interface SitemapSourceOptions {
  readonly id: string;
  readonly name: string;
  /** Address of a sitemap.xml. */
  readonly url: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
}

/** A site without a feed: its sitemap names every page with the time of its last change. */
export function sitemapSource(options: SitemapSourceOptions): Source {
  return {
    id: options.id,
    name: options.name,
    kind: 'feed',
    read: (memory, signal) => read(options, memory, signal),
  };
}

async function read(
  { id, name, url, fetcher, clock }: SitemapSourceOptions,
  memory: SourceState,
  signal: AbortSignal,
): Promise<SourceReading> {
  const headers = typeof memory.etag === 'string' ? { 'if-none-match': memory.etag } : {};
  // The guarded fetcher, with limits, throttling and address check.
  const answer = await fetcher.fetch({ url, headers, maxBytes: 10_000_000 }, signal);
  if (answer.outcome === 'failed') return failedFetchReading(answer, signal);
  if (answer.status === 304) return { outcome: 'unchanged', memory };
  if (answer.status !== 200) return errorResponseReading(answer);

  const pages = pagesIn(new TextDecoder().decode(answer.body));
  if (pages === null) return { outcome: 'failed', why: 'not_a_feed', detail: 'this is no sitemap' };
  const sightings = pages.flatMap(({ address, changedAt }): Sighting[] => {
    const identified = itemKey(address);
    if (identified.outcome !== 'identified') return [];
    return [
      {
        key: identified.key,
        url: address,
        title: titleOf(address),
        publishedAt: changedAt ?? clock.now(),
        sourceId: id,
        sourceName: name,
      },
    ];
  });
  // The caller stores the state, after the sightings.
  return { outcome: 'read', sightings, memory: { etag: answer.headers.etag ?? null }, warnings: [] };
}

function pagesIn(xml: string): { address: string; changedAt: number | null }[] | null {
  if (!/<urlset[\s>]/.test(xml)) return null;
  return [...xml.matchAll(/<url>(.*?)<\/url>/gs)].flatMap(([, page = '']) => {
    const address = /<loc>\s*(.*?)\s*<\/loc>/s.exec(page)?.[1]?.replaceAll('&amp;', '&');
    const changed = Date.parse(/<lastmod>\s*(.*?)\s*<\/lastmod>/s.exec(page)?.[1] ?? '');
    return address === undefined ? [] : [{ address, changedAt: Number.isNaN(changed) ? null : changed }];
  });
}

/** A sitemap has no titles: the last part of the URL is used until the page is read. */
function titleOf(address: string): string {
  const last = new URL(address).pathname.split('/').findLast((part) => part !== '');
  return last === undefined ? address : decodeURIComponent(last).replaceAll(/[-_]/g, ' ');
}
