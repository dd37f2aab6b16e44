import { parseAtomFeed } from 'feedsmith';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../../src/time/duration.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { CHANNELS, parseVideoId, type Video, type VideoKind, videoId } from './video.ts';

interface Listed {
  readonly items?: readonly {
    readonly id: string;
    readonly snippet: Record<string, unknown> & { readonly resourceId?: { readonly videoId: string } };
    readonly contentDetails: Record<string, unknown>;
    readonly liveStreamingDetails?: Record<string, string>;
  }[];
  readonly nextPageToken?: string;
  readonly prevPageToken?: string;
  readonly pageInfo: { readonly totalResults: number };
  readonly error?: {
    readonly code: number;
    readonly errors: readonly { readonly reason: string; readonly domain: string }[];
  };
}

const clock = new ManualClock(Date.UTC(2026, 5, 1, 12));
const [talks] = CHANNELS;
let sim: Simulator;

beforeAll(async () => {
  sim = await startSimulator({ clock, youtube: { quota: 40 } });
});

afterAll(async () => {
  await sim[Symbol.asyncDispose]();
});

async function call(
  method: string,
  query: Record<string, string>,
  key: string | null = sim.youtube.key,
): Promise<Listed & { status: number }> {
  const all = new URLSearchParams({ ...query, ...(key === null ? {} : { key }) });
  const answer = await fetch(`${sim.urls.youtube}/youtube/v3/${method}?${all}`);
  return { ...((await answer.json()) as Listed), status: answer.status };
}

function one(kind: VideoKind): Video {
  const found = CHANNELS.flatMap((channel) => sim.youtube.uploads(channel, clock.now())).find(
    (video) => video.kind === kind,
  );
  if (!found) throw new Error(`no ${kind}`);
  return found;
}

describe('the Data API', () => {
  it('finds channels by handle and ID', async () => {
    for (const forHandle of ['@datatalks', 'DataTalks']) {
      const { items } = await call('channels', { part: 'snippet,contentDetails', forHandle });
      expect(items?.[0]).toMatchObject({
        id: talks?.id,
        contentDetails: { relatedPlaylists: { uploads: talks?.id.replace(/^UC/, 'UU') } },
      });
    }
    expect((await call('channels', { part: 'id', id: `${talks?.id},UCnobody` })).items).toHaveLength(1);
    const none = await call('channels', { part: 'id', forHandle: '@nobody' });
    expect([none.status, none.items, none.pageInfo.totalResults]).toEqual([200, undefined, 0]);
  });

  it('pages through the uploads without repeating or skipping', async () => {
    const playlistId = talks?.id.replace(/^UC/, 'UU') ?? '';
    const first = await call('playlistItems', {
      part: 'snippet,contentDetails',
      playlistId,
      maxResults: '50',
    });
    expect(first.items).toHaveLength(50);
    const second = await call('playlistItems', {
      part: 'snippet',
      playlistId,
      maxResults: '50',
      pageToken: first.nextPageToken ?? '',
    });
    expect(second.prevPageToken).toBeDefined();
    const ids = [...(first.items ?? []), ...(second.items ?? [])].map(
      (item) => item.snippet.resourceId?.videoId,
    );
    expect(new Set(ids).size).toBe(100);
    expect((await call('playlistItems', { part: 'snippet', playlistId })).items).toHaveLength(5);
  });

  it('reports what is wrong with a request', async () => {
    const reason = async (
      method: string,
      query: Record<string, string>,
      key?: string | null,
    ): Promise<unknown[]> => {
      const { status, error } = await call(method, query, key);
      return [status, error?.errors[0]?.reason];
    };
    expect(await reason('playlistItems', { part: 'snippet', playlistId: 'UUnone' })).toEqual([
      404,
      'playlistNotFound',
    ]);
    expect(await reason('playlistItems', { part: 'snippet', playlistId: 'x', maxResults: '51' })).toEqual([
      404,
      'playlistNotFound',
    ]);
    const playlistId = talks?.id.replace(/^UC/, 'UU') ?? '';
    expect(await reason('playlistItems', { part: 'snippet', playlistId, maxResults: '51' })).toEqual([
      400,
      'invalidParameter',
    ]);
    expect(await reason('playlistItems', { part: 'snippet', playlistId, pageToken: 'no' })).toEqual([
      400,
      'invalidPageToken',
    ]);
    expect(await reason('channels', { forHandle: '@datatalks' })).toEqual([400, 'required']);
    expect(await reason('channels', { part: 'id' })).toEqual([400, 'missingRequiredParameter']);
    expect(await reason('channels', { part: 'id' }, null)).toEqual([403, 'forbidden']);
    expect(await reason('channels', { part: 'id' }, 'wrong')).toEqual([400, 'badRequest']);
  });

  it('distinguishes shorts, live streams and premieres by their details', async () => {
    const ids = (['video', 'short', 'live', 'premiere'] as const).map((kind) => one(kind).id);
    const { items } = await call('videos', {
      part: 'snippet,contentDetails,liveStreamingDetails',
      id: [...ids, 'AAAAAAAAAAA'].join(),
    });
    expect(items?.map((item) => item.id)).toEqual(ids);
    expect(items?.[0]?.liveStreamingDetails).toBeUndefined();
    expect(items?.[1]?.contentDetails.duration).toMatch(/^PT\d{2}S$/);
    expect(items?.[2]?.liveStreamingDetails).toHaveProperty('scheduledStartTime');
    expect(items?.[3]?.liveStreamingDetails).toHaveProperty('scheduledStartTime');
  });

  it('lets a premiere wait, then begin, then be a video', async () => {
    const premiere = one('premiere');
    const seen: unknown[] = [];
    for (const at of [premiere.publishedAt + 1, premiere.startsAt + 1, premiere.endsAt + 1]) {
      const then = await startSimulator({ clock: new ManualClock(at) });
      const url = `${then.urls.youtube}/youtube/v3/videos?part=snippet,contentDetails&id=${premiere.id}&key=${then.youtube.key}`;
      const [item] = ((await (await fetch(url)).json()) as Listed).items ?? [];
      seen.push([item?.snippet.liveBroadcastContent, item?.contentDetails.duration === 'P0D']);
      await then[Symbol.asyncDispose]();
    }
    expect(seen).toEqual([
      ['upcoming', true],
      ['live', true],
      ['none', false],
    ]);
  });

  it('counts the quota, refuses beyond it, and resets it the next day', async () => {
    for (let calls = 0; calls < 40 && sim.youtube.quotaUsed(clock.now()) < 40; calls++)
      await call('channels', { part: 'id', forHandle: '@datatalks' });
    const refused = await call('channels', { part: 'id', forHandle: '@datatalks' });
    expect(refused.status).toBe(403);
    expect(refused.error?.errors[0]).toMatchObject({ reason: 'quotaExceeded', domain: 'youtube.quota' });
    clock.jump(DAY);
    expect((await call('channels', { part: 'id', forHandle: '@datatalks' })).status).toBe(200);
  });
});

describe('the website', () => {
  it('has a feed of the latest fifteen videos for each channel', async () => {
    const url = `${sim.urls.youtube}/feeds/videos.xml?channel_id=${talks?.id}`;
    const feed = parseAtomFeed(await (await fetch(url)).text());
    expect(feed.entries).toHaveLength(15);
    expect(feed.entries?.[0]?.id).toMatch(/^yt:video:[\w-]{11}$/);
    const before = feed.entries?.[0]?.id;
    clock.jump(40 * MINUTE);
    expect(parseAtomFeed(await (await fetch(url)).text()).entries?.[1]?.id).toBe(before);
    expect((await fetch(`${sim.urls.youtube}/feeds/videos.xml?channel_id=UCnone`)).status).toBe(404);
  });

  it('leads from a handle to the channel', async () => {
    const page = await (await fetch(`${sim.urls.youtube}/@datatalks`)).text();
    expect(page).toContain(`"externalId":"${talks?.id}"`);
    expect(page).toContain(`/channel/${talks?.id}">`);
    expect((await fetch(`${sim.urls.youtube}/channel/${talks?.id}`)).status).toBe(200);
    expect((await fetch(`${sim.urls.youtube}/@nobody`)).status).toBe(404);
  });

  it('redirects a shorts address of a normal video to the video', async () => {
    const asked = async (video: Video): Promise<number> =>
      (await fetch(`${sim.urls.youtube}/shorts/${video.id}`, { redirect: 'manual' })).status;
    expect(await asked(one('short'))).toBe(200);
    expect(await asked(one('video'))).toBe(303);
    expect((await fetch(`${sim.urls.youtube}/watch?v=${one('video').id}`)).status).toBe(200);
  });
});

describe('video IDs', () => {
  it('are eleven characters that lead back to their video', () => {
    for (const number of [0, 1, 744_444, 2 ** 40]) {
      const id = videoId(1, number);
      expect(id).toMatch(/^[\w-]{11}$/);
      expect(parseVideoId(id)).toEqual({ channel: CHANNELS[1], number });
    }
    expect(parseVideoId('dQw4w9WgXcQ')).toBeNull();
  });
});
