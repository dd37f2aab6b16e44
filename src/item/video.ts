import type { Item, ItemKey, Sighting } from './item.ts';

const WATCH = 'https://www.youtube.com/watch?v=';
const USUAL_ID = /^[A-Za-z0-9_-]{6,20}$/;
/** Behind the address of an ID that YouTube would not give; the original program recorded any. */
const ODD = '#id';
/** What Firestore takes as the ID of a document. */
const MAX_ID_BYTES = 1_500;
const IMPOSSIBLE_ID = /^(?:|\.|\.\.|__.*__|.*\/.*)$/s;
/** Of the years that every store can hold. */
const ISO_DATE = /^\d{4}-\d\d-\d\d/;

/** The key of a video by its ID; `null` where no document can have that ID. */
export function keyOfVideo(videoId: string): ItemKey | null {
  if (USUAL_ID.test(videoId)) return (WATCH + videoId) as ItemKey;
  if (IMPOSSIBLE_ID.test(videoId) || !videoId.isWellFormed()) return null;
  if (Buffer.byteLength(videoId) > MAX_ID_BYTES) return null;
  return `${WATCH}${encodeURIComponent(videoId)}${ODD}` as ItemKey;
}

/** The reverse of `keyOfVideo`; `null` where the key is not one of a video. */
export function videoIdOf(key: ItemKey): string | null {
  if (!key.startsWith(WATCH)) return null;
  const rest = key.slice(WATCH.length);
  if (!rest.endsWith(ODD)) return USUAL_ID.test(rest) ? rest : null;
  try {
    const videoId = decodeURIComponent(rest.slice(0, -ODD.length));
    return keyOfVideo(videoId) === key ? videoId : null;
  } catch {
    return null;
  }
}

/** What is known of a video from the day on which it is recorded, under the names of the contract (D1). */
export function videoFields({ key, video, ...item }: Pick<Item, keyof Sighting>) {
  return {
    videoId: video?.videoId ?? videoIdOf(key) ?? key,
    title: item.title,
    channelId: video?.channelId ?? item.sourceId,
    channelTitle: video?.channelTitle ?? item.sourceName,
    publishedAt: isoTime(item.publishedAt),
  };
}

/** A video as another program tells of it, in the fields of the contract; what is missing is made up for. */
export function videoSighting(key: ItemKey, videoId: string, told: VideoTold, at: number): Sighting {
  const [channelId, channelTitle] = [textIn(told.channelId), textIn(told.channelTitle)];
  return {
    key,
    url: key,
    title: textIn(told.title) || key,
    publishedAt: timeIn(told.publishedAt) ?? at,
    sourceId: '',
    sourceName: channelTitle,
    foreignId: videoId,
    video: { videoId, channelId, channelTitle },
  };
}

/** Fields of another program: whatever it wrote there. */
export type VideoTold = Readonly<
  Partial<Record<'title' | 'channelId' | 'channelTitle' | 'publishedAt', unknown>>
>;

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A Firestore timestamp, or an ISO 8601 text as YouTube gives it. */
export function timeIn(value: unknown): number | null {
  if (typeof value === 'object' && value !== null && 'toMillis' in value)
    return (value as { toMillis(): number }).toMillis();
  const ms = typeof value === 'string' && ISO_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** ISO 8601 as YouTube writes it: without a fraction where there is none. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
