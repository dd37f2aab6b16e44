import pLimit from 'p-limit';
import { PARSE_DEFAULTS, parseFeedDocument } from '../../feeds/parse-feed.ts';
import { textToHtml } from '../../feeds/text-html.ts';
import type { Fetcher } from '../../fetch/fetcher.ts';
import { decodeText } from '../../fetch/text-encoding.ts';
import { itemKey, type RuleSwitches } from '../../item/identity.ts';
import type { Sighting, VideoFacts } from '../../item/item.ts';
import { HOUR } from '../../time/duration.ts';
import { errorResponseReading, failedFetchReading } from '../polling.ts';
import type { Channel } from './channel.ts';
import { type ApiFailure, type DataApi, type Fields, fieldsOf, textOrNull } from './data-api.ts';

/** A video as a channel lists it, through the API or the feed. */
export interface Upload {
  readonly videoId: string;
  readonly title: string;
  readonly description: string | null;
  /** The whole description as HTML. */
  readonly content: string | null;
  readonly channelId: string;
  readonly channelTitle: string;
  readonly publishedAt: number;
  readonly imageUrl: string | null;
  readonly language: string | null;
  readonly kind: VideoFacts['kind'] | null;
  readonly startsAt: number | null;
  readonly durationSeconds: number | null;
}

const VIDEO_ID = /^[\w-]{11}$/;
const MAX_DESCRIPTION_LENGTH = 2_000;

/** Parses an entry of the uploads playlist; `null` if it is private, deleted or not a video. */
export function uploadOf(item: Fields): Upload | null {
  const snippet = fieldsOf(item.snippet);
  const details = fieldsOf(item.contentDetails);
  const videoId = textOrNull(details?.videoId) ?? textOrNull(fieldsOf(snippet?.resourceId)?.videoId);
  const publishedAt = Date.parse(
    textOrNull(details?.videoPublishedAt) ?? textOrNull(snippet?.publishedAt) ?? '',
  );
  const channelId = textOrNull(snippet?.videoOwnerChannelId) ?? textOrNull(snippet?.channelId);
  if (videoId === null || !VIDEO_ID.test(videoId) || channelId === null || Number.isNaN(publishedAt))
    return null;
  if (textOrNull(fieldsOf(item.status)?.privacyStatus) === 'private') return null;
  // Private and deleted videos keep their place in the list, without a date of publication.
  if (
    details !== null &&
    details.videoPublishedAt === undefined &&
    /^(?:Private|Deleted) video$/.test(textOrNull(snippet?.title) ?? '')
  )
    return null;
  const description = textOrNull(snippet?.description);
  return {
    videoId,
    title: textOrNull(snippet?.title)?.trim() || videoId,
    description,
    content: description === null ? null : textToHtml(description) || null,
    channelId,
    channelTitle:
      textOrNull(snippet?.videoOwnerChannelTitle) ?? textOrNull(snippet?.channelTitle) ?? channelId,
    publishedAt,
    imageUrl: bestThumbnail(fieldsOf(snippet?.thumbnails)),
    language: null,
    kind: null,
    startsAt: null,
    durationSeconds: null,
  };
}

function bestThumbnail(thumbnails: Fields | null): string | null {
  for (const size of ['maxres', 'standard', 'high', 'medium', 'default']) {
    const url = textOrNull(fieldsOf(thumbnails?.[size])?.url);
    if (url !== null) return url;
  }
  return null;
}

export interface SightingPlace {
  readonly sourceId: string;
  readonly sourceName: string;
  readonly site: string;
  readonly now: number;
  readonly identityRules?: RuleSwitches;
}

export function sightingOf(upload: Upload, place: SightingPlace): Sighting | null {
  const url = `${place.site}/watch?v=${upload.videoId}`;
  const identified = itemKey(url, {}, place.identityRules);
  if (identified.outcome !== 'identified') return null;
  const description = upload.description?.slice(0, MAX_DESCRIPTION_LENGTH).trim();
  return {
    key: identified.key,
    url,
    title: upload.title,
    publishedAt: Math.min(upload.publishedAt, place.now),
    sourceId: place.sourceId,
    sourceName: place.sourceName,
    foreignId: upload.videoId,
    author: upload.channelTitle,
    ...(description ? { excerpt: description } : {}),
    ...(upload.content === null ? {} : { content: upload.content }),
    ...(upload.language === null ? {} : { language: upload.language }),
    ...(upload.imageUrl === null ? {} : { imageUrl: upload.imageUrl }),
    video: {
      videoId: upload.videoId,
      channelId: upload.channelId,
      channelTitle: upload.channelTitle,
      ...(upload.kind ? { kind: upload.kind } : {}),
      ...(upload.startsAt === null ? {} : { startsAt: upload.startsAt }),
      ...(upload.durationSeconds === null ? {} : { durationSeconds: upload.durationSeconds }),
      ...(description ? { description } : {}),
    },
  };
}

export type Uploads = { readonly outcome: 'uploads'; readonly uploads: readonly Upload[] } | ApiFailure;

/** Ten pages of fifty: enough for one window of a busy channel. */
const MAX_PAGES = 10;
const BATCH_SIZE = 50;

/** Uploads since then, through the API: one unit for each page and one for each fifty new videos. */
export async function uploadsByApi(
  api: DataApi,
  sourceId: string,
  channel: Channel,
  since: number,
  now: number,
  signal: AbortSignal,
): Promise<Uploads> {
  const found: Upload[] = [];
  let page: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const answer = await api.playlistItems(sourceId, channel.uploads, page, signal);
    if (answer.outcome !== 'ok') return answer;
    const uploads = answer.items.map(uploadOf).filter((upload) => upload !== null);
    const recent = uploads.filter((upload) => upload.publishedAt >= since);
    found.push(...recent);
    // A page with nothing recent ends it; one old entry does not, since announced videos are listed out of order.
    if (recent.length === 0 || answer.next === null) break;
    page = answer.next;
  }
  return await withDetails(api, sourceId, found, now, signal);
}

/** With length, language and kind. Videos that have vanished since the list was read are left out. */
async function withDetails(
  api: DataApi,
  sourceId: string,
  uploads: readonly Upload[],
  now: number,
  signal: AbortSignal,
): Promise<Uploads> {
  const detailed: Upload[] = [];
  for (let from = 0; from < uploads.length; from += BATCH_SIZE) {
    const some = uploads.slice(from, from + BATCH_SIZE);
    const answer = await api.videos(
      sourceId,
      some.map((upload) => upload.videoId),
      signal,
    );
    if (answer.outcome !== 'ok') return answer;
    const byId = new Map(answer.items.map((video) => [textOrNull(video.id), video]));
    for (const upload of some) {
      const video = byId.get(upload.videoId);
      if (video === undefined) continue;
      const { kind, ...details } = detailsOf(video, now);
      detailed.push({ ...upload, ...details, kind: kind === 'maybe_short' ? null : kind });
    }
  }
  return { outcome: 'uploads', uploads: detailed };
}

/** The channel's last fifteen uploads from its public Atom feed, which needs no key. */
export async function uploadsByFeed(
  fetcher: Fetcher,
  site: string,
  channel: Channel,
  signal: AbortSignal,
): Promise<Uploads> {
  const url = `${site}/feeds/videos.xml?channel_id=${channel.id}`;
  const answer = await fetcher.fetch({ url, maxBytes: 2 * 1024 * 1024 }, signal);
  if (answer.outcome === 'failed') return failedFetchReading(answer, signal) as ApiFailure;
  if (answer.status !== 200) return errorResponseReading(answer) as ApiFailure;
  const { text: xml } = decodeText(answer.body, answer.headers['content-type'], { xml: true });
  const reading = parseFeedDocument(xml, { ...PARSE_DEFAULTS, url });
  if (reading.outcome !== 'feed')
    return { outcome: 'failed', why: 'not_a_feed', detail: 'the channel’s feed is not a valid feed' };
  const uploads = reading.feed.entries.flatMap((entry): Upload[] => {
    if (entry.video === null || entry.publishedAt === null) return [];
    const short = entry.link !== null && /\/shorts\//.test(entry.link);
    return [
      {
        ...entry.video,
        title: entry.title,
        description: entry.text,
        content: entry.content,
        publishedAt: entry.publishedAt,
        imageUrl: entry.image,
        language: entry.language,
        kind: short ? 'short' : null,
        startsAt: null,
        durationSeconds: null,
      },
    ];
  });
  return { outcome: 'uploads', uploads };
}

/** Since autumn 2024 a short may last three minutes. */
export const MAX_SHORT_SECONDS = 180;

type Kind = NonNullable<VideoFacts['kind']>;

/** A video as returned by `videos.list`. */
export interface VideoDetails {
  readonly kind: Kind | 'maybe_short';
  readonly startsAt: number | null;
  readonly durationSeconds: number | null;
  readonly language: string | null;
}

/**
 * What kind of video it is now. A premiere is an ordinary video that waits, so it has its length before it starts; a live
 * broadcast has none until it is over. The API does not report shorts: whether a brief video is one, its address shows.
 */
export function detailsOf(video: Fields, now: number): VideoDetails {
  const snippet = fieldsOf(video.snippet);
  const live = fieldsOf(video.liveStreamingDetails);
  const seconds = parseIsoDuration(textOrNull(fieldsOf(video.contentDetails)?.duration));
  const language = textOrNull(snippet?.defaultAudioLanguage) ?? textOrNull(snippet?.defaultLanguage);
  const state = textOrNull(snippet?.liveBroadcastContent) ?? 'none';
  const processed = textOrNull(fieldsOf(video.status)?.uploadStatus) === 'processed';
  const waits = (seconds ?? 0) > 0 || processed ? 'premiere' : 'live';
  if (state === 'upcoming') {
    const scheduled = Date.parse(textOrNull(live?.scheduledStartTime) ?? '');
    // Announced without a time, or with a time that has passed without a start: checked again later.
    const startsAt = scheduled > now ? scheduled : now + HOUR;
    return { kind: waits, startsAt, durationSeconds: seconds || null, language };
  }
  if (state === 'live')
    return {
      kind: (seconds ?? 0) > 0 ? 'premiere' : 'live',
      startsAt: null,
      durationSeconds: seconds || null,
      language,
    };
  // A broadcast or a premiere that is over is a video to watch like any other, as soon as it has its length.
  if (live !== null) {
    const over = (seconds ?? 0) > 0 || textOrNull(live.actualEndTime) !== null;
    return { kind: over ? 'video' : 'live', startsAt: null, durationSeconds: seconds || null, language };
  }
  const brief = seconds !== null && seconds > 0 && seconds <= MAX_SHORT_SECONDS;
  return { kind: brief ? 'maybe_short' : 'video', startsAt: null, durationSeconds: seconds, language };
}

/** `PT1H2M3S`, `P1DT2H`, `P0D`; null where there is none. */
export function parseIsoDuration(duration: string | null): number | null {
  const match =
    /^P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,6})(?:\.\d+)?S)?)?$/.exec(
      duration ?? '',
    );
  if (match === null) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/**
 * Distinguishes shorts from other brief videos: the address `/shorts/<id>` shows a short and redirects to the watch page for
 * everything else. If the request fails, a hashtag and a length of at most a minute decide.
 */
export async function withShorts(
  uploads: readonly Upload[],
  fetcher: Fetcher,
  site: string,
  signal: AbortSignal,
): Promise<readonly Upload[]> {
  const limit = pLimit(4);
  return await Promise.all(
    uploads.map((upload) => {
      // The channel's feed has no lengths, and marks its shorts itself.
      if (upload.kind !== null || upload.durationSeconds === null) return upload;
      if (upload.durationSeconds > MAX_SHORT_SECONDS) return { ...upload, kind: 'video' as const };
      return limit(async () => ({
        ...upload,
        kind: (await isShort(upload, fetcher, site, signal)) ? ('short' as const) : ('video' as const),
      }));
    }),
  );
}

async function isShort(
  upload: Upload,
  fetcher: Fetcher,
  site: string,
  signal: AbortSignal,
): Promise<boolean> {
  const url = `${site}/shorts/${upload.videoId}`;
  const answer = await fetcher.fetch(
    { url, method: 'HEAD', maxRedirects: 3, headers: { cookie: 'SOCS=CAI' } },
    signal,
  );
  if (answer.outcome === 'response' && answer.status === 200)
    return new URL(answer.url).pathname.startsWith('/shorts/');
  return (
    (upload.durationSeconds ?? 0) <= 60 && /#shorts?\b/i.test(`${upload.title} ${upload.description ?? ''}`)
  );
}
