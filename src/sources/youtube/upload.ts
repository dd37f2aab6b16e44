import { itemKey, type RuleSwitches } from '../../item/identity.ts';
import type { Sighting, VideoFacts } from '../../item/item.ts';
import { type Fields, fieldsOf, text } from './data-api.ts';

/** A video as a channel lists it, whichever way it was read. */
export interface Upload {
  readonly videoId: string;
  readonly title: string;
  readonly description: string | null;
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
const LONGEST_TEXT = 2_000;

/** Reads an entry of the uploads playlist; `null` for what is private, deleted or no video. */
export function uploadOf(item: Fields): Upload | null {
  const snippet = fieldsOf(item.snippet);
  const details = fieldsOf(item.contentDetails);
  const videoId = text(details?.videoId) ?? text(fieldsOf(snippet?.resourceId)?.videoId);
  const publishedAt = Date.parse(text(details?.videoPublishedAt) ?? text(snippet?.publishedAt) ?? '');
  const channelId = text(snippet?.videoOwnerChannelId) ?? text(snippet?.channelId);
  if (videoId === null || !VIDEO_ID.test(videoId) || channelId === null || Number.isNaN(publishedAt))
    return null;
  if (text(fieldsOf(item.status)?.privacyStatus) === 'private') return null;
  // Private and deleted videos keep their place in the list, without a date of publication.
  if (
    details !== null &&
    details.videoPublishedAt === undefined &&
    /^(?:Private|Deleted) video$/.test(text(snippet?.title) ?? '')
  )
    return null;
  return {
    videoId,
    title: text(snippet?.title)?.trim() || videoId,
    description: text(snippet?.description),
    channelId,
    channelTitle: text(snippet?.videoOwnerChannelTitle) ?? text(snippet?.channelTitle) ?? channelId,
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
    const url = text(fieldsOf(thumbnails?.[size])?.url);
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
  const description = upload.description?.slice(0, LONGEST_TEXT).trim();
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
