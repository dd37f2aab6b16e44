import type { Item, ItemKey } from '../../item/item.ts';
import { isoTime, keyOfVideo, textIn, videoFields, videoSighting } from '../../item/video.ts';
import type { Delivery } from '../queue.ts';

/** The key of an item that its `videoId` does not tell: one that is no video of YouTube's. */
const KEY = 'kawaraban_item';

/** A message that names no item: why. */
export interface Malformed {
  readonly malformed: string;
}

/** A video as a message: JSON with the fields of its document (D1), times as ISO 8601 text. */
export function bodyOf(item: Item): Buffer {
  const fields = videoFields(item);
  const body = {
    ...fields,
    status: 'queued',
    queuedAt: isoTime(item.createdAt),
    updatedAt: isoTime(item.checkedAt),
    ...(keyOfVideo(fields.videoId) !== item.key && { [KEY]: item.key }),
  };
  return Buffer.from(JSON.stringify(body));
}

/**
 * What a message names. Another program's message has a `videoId` and whatever else it likes; those of earlier versions of
 * this program are the key of an item as text. `publishedAt` is the time of the message.
 */
export function deliveryOf(data: Buffer, publishedAt: number): Delivery | Malformed {
  const text = data.toString('utf8');
  const body = fieldsIn(text);
  if (body === null && /^https?:\/\/\S+$/.test(text)) return { key: text as ItemKey };
  const videoId = textIn(body?.videoId);
  const key = (textIn(body?.[KEY]) || keyOfVideo(videoId)) as ItemKey | null;
  if (body === null || key === null) return { malformed: reasonOf(body) };
  return { key, sighting: videoSighting(key, videoId, body, publishedAt) };
}

function reasonOf(body: Readonly<Record<string, unknown>> | null): string {
  if (body === null) return 'the body is not a JSON object';
  return typeof body.videoId === 'string' && body.videoId !== ''
    ? `no video can have the videoId ${JSON.stringify(body.videoId.slice(0, 100))}`
    : 'the body has no videoId';
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
