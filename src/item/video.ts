import type { ItemFacts, ItemKey, Sighting } from './item.ts';

const WATCH_URL = 'https://www.youtube.com/watch?v=';
const YOUTUBE_ID = /^[A-Za-z0-9_-]{6,20}$/;
/** Behind the address of an ID that YouTube would not give; the original program recorded any. */
const UNUSUAL_ID_SUFFIX = '#id';
/** What Firestore accepts as the ID of a document. */
const MAX_ID_BYTES = 1_500;
const IMPOSSIBLE_ID = /^(?:|\.|\.\.|__.*__|.*\/.*)$/s;
/** Limited to years that every store can represent. */
const ISO_DATE = /^\d{4}-\d\d-\d\d/;

/** The key of a video by its ID; `null` where no document can have that ID. */
export function videoKey(videoId: string): ItemKey | null {
  if (YOUTUBE_ID.test(videoId)) return (WATCH_URL + videoId) as ItemKey;
  if (IMPOSSIBLE_ID.test(videoId) || !videoId.isWellFormed()) return null;
  if (Buffer.byteLength(videoId) > MAX_ID_BYTES) return null;
  return `${WATCH_URL}${encodeURIComponent(videoId)}${UNUSUAL_ID_SUFFIX}` as ItemKey;
}

/** The reverse of `keyOfVideo`; `null` where the key is not one of a video. */
export function videoIdOf(key: ItemKey): string | null {
  if (!key.startsWith(WATCH_URL)) return null;
  const rest = key.slice(WATCH_URL.length);
  if (!rest.endsWith(UNUSUAL_ID_SUFFIX)) return YOUTUBE_ID.test(rest) ? rest : null;
  try {
    const videoId = decodeURIComponent(rest.slice(0, -UNUSUAL_ID_SUFFIX.length));
    return videoKey(videoId) === key ? videoId : null;
  } catch {
    return null;
  }
}

/** What is known of a video from the day on which it is recorded, under the names of the contract (D1). */
export function videoFields({ key, video, ...item }: ItemFacts) {
  return {
    videoId: video?.videoId ?? videoIdOf(key) ?? key,
    title: item.title,
    channelId: video?.channelId ?? item.sourceId,
    channelTitle: video?.channelTitle ?? item.sourceName,
    publishedAt: isoTime(item.publishedAt),
  };
}

/** A video as recorded by another program, in the fields of the contract; missing fields get defaults. */
export function videoSighting(
  key: ItemKey,
  videoId: string,
  fields: ForeignVideoFields,
  at: number,
): Sighting {
  const [channelId, channelTitle] = [textOrEmpty(fields.channelId), textOrEmpty(fields.channelTitle)];
  return {
    key,
    url: key,
    title: textOrEmpty(fields.title) || key,
    publishedAt: timeOrNull(fields.publishedAt) ?? at,
    sourceId: '',
    sourceName: channelTitle,
    foreignId: videoId,
    video: { videoId, channelId, channelTitle },
  };
}

/** Fields of another program: whatever it wrote there. */
export type ForeignVideoFields = Readonly<
  Partial<Record<'title' | 'channelId' | 'channelTitle' | 'publishedAt', unknown>>
>;

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A Firestore timestamp, or an ISO 8601 text as YouTube gives it. */
export function timeOrNull(value: unknown): number | null {
  if (typeof value === 'object' && value !== null && 'toMillis' in value)
    return (value as { toMillis(): number }).toMillis();
  const ms = typeof value === 'string' && ISO_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** ISO 8601 as YouTube writes it: without a fraction where there is none. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
