import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseFeed } from 'feedsmith';
import { describe, expect, it } from 'vitest';
import { PARSE_DEFAULTS, parseFeedDocument } from './parse-feed.ts';

const folder = join(import.meta.dirname, 'golden');
const wellFormed = readdirSync(folder).filter(
  (file) => file.includes('.in.') && /^(?:rss-2|rss-1|atom-1|atom-y|json-1\.1|feedb|dates)/.test(file),
);

interface Theirs {
  readonly id: string | undefined;
  readonly link: string | undefined;
}

/** The result of the parser library for the same document. */
function theirs(text: string): Theirs[] {
  const parsed = parseFeed(text);
  switch (parsed.format) {
    case 'rss':
      return (parsed.feed.items ?? []).map((item) => ({ id: item.guid?.value, link: item.link }));
    case 'rdf':
      return (parsed.feed.items ?? []).map((item) => ({ id: item.rdf?.about, link: item.link }));
    case 'atom':
      return (parsed.feed.entries ?? []).map((entry) => ({ id: entry.id, link: undefined }));
    case 'json':
      return (parsed.feed.items ?? []).map((item) => ({ id: item.id, link: item.url }));
  }
}

describe('comparison with feedsmith', () => {
  it('covers at least ten feeds', () => expect(wellFormed.length).toBeGreaterThanOrEqual(10));

  for (const file of wellFormed) {
    it(`X5 the parser library finds the same items in ${file}`, () => {
      const text = readFileSync(join(folder, file), 'utf8');
      const reading = parseFeedDocument(text, { ...PARSE_DEFAULTS, url: 'https://feeds.example/feed' });
      if (reading.outcome !== 'feed') throw new Error(reading.outcome);
      const other = theirs(text);
      expect(reading.feed.entries.length).toBe(other.length);
      for (const [index, { id, link }] of other.entries()) {
        const entry = reading.feed.entries[index];
        expect(id === undefined || !entry?.id || entry.id === id, `${entry?.id}, not ${id}`).toBe(true);
        // The library keeps relative addresses, and addresses of a proxy.
        const comparable = link?.startsWith('https://') && file !== 'feedburner.in.xml';
        expect(!comparable || entry?.link === link, `${entry?.link}, not ${link}`).toBe(true);
      }
    });
  }
});
