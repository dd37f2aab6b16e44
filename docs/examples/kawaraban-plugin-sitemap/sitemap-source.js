import { errorResponseReading, failedFetchReading, itemKey } from 'kawaraban';

/** @import { Clock, PluginServices, Sighting, Source, SourceReading, SourceState } from 'kawaraban' */
/**
 * @typedef {object} SitemapSourceOptions
 * @property {string} id
 * @property {string} name
 * @property {string} url Address of a sitemap.xml.
 * @property {PluginServices['fetcher']} fetcher
 * @property {Clock} clock
 */

/**
 * A site without a feed: its sitemap names every page with the time of its last change.
 *
 * @param {SitemapSourceOptions} options
 * @returns {Source}
 */
export function sitemapSource(options) {
  return {
    id: options.id,
    name: options.name,
    kind: 'sitemap',
    read: (state, signal) => read(options, state, signal),
  };
}

/**
 * @param {SitemapSourceOptions} options
 * @param {SourceState} state
 * @param {AbortSignal} signal
 * @returns {Promise<SourceReading>}
 */
async function read({ id, name, url, fetcher, clock }, state, signal) {
  const headers = typeof state.etag === 'string' ? { 'if-none-match': state.etag } : undefined;
  // The guarded fetcher, with limits, throttling and address check.
  const answer = await fetcher.fetch({ url, maxBytes: 10_000_000, ...(headers && { headers }) }, signal);
  if (answer.outcome === 'failed') return failedFetchReading(answer, signal);
  if (answer.status === 304) return { outcome: 'unchanged', memory: state };
  if (answer.status !== 200) return errorResponseReading(answer);

  const pages = pagesIn(new TextDecoder().decode(answer.body));
  if (pages === null) return { outcome: 'failed', why: 'not_a_feed', detail: 'this is no sitemap' };
  /** @type {Sighting[]} */
  const sightings = [];
  for (const { address, changedAt } of pages) {
    const identified = itemKey(address);
    if (identified.outcome !== 'identified') continue;
    sightings.push({
      key: identified.key,
      url: address,
      title: titleOf(address),
      publishedAt: changedAt ?? clock.now(),
      sourceId: id,
      sourceName: name,
    });
  }
  // The caller stores the state, after the sightings.
  return { outcome: 'read', sightings, memory: { etag: answer.headers.etag ?? null }, warnings: [] };
}

/**
 * @param {string} xml
 * @returns {{ address: string, changedAt: number | null }[] | null}
 */
function pagesIn(xml) {
  if (!/<urlset[\s>]/.test(xml)) return null;
  return [...xml.matchAll(/<url>(.*?)<\/url>/gs)].flatMap(([, page = '']) => {
    const address = /<loc>\s*(.*?)\s*<\/loc>/s.exec(page)?.[1]?.replaceAll('&amp;', '&');
    const changed = Date.parse(/<lastmod>\s*(.*?)\s*<\/lastmod>/s.exec(page)?.[1] ?? '');
    return address === undefined ? [] : [{ address, changedAt: Number.isNaN(changed) ? null : changed }];
  });
}

/**
 * A sitemap has no titles: the last part of the URL is used until the page is read.
 *
 * @param {string} address
 */
function titleOf(address) {
  const last = new URL(address).pathname.split('/').findLast((part) => part !== '');
  return last === undefined ? address : decodeURIComponent(last).replaceAll(/[-_]/g, ' ');
}
