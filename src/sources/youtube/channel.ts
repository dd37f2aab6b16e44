import { resolveUrl } from '../../feeds/feed.ts';
import type { Fetcher } from '../../fetch/fetcher.ts';
import { errorResponseReading, failedFetchReading } from '../polling.ts';
import { type ApiFailure, type DataApi, type Fields, fieldsOf, textOrNull } from './data-api.ts';

/** A parsed reference to a channel. */
export type ChannelReference =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'handle'; readonly handle: string }
  | { readonly kind: 'user'; readonly name: string }
  /** An address whose page has to be fetched. */
  | { readonly kind: 'page'; readonly path: string };

const ID = /^UC[\w-]{22}$/;
const HANDLE = /^@[\p{L}\p{N}._·-]{3,60}$/u;

/** Parses an ID, a handle, or any address of a channel; `null` if it is none of them. */
export function parseChannel(written: string): ChannelReference | null {
  const name = written.trim();
  if (ID.test(name)) return { kind: 'id', id: name };
  if (HANDLE.test(name)) return { kind: 'handle', handle: name };
  const url = URL.parse(/^[a-z]+:\/\//i.test(name) ? name : `https://${name}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const fromFeed =
    url.searchParams.get('channel_id') ?? url.searchParams.get('playlist_id')?.replace(/^UU/, 'UC');
  if (fromFeed && ID.test(fromFeed)) return { kind: 'id', id: fromFeed };
  const [first = '', second = ''] = url.pathname.split('/').filter(Boolean).map(decoded);
  if (first === 'channel') return ID.test(second) ? { kind: 'id', id: second } : null;
  if (first === 'user' && second !== '') return { kind: 'user', name: second };
  if (first === 'c' && second !== '') return { kind: 'page', path: `/c/${encodeURIComponent(second)}` };
  if (HANDLE.test(first)) return { kind: 'handle', handle: first };
  const custom = /(?:^|\.)youtube\.com$/.test(url.hostname) && /^[\w.-]{2,60}$/.test(first);
  return custom && !/^(?:watch|playlist|shorts|feed|results|live|embed)$/.test(first)
    ? { kind: 'page', path: `/${first}` }
    : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export interface Channel {
  readonly id: string;
  readonly title: string | null;
  readonly uploads: string;
  readonly picture: string | null;
}

export type Resolution = { readonly outcome: 'channel'; readonly channel: Channel } | ApiFailure;

/** The playlist of a channel's uploads: the channel's ID with another prefix. */
export function uploadsPlaylistId(channelId: string): string {
  return `UU${channelId.slice(2)}`;
}

/** Finds the channel through the API, for one unit. */
export async function resolveByApi(
  api: DataApi,
  sourceId: string,
  reference: Exclude<ChannelReference, { kind: 'page' }>,
  signal: AbortSignal,
): Promise<Resolution> {
  const answer = await api.channels(sourceId, filterOf(reference), signal);
  if (answer.outcome !== 'ok') return answer;
  const [found] = answer.items;
  const id = textOrNull(found?.id);
  if (found === undefined || id === null || !ID.test(id)) return channelNotFound(reference);
  const playlists = fieldsOf(fieldsOf(found.contentDetails)?.relatedPlaylists);
  const channel = {
    id,
    title: textOrNull(fieldsOf(found.snippet)?.title),
    uploads: textOrNull(playlists?.uploads) ?? uploadsPlaylistId(id),
    picture: thumbnailOf(fieldsOf(fieldsOf(found.snippet)?.thumbnails)),
  };
  return { outcome: 'channel', channel };
}

/** `default` has 88 pixels, `medium` 240. */
function thumbnailOf(thumbnails: Fields | null): string | null {
  const url = (size: string): string | null => textOrNull(fieldsOf(thumbnails?.[size])?.url);
  return resolveUrl(url('default') ?? url('medium'), 'https://www.youtube.com');
}

function filterOf(reference: Exclude<ChannelReference, { kind: 'page' }>): Record<string, string> {
  switch (reference.kind) {
    case 'id':
      return { id: reference.id };
    case 'handle':
      return { forHandle: reference.handle };
    case 'user':
      return { forUsername: reference.name };
  }
}

/** Finds the channel without a key: its page has its ID in several places, any of which may be missing. */
export async function resolveByPage(
  fetcher: Fetcher,
  site: string,
  reference: ChannelReference,
  signal: AbortSignal,
): Promise<Resolution> {
  if (reference.kind === 'id') {
    return {
      outcome: 'channel',
      channel: { id: reference.id, title: null, uploads: uploadsPlaylistId(reference.id), picture: null },
    };
  }
  // Without the cookie a visitor from Europe is sent to a page that asks for consent and names no channel.
  const headers = { accept: 'text/html', cookie: 'SOCS=CAI', 'accept-language': 'en' };
  const answer = await fetcher.fetch(
    { url: site + pathOf(reference), headers, maxBytes: 6 * 1024 * 1024 },
    signal,
  );
  if (answer.outcome === 'failed') return failedFetchReading(answer, signal) as ApiFailure;
  if (answer.status !== 200)
    return answer.status === 404 ? channelNotFound(reference) : (errorResponseReading(answer) as ApiFailure);
  const page = new TextDecoder().decode(answer.body);
  const id = channelIdIn(page);
  if (id === null)
    return { outcome: 'failed', why: 'bad_answer', detail: 'the page of the channel does not name its ID' };
  const picture = pictureIn(page, answer.url);
  return { outcome: 'channel', channel: { id, title: null, uploads: uploadsPlaylistId(id), picture } };
}

function pathOf(reference: Exclude<ChannelReference, { kind: 'id' }>): string {
  switch (reference.kind) {
    case 'handle':
      return `/${encodeURIComponent(reference.handle).replace('%40', '@')}`;
    case 'user':
      return `/user/${encodeURIComponent(reference.name)}`;
    case 'page':
      return reference.path;
  }
}

/** The ID of the channel that a page belongs to. Other channels are linked on it too, so not any ID will do. */
export function channelIdIn(html: string): string | null {
  const places = [
    /<link[^>]{0,200}rel="canonical"[^>]{0,200}href="[^"]{0,200}\/channel\/(UC[\w-]{22})"/,
    /<meta[^>]{0,200}itemprop="(?:identifier|channelId)"[^>]{0,200}content="(UC[\w-]{22})"/,
    /<link[^>]{0,300}href="[^"]{0,200}\/feeds\/videos\.xml\?channel_id=(UC[\w-]{22})"/,
    /<meta[^>]{0,200}property="og:url"[^>]{0,200}content="[^"]{0,200}\/channel\/(UC[\w-]{22})"/,
    /"externalId":"(UC[\w-]{22})"/,
  ];
  for (const place of places) {
    const id = place.exec(html)?.[1];
    if (id !== undefined) return id;
  }
  return null;
}

function pictureIn(html: string, pageUrl: string): string | null {
  const found = /<meta[^>]{0,200}property="og:image"[^>]{0,200}content="([^"]{1,2000})"/.exec(html)?.[1];
  return resolveUrl(found?.replaceAll('&amp;', '&'), pageUrl);
}

function channelNotFound(reference: ChannelReference): ApiFailure {
  const name =
    reference.kind === 'handle' ? reference.handle : reference.kind === 'id' ? reference.id : 'this name';
  return { outcome: 'failed', why: 'not_found', detail: `YouTube knows no channel ${name}` };
}
