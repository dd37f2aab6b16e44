import { createHash } from 'node:crypto';
import type { Ask, Reply } from '../net/exchange.ts';
import { json } from '../net/reply.ts';
import {
  invalidPageToken,
  invalidParameter,
  missingParameter,
  noFilter,
  playlistNotFound,
  unknownMethod,
} from './errors.ts';
import { CHANNELS, type Video, type VideoChannel } from './video.ts';

/** Data source of the API. */
export interface Library {
  /** How many videos each channel shows. */
  readonly uploadCount: number;
  /** Address of the picture of a channel. */
  pictureOf(channel: VideoChannel): string;
  /** The videos that the channel shows now, newest first; `count` of them beginning at `from`. */
  uploads(channel: VideoChannel, now: number, from?: number, count?: number): readonly Video[];
  find(id: string, now: number): Video | null;
}

/** One call of the Data API v3, for a caller with a valid key. */
export function dataApi(ask: Ask, method: string, library: Library): Reply {
  if (!ask.query.get('part')) return missingParameter('part');
  switch (method) {
    case 'channels':
      return channels(ask, library);
    case 'playlistItems':
      return playlistItems(ask, library);
    case 'videos':
      return videos(ask, library);
    default:
      return unknownMethod();
  }
}

export function uploadsPlaylist(channel: VideoChannel): string {
  return `UU${channel.id.slice(2)}`;
}

function list(kind: string, items: readonly object[], more: object = {}): Reply {
  const body = { kind: `youtube#${kind}`, ...more, ...(items.length > 0 ? { items } : {}) };
  return json({ ...body, etag: etag(body) });
}

function etag(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('base64url').slice(0, 27);
}

/** Only the requested parts. */
function parts(ask: Ask, all: Readonly<Record<string, object | undefined>>): object {
  const wanted = new Set((ask.query.get('part') ?? '').split(',').map((part) => part.trim()));
  return Object.fromEntries(Object.entries(all).filter(([name, part]) => wanted.has(name) && part));
}

function channels(ask: Ask, library: Library): Reply {
  const handle = ask.query.get('forHandle')?.replace(/^@?/, '@').toLowerCase();
  const ids = ask.query.get('id')?.split(',');
  if (handle === undefined && !ids && !ask.query.has('forUsername')) return noFilter();
  const found = CHANNELS.filter((each) => each.handle === handle || ids?.includes(each.id));
  const items = found.map((channel) => ({
    kind: 'youtube#channel',
    etag: etag(channel),
    id: channel.id,
    ...parts(ask, {
      snippet: {
        title: channel.title,
        description: '',
        customUrl: channel.handle,
        publishedAt: '2020-01-01T00:00:00Z',
        thumbnails: { default: { url: library.pictureOf(channel), width: 88, height: 88 } },
      },
      contentDetails: { relatedPlaylists: { likes: '', uploads: uploadsPlaylist(channel) } },
      statistics: { videoCount: String(library.uploadCount) },
    }),
  }));
  return list('channelListResponse', items, {
    pageInfo: { totalResults: items.length, resultsPerPage: 5 },
  });
}

function playlistItems(ask: Ask, library: Library): Reply {
  const playlist = ask.query.get('playlistId');
  if (playlist === null) return missingParameter('playlistId');
  const channel = CHANNELS.find((each) => uploadsPlaylist(each) === playlist);
  if (!channel) return playlistNotFound();
  const asked = ask.query.get('maxResults') ?? '5';
  const size = Number(asked);
  if (!Number.isInteger(size) || size < 0 || size > 50)
    return invalidParameter('maxResults', asked, '[0, 50]');
  const start = readToken(ask.query.get('pageToken'));
  if (start === null) return invalidPageToken();
  const total = library.uploadCount;
  const page = library.uploads(channel, ask.now, start, size);
  const items = page.map((video, i) => playlistItem(ask, video, playlist, start + i));
  return list('playlistItemListResponse', items, {
    ...(start + size < total ? { nextPageToken: token(start + size) } : {}),
    ...(start > 0 ? { prevPageToken: token(Math.max(0, start - size)) } : {}),
    pageInfo: { totalResults: total, resultsPerPage: size },
  });
}

function token(start: number): string {
  return Buffer.from(`PT:${start}`).toString('base64url');
}

function readToken(text: string | null): number | null {
  if (text === null || text === '') return 0;
  const start = /^PT:(\d{1,6})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))?.[1];
  return start === undefined ? null : Number(start);
}

function playlistItem(ask: Ask, video: Video, playlist: string, position: number): object {
  const publishedAt = new Date(video.publishedAt).toISOString();
  return {
    kind: 'youtube#playlistItem',
    etag: etag([video.id, position]),
    id: Buffer.from(`${playlist}.${video.id}`).toString('base64url'),
    ...parts(ask, {
      snippet: {
        publishedAt,
        channelId: video.channel.id,
        channelTitle: video.channel.title,
        videoOwnerChannelId: video.channel.id,
        videoOwnerChannelTitle: video.channel.title,
        title: video.title,
        description: video.description,
        playlistId: playlist,
        position,
        resourceId: { kind: 'youtube#video', videoId: video.id },
      },
      contentDetails: { videoId: video.id, videoPublishedAt: publishedAt },
      status: { privacyStatus: 'public' },
    }),
  };
}

function videos(ask: Ask, library: Library): Reply {
  const ids = ask.query.get('id');
  if (ids === null) return noFilter();
  const asked = ids.split(',').map((id) => id.trim());
  if (asked.length > 50) return invalidParameter('id', `${asked.length} IDs`, '[0, 50]');
  const found = asked.map((id) => library.find(id, ask.now)).filter((video) => video !== null);
  const items = found.map((video) => ({
    kind: 'youtube#video',
    etag: etag([video.id, ask.now < video.startsAt, ask.now < video.endsAt]),
    id: video.id,
    ...parts(ask, {
      snippet: {
        publishedAt: new Date(video.publishedAt).toISOString(),
        channelId: video.channel.id,
        channelTitle: video.channel.title,
        title: video.title,
        description: video.description,
        liveBroadcastContent: broadcast(video, ask.now),
        defaultLanguage: video.channel.language,
      },
      contentDetails: {
        duration: duration(video, ask.now),
        dimension: '2d',
        definition: 'hd',
        caption: 'false',
      },
      status: { uploadStatus: 'processed', privacyStatus: 'public' },
      statistics: { viewCount: String(Math.max(0, Math.floor((ask.now - video.publishedAt) / 60_000))) },
      liveStreamingDetails: liveDetails(video, ask.now),
    }),
  }));
  return list('videoListResponse', items, {
    pageInfo: { totalResults: items.length, resultsPerPage: items.length },
  });
}

export function broadcast(video: Video, now: number): 'none' | 'live' | 'upcoming' {
  if (video.kind !== 'live' && video.kind !== 'premiere') return 'none';
  if (now < video.startsAt) return 'upcoming';
  return now < video.endsAt ? 'live' : 'none';
}

/** A stream or premiere that is not over has no length yet. */
function duration(video: Video, now: number): string {
  if (broadcast(video, now) !== 'none') return 'P0D';
  const seconds = video.kind === 'live' ? (video.endsAt - video.startsAt) / 1000 : video.seconds;
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `PT${h ? `${h}H` : ''}${m ? `${m}M` : ''}${s || seconds === 0 ? `${s}S` : ''}`;
}

function liveDetails(video: Video, now: number): object | undefined {
  if (video.kind !== 'live' && video.kind !== 'premiere') return undefined;
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    scheduledStartTime: iso(video.startsAt),
    ...(now >= video.startsAt ? { actualStartTime: iso(video.startsAt) } : {}),
    ...(now >= video.endsAt ? { actualEndTime: iso(video.endsAt) } : {}),
  };
}
