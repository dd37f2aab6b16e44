import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFeedLinks } from '../src/feeds/feed.ts';
import { parseOpmlDocument } from '../src/feeds/opml.ts';
import { PARSE_DEFAULTS, parseFeedDocument } from '../src/feeds/parse-feed.ts';
import { decodeText } from '../src/fetch/text-encoding.ts';

const golden = join(import.meta.dirname, '..', 'src', 'feeds', 'golden');

/** Seed inputs: every feed of the golden pairs. */
export const seeds: readonly Uint8Array[] = readdirSync(golden)
  .filter((file) => file.includes('.in.'))
  .map((file) => readFileSync(join(golden, file)));

/** Any bytes have an outcome; what is parsed is bounded, and every address in it is HTTP or HTTPS. */
export function target(data: Uint8Array | string): void {
  const text = typeof data === 'string' ? data : decodeText(data, undefined, { xml: true }).text;
  const url = 'https://feeds.example/feed';
  const reading = parseFeedDocument(text, { ...PARSE_DEFAULTS, url });
  const found = findFeedLinks(text, url).map((feed) => feed.url);
  const opml = parseOpmlDocument(text);
  if (opml.outcome === 'read') found.push(...opml.feeds.map((feed) => feed.url));
  if (reading.outcome === 'feed') {
    const { home, entries } = reading.feed;
    if (entries.length > PARSE_DEFAULTS.entryLimit) throw new Error('more entries than the limit');
    for (const entry of entries) {
      found.push(entry.link ?? url, entry.image ?? url);
      if ((entry.text ?? '').length > PARSE_DEFAULTS.textLimit) throw new Error('a text beyond the limit');
      if (entry.publishedAt !== null && !Number.isSafeInteger(entry.publishedAt))
        throw new Error('a date that is none');
    }
    found.push(home ?? url);
  }
  for (const address of found)
    if (!/^https?:\/\//i.test(address)) throw new Error('an address that is not of the web');
}
