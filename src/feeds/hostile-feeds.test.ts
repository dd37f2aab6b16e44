import { describe, expect, it } from 'vitest';
import { bomb, hostileFeeds } from './hostile-feeds.testdata.ts';
import { PARSE_DEFAULTS, parseFeedDocument } from './parse-feed.ts';

describe('hostile and broken feeds', () => {
  for (const [name, served, expected] of hostileFeeds) {
    it(`X5 ${name}`, () => {
      const text = served();
      const reading = parseFeedDocument(text, { ...PARSE_DEFAULTS, url: 'https://feeds.example/' });
      expect(reading.outcome === 'feed' ? reading.feed.entries.length : reading.outcome).toBe(expected);
      for (const entry of reading.outcome === 'feed' ? reading.feed.entries : []) {
        expect(entry.title.length).toBeLessThanOrEqual(8_000);
        expect((entry.text ?? '').length).toBeLessThanOrEqual(PARSE_DEFAULTS.textLimit);
      }
      expect(JSON.stringify(reading)).not.toContain('root:');
    });
  }

  it('X5 a bomb is not expanded', () => {
    const laughs = bomb();
    const reading = parseFeedDocument(laughs, { ...PARSE_DEFAULTS, url: 'https://feeds.example/' });
    expect(JSON.stringify(reading).length).toBeLessThan(2 * laughs.length);
  });
});
