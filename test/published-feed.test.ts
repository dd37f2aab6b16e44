import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import { PARSE_DEFAULTS, parseFeedDocument } from '../src/feeds/parse-feed.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';

describe('a feed of what was published', { timeout: 240_000 }, () => {
  let folder: string;
  let simulator: Simulator;
  let app: App;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-feed-'));
    simulator = await startSimulator();
    const yaml = `
data: ./data
server: { address: "https://news.example" }
network: { allow: ["127.0.0.1"], host_spacing: 0s }
sources:
  outlet: { feed: "${simulator.urls.feeds}/byte-herald/feed.xml" }
  cast: { feed: "${simulator.urls.pages}/cast.xml" }
publishers:
  news: { kind: atom, title: "What we read", entries: 2 }
  episodes: { kind: atom }
pipelines:
  curator:
    kind: curate
    sources: [cast]
    interests: [{ topic: lanterns }]
    min_articles: 1
    first_contact: { newest: 6 }
    publish: [episodes]
  bot: { kind: summarise, sources: [outlet], publish: [news], max_per_run: 20, first_contact: { newest: 6 } }
`;
    const loaded = parseConfig(yaml, join(folder, 'kawaraban.yaml'), {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0' });
  });
  afterEach(async () => {
    await app[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('Q6 carries the enclosures of what was published, with type, length and duration', async () => {
    const page = simulator.feeds.create({ id: 'cast' }).publish({
      title: 'Lanterns of the harbour',
      text: Array.from(
        { length: 6 },
        (_, n) => `Part ${n}: lanterns light the harbour, and lanterns guide the ships.`,
      ),
    });
    simulator.pages.put('/cast.xml', {
      status: 200,
      headers: { 'content-type': 'application/rss+xml' },
      body: `<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Cast</title><item>
        <title>Lanterns of the harbour</title><link>${page}</link><guid>${page}</guid><itunes:duration>48:13</itunes:duration>
        <enclosure url="https://cast.example/1.mp3" type="audio/mpeg" length="46000000"/></item></channel></rss>`,
    });
    const curator = app.pipelines.get('curator');
    await curator?.run(new AbortController().signal);
    const text = (await app.newsroom.feed('episodes')) ?? '';
    const reading = parseFeedDocument(text, {
      ...PARSE_DEFAULTS,
      url: 'https://news.example/feeds/episodes.atom',
    });
    expect(reading).toMatchObject({
      outcome: 'feed',
      feed: {
        entries: [
          {
            title: 'Lanterns of the harbour',
            enclosures: [
              {
                url: 'https://cast.example/1.mp3',
                type: 'audio/mpeg',
                lengthBytes: 46_000_000,
                durationSeconds: 2_893,
              },
            ],
          },
        ],
      },
    });
    expect(text).toContain(
      '<link rel="enclosure" href="https://cast.example/1.mp3" type="audio/mpeg" length="46000000"/>',
    );
  });

  it('is served with what was published, and answers a conditional request with 304', async () => {
    const server = await app.serve(0);
    try {
      const address = `${server.url}/feeds/news.atom`;
      const empty = await fetch(address);
      expect(empty.status).toBe(200);
      const pipeline = app.pipelines.get('bot');
      for (let runs = 0; runs < 4; runs++) await pipeline?.run(new AbortController().signal);
      const response = await fetch(address);
      expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
      const text = await response.text();
      expect(text).toContain(
        'rel="self" type="application/atom+xml" href="https://news.example/feeds/news.atom"',
      );
      const reading = parseFeedDocument(text, { ...PARSE_DEFAULTS, url: address });
      const entries = reading.outcome === 'feed' ? reading.feed.entries : [];
      const published = await pipeline?.ledger.list({ states: ['published'], limit: 50 });
      const urls = published?.items.map(({ url }) => url) ?? [];
      expect(urls.length).toBeGreaterThan(2);
      expect(entries).toHaveLength(2);
      for (const { link } of entries) expect(urls).toContain(link);

      const etag = response.headers.get('etag') ?? '';
      expect(etag).not.toBe(empty.headers.get('etag'));
      const known = await fetch(address, { headers: { 'if-none-match': `"x", W/${etag}` } });
      expect([known.status, await known.text()]).toEqual([304, '']);
      for (const path of ['/feeds/none.atom', '/feeds/timeline.atom', '/feeds/__proto__.atom', '/feeds/news'])
        expect((await fetch(`${server.url}${path}`)).status).toBe(404);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
});
