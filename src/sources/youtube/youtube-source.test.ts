import { afterEach, describe, expect, it } from 'vitest';
import { loopback, plainFetcher } from '../../fetch/loopback.fixture.ts';
import { DAY, HOUR, MINUTE } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { SourceReading, SourceState } from '../source.ts';
import { YouTubeQuota } from './data-api.ts';
import { CHANNEL, FakeYouTube } from './fake-youtube.fixture.ts';
import { brokenAnswers } from './youtube-responses.testdata.ts';
import { type YouTubeSourceOptions, youtubeSource } from './youtube-source.ts';

const signal = new AbortController().signal;
const START = Date.UTC(2026, 10, 15, 20);

let youtube = new FakeYouTube();
afterEach(async () => {
  await youtube.server?.[Symbol.asyncDispose]();
  youtube = new FakeYouTube();
});

function id(n: number): string {
  return `video${String(n).padStart(6, '0')}`;
}

async function reader(changes: Partial<YouTubeSourceOptions> & { limit?: number; key?: string | null } = {}) {
  const { limit, key = 'secret-key', ...options } = changes;
  const clock = new ManualClock(START);
  const url = await youtube.start();
  const quota = new YouTubeQuota({ clock, ...(limit === undefined ? {} : { limit }) });
  const source = youtubeSource({
    id: 'boats',
    name: 'Boats',
    channel: '@boats',
    fetcher: plainFetcher,
    clock,
    siteUrl: url,
    ...(key === null ? {} : { api: { key, quota, url } }),
    ...options,
  });
  const read = async (state: SourceState = {}): Promise<Extract<SourceReading, { outcome: 'read' }>> => {
    const reading = await source.read(state, signal);
    if (reading.outcome !== 'read') throw new Error(JSON.stringify(reading));
    return reading;
  };
  return { source, clock, quota, read };
}

describe('a channel through the Data API', () => {
  it('D12 reads the uploads playlist for one unit a call, and shows what it used', async () => {
    youtube.videos = [
      { id: id(2), at: START - HOUR, seconds: 600 },
      { id: id(1), at: START - 9 * HOUR, seconds: 600 },
    ];
    const { read, quota } = await reader();
    const first = await read();
    expect(first.sightings).toHaveLength(1);
    expect(first.sightings[0]).toMatchObject({
      key: `${youtube.server?.url}/watch?v=${id(2)}`,
      title: `Video ${id(2)}`,
      foreignId: id(2),
      author: 'Boats',
      video: {
        videoId: id(2),
        channelId: CHANNEL,
        channelTitle: 'Boats',
        kind: 'video',
        durationSeconds: 600,
      },
    });
    expect(youtube.calls).toEqual([
      '/youtube/v3/channels',
      '/youtube/v3/playlistItems',
      '/youtube/v3/videos',
    ]);
    expect(quota.used).toBe(3);
    await read(first.memory);
    expect(quota.used).toBe(5);
  });

  it('X7 the key is in no address and in no state', async () => {
    youtube.videos = [{ id: id(1), at: START, seconds: 600 }];
    const { read } = await reader();
    const reading = await read();
    expect(youtube.server?.requests.join()).not.toContain('secret-key');
    expect(JSON.stringify(reading)).not.toContain('secret-key');
    expect(youtube.keys).toEqual(['secret-key', 'secret-key', 'secret-key']);
  });

  it('D4 looks back two and a half hours, and after a downtime to the last check', async () => {
    const { read, clock } = await reader();
    youtube.videos = [
      { id: id(2), at: START - 2.4 * HOUR, seconds: 600 },
      { id: id(1), at: START - 2.6 * HOUR, seconds: 600 },
    ];
    const first = await read();
    expect(first.sightings.map((s) => s.foreignId)).toEqual([id(2)]);
    await clock.advance(2 * HOUR);
    youtube.videos.unshift({ id: id(3), at: START + MINUTE, seconds: 600 });
    const second = await read(first.memory);
    expect(second.sightings.map((s) => s.foreignId)).toEqual([id(3)]);
    youtube.videos.unshift({ id: id(4), at: START + 3 * HOUR, seconds: 600 });
    await clock.advance(2 * DAY);
    expect((await read(second.memory)).sightings.map((s) => s.foreignId)).toEqual([id(4)]);
  });

  it('D4 a second check of the same window reports the same keys, so that a ledger admits them once', async () => {
    youtube.videos = [{ id: id(1), at: START - HOUR, seconds: 600 }];
    const { read } = await reader();
    const [one, two] = [await read(), await read()];
    expect(one.sightings).toEqual(two.sightings);
  });

  it('D12 pages through a busy channel', async () => {
    youtube.pageSize = 10;
    youtube.videos = Array.from({ length: 45 }, (_, n) => ({
      id: id(n),
      at: START - n * MINUTE,
      seconds: 600,
    }));
    const { read } = await reader();
    expect((await read()).sightings).toHaveLength(45);
    expect(youtube.calls.filter((call) => call.endsWith('playlistItems'))).toHaveLength(5);
  });

  it('a premiere waits, and so does a broadcast that is announced', async () => {
    youtube.videos = [
      { id: id(1), at: START, seconds: 600, live: 'upcoming', startsAt: START + 3 * HOUR },
      { id: id(2), at: START, live: 'upcoming', startsAt: START + 5 * HOUR },
      { id: id(3), at: START, live: 'live' },
      { id: id(5), at: START, seconds: 600, live: 'upcoming' },
    ];
    const { read } = await reader();
    const facts = (await read()).sightings.map(({ video }) => [video?.kind, video?.startsAt]);
    expect(facts).toEqual([
      ['premiere', START + 3 * HOUR],
      ['live', START + 5 * HOUR],
      ['live', undefined],
      ['premiere', START + HOUR],
    ]);
  });

  it('a premiere or a broadcast that is over is a video, with its length as soon as there is one', async () => {
    const { read } = await reader();
    youtube.videos = [
      { id: id(1), at: START, seconds: 600, live: 'upcoming', startsAt: START + HOUR },
      { id: id(2), at: START, live: 'live' },
    ];
    const now = (await read()).sightings.map(({ video }) => [video?.kind, video?.durationSeconds]);
    expect(now).toEqual([
      ['premiere', 600],
      ['live', undefined],
    ]);
    youtube.videos = [
      { id: id(1), at: START, seconds: 600, live: 'ended' },
      { id: id(2), at: START, live: 'ended' },
      { id: id(3), at: START, seconds: 100, live: 'ended' },
    ];
    const later = (await read()).sightings.map(({ video }) => [video?.kind, video?.durationSeconds]);
    expect(later).toEqual([
      ['video', 600],
      ['video', undefined],
      ['video', 100],
    ]);
  });

  it('shorts are distinguished from other brief videos, and can be excluded', async () => {
    youtube.videos = [
      { id: id(1), at: START, seconds: 40, short: true },
      { id: id(2), at: START, seconds: 40 },
      { id: id(3), at: START, seconds: 170, short: true },
    ];
    const { read } = await reader();
    expect((await read()).sightings.map((s) => s.video?.kind)).toEqual(['short', 'video', 'short']);
    await youtube.server?.[Symbol.asyncDispose]();
    const without = await reader({ shorts: false });
    expect((await without.read()).sightings.map((s) => s.foreignId)).toEqual([id(2)]);
  });

  it('leaves out what is private, deleted or vanished', async () => {
    youtube.videos = [
      { id: id(1), at: START, private: true },
      { id: id(2), at: START, seconds: 600 },
    ];
    const { read } = await reader();
    expect((await read()).sightings.map((s) => s.foreignId)).toEqual([id(2)]);
  });
});

describe('quota', () => {
  it('D12 the used quota of failed readings is stored too', async () => {
    const { source } = await reader({ limit: 100 });
    youtube.broken = { status: 500, reason: 'backendError' };
    youtube.feedBroken = true;
    const failed = await source.read({}, signal);
    if (failed.outcome !== 'failed') throw new Error(JSON.stringify(failed));
    expect(failed.spent).toEqual({ quotaDay: '2026-11-15', quotaUsed: 2 });
    await youtube.server?.[Symbol.asyncDispose]();
    const again = await reader({ limit: 100 });
    await again.source.read(failed.spent ?? {}, signal);
    expect(again.quota.used).toBe(4);
  });

  it('D12 stops at the limit and reads the feed instead, until midnight in California', async () => {
    youtube.videos = [{ id: id(1), at: START, seconds: 600 }];
    const { read, quota, clock } = await reader({ limit: 4 });
    const first = await read();
    expect(quota.used).toBe(3);
    const second = await read(first.memory);
    expect(second.warnings.join()).toContain('4 of 4 units');
    expect(second.sightings.map((s) => s.foreignId)).toEqual([id(1)]);
    const before = youtube.calls.length;
    await read(second.memory);
    expect(youtube.calls.slice(before)).toEqual(['/feeds/videos.xml']);
    expect(new Date(quota.resetsAt).toISOString()).toBe('2026-11-16T08:00:00.000Z');
    await clock.advance(quota.resetsAt - clock.now());
    expect(quota.used).toBe(0);
    expect((await read(second.memory)).warnings).toEqual([]);
  });

  it('D12 today’s used quota survives a restart', async () => {
    youtube.videos = [{ id: id(1), at: START, seconds: 600 }];
    const { read } = await reader();
    const { memory } = await read();
    await youtube.server?.[Symbol.asyncDispose]();
    const again = await reader();
    await again.read(memory);
    expect(again.quota.used).toBe(5);
  });

  it('D12 respects Google’s answer that the quota is exhausted', async () => {
    const { source, quota } = await reader();
    youtube.broken = { status: 403, reason: 'quotaExceeded' };
    youtube.feedBroken = true;
    expect(
      await source.read({ channel: '@boats', channelId: CHANNEL, uploads: 'UUx' }, signal),
    ).toMatchObject({ outcome: 'failed', why: 'quota', retryAt: quota.resetsAt });
    expect(quota.isExhausted).toBe(true);
  });

  it('days in California have 23 to 25 hours', () => {
    const clock = new ManualClock(Date.UTC(2026, 10, 1, 7, 30));
    const quota = new YouTubeQuota({ clock });
    // The night that summer time ends: midnight comes 24.5 hours later, not 23.5.
    expect(new Date(quota.resetsAt).toISOString()).toBe('2026-11-02T08:00:00.000Z');
  });
});

describe('a channel without the API', () => {
  it('D12 without a key the channel’s feed is read, its page fetched once', async () => {
    youtube.videos = [
      { id: id(1), at: START - HOUR },
      { id: id(2), at: START - HOUR, short: true },
      { id: id(3), at: START - 5 * HOUR },
    ];
    const { read } = await reader({ key: null });
    const first = await read();
    expect(first.sightings.map((s) => [s.foreignId, s.video?.kind])).toEqual([
      [id(1), undefined],
      [id(2), 'short'],
    ]);
    await read(first.memory);
    expect(youtube.calls).toEqual(['/@boats', '/feeds/videos.xml', '/feeds/videos.xml']);
  });

  for (const [status, reason] of [
    [400, 'keyInvalid'],
    [403, 'accessNotConfigured'],
    [500, 'backendError'],
    [503, 'backendError'],
    [404, 'playlistNotFound'],
    [429, 'rateLimitExceeded'],
  ] as const) {
    it(`D12 the API fails with ${status} ${reason}: the feed is read, with a warning`, async () => {
      youtube.videos = [{ id: id(1), at: START }];
      const { read } = await reader();
      youtube.broken = { status, reason };
      const reading = await read();
      expect(reading.sightings).toHaveLength(1);
      expect(reading.warnings.join()).toContain('feed was read instead');
    });
  }

  it('reports the API’s error when the feed fails too', async () => {
    const { source } = await reader({ channel: CHANNEL });
    youtube.broken = { status: 400, reason: 'keyInvalid' };
    youtube.feedBroken = true;
    expect(await source.read({}, signal)).toMatchObject({ outcome: 'failed', why: 'forbidden' });
  });

  it('an unknown channel is not found, with and without a key', async () => {
    const { source } = await reader({ channel: '@nobody-at-all' });
    expect(await source.read({}, signal)).toMatchObject({ outcome: 'failed', why: 'not_found' });
    await youtube.server?.[Symbol.asyncDispose]();
    const keyless = await reader({ channel: '@nobody-at-all', key: null });
    expect(await keyless.source.read({}, signal)).toMatchObject({ outcome: 'failed', why: 'not_found' });
  });

  for (const channel of [
    '@boats',
    CHANNEL,
    `https://www.youtube.com/channel/${CHANNEL}/videos`,
    'https://youtube.com/@boats/featured',
    'https://www.youtube.com/c/Boats',
    'https://www.youtube.com/user/boats',
    'youtube.com/Boats',
    `https://www.youtube.com/feeds/videos.xml?channel_id=${CHANNEL}`,
    'm.youtube.com/@boats?si=x',
  ]) {
    it(`D12 a channel may be written ${channel}`, async () => {
      youtube.videos = [{ id: id(1), at: START }];
      const { read } = await reader({ key: null, channel });
      expect((await read()).memory.channelId).toBe(CHANNEL);
      await youtube.server?.[Symbol.asyncDispose]();
      const keyed = await reader({ channel });
      expect((await keyed.read()).memory.channelId).toBe(CHANNEL);
    });
  }

  for (const channel of [
    '',
    'boats',
    'https://example.org/x',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://www.youtube.com/channel/UCshort',
    'ftp://youtube.com/@boats',
  ]) {
    it(`refuses ${JSON.stringify(channel)} at once`, async () => {
      await expect(reader({ channel })).rejects.toThrow('not a YouTube channel');
    });
  }
});

describe('unexpected responses', () => {
  for (const [name, body, expected] of brokenAnswers) {
    it(`E14 ${name} breaks nothing`, async () => {
      const server = await loopback(
        (request, response) =>
          void response.end(request.url?.startsWith('/youtube') ? body : 'no feed either'),
      );
      try {
        const clock = new ManualClock(START);
        const api = { key: 'k', quota: new YouTubeQuota({ clock }), url: server.url };
        const source = youtubeSource({
          id: 'x',
          name: 'X',
          channel: CHANNEL,
          fetcher: plainFetcher,
          clock,
          siteUrl: server.url,
          api,
        });
        const reading = await source.read({ channel: CHANNEL, channelId: CHANNEL, uploads: 'UUx' }, signal);
        expect(reading).toMatchObject(expected);
      } finally {
        await server[Symbol.asyncDispose]();
      }
    });
  }
});
