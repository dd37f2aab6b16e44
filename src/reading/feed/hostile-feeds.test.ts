import { describe, expect, it } from 'vitest';
import { bomb, hostileFeeds } from './feeds.testdata.ts';
import { READ_DEFAULTS, readFeed } from './read-feed.ts';

describe('hostile and broken feeds', () => {
  for (const [name, served, expected] of hostileFeeds) {
    it(`X5 ${name}`, () => {
      const text = served();
      const used = process.cpuUsage();
      const reading = readFeed(text, { ...READ_DEFAULTS, url: 'https://feeds.example/' });
      // In truth a tenth of it; the rest is for a machine that is busy with other things.
      expect(process.cpuUsage(used).user / 1000).toBeLessThan(10_000);
      expect(reading.outcome === 'feed' ? reading.feed.entries.length : reading.outcome).toBe(expected);
      if (reading.outcome === 'feed') {
        for (const entry of reading.feed.entries) {
          expect(entry.title.length).toBeLessThanOrEqual(8_000);
          expect((entry.text ?? '').length).toBeLessThanOrEqual(READ_DEFAULTS.textLimit);
        }
        expect(JSON.stringify(reading.feed)).not.toContain('root:');
      }
    });
  }

  it('X5 a bomb costs no memory', () => {
    const before = process.memoryUsage().heapUsed;
    const laughs = bomb();
    for (let n = 0; n < 100; n++) readFeed(laughs, { ...READ_DEFAULTS, url: 'https://feeds.example/' });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50 * 1024 * 1024);
  });
});
