import { describe, expect, it } from 'vitest';
import { bomb, hostileFeeds } from './feeds.testdata.ts';
import { READ_DEFAULTS, readFeed } from './read-feed.ts';

describe('hostile and broken feeds', () => {
  for (const [name, served, expected] of hostileFeeds) {
    it(`X5 ${name}`, () => {
      const text = served();
      const reading = readFeed(text, { ...READ_DEFAULTS, url: 'https://feeds.example/' });
      expect(reading.outcome === 'feed' ? reading.feed.entries.length : reading.outcome).toBe(expected);
      for (const entry of reading.outcome === 'feed' ? reading.feed.entries : []) {
        expect(entry.title.length).toBeLessThanOrEqual(8_000);
        expect((entry.text ?? '').length).toBeLessThanOrEqual(READ_DEFAULTS.textLimit);
      }
      expect(JSON.stringify(reading)).not.toContain('root:');
    });
  }

  it('X5 a bomb is not expanded', () => {
    const laughs = bomb();
    const reading = readFeed(laughs, { ...READ_DEFAULTS, url: 'https://feeds.example/' });
    expect(JSON.stringify(reading).length).toBeLessThan(2 * laughs.length);
  });
});
