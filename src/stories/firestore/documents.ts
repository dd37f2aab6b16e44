import type { DocumentData, DocumentSnapshot, Timestamp } from '@google-cloud/firestore';
import { type ListedStory, listed, type Story } from '../story.ts';

/** Makes Firestore's own time values. The SDK is loaded with the first call that needs it. */
export type ToTimestamp = (ms: number) => Timestamp;

export async function toTimestamp(): Promise<ToTimestamp> {
  const { Timestamp } = await import('@google-cloud/firestore');
  return (ms) => Timestamp.fromMillis(ms);
}

/** A story as E2 has it. */
export function storyData(story: Story, timestamp: ToTimestamp): DocumentData {
  const { by, descendants, id, kids, score, title, url } = story;
  return {
    by: by.toWellFormed(),
    descendants,
    id,
    kids: [...kids],
    score,
    time: timestamp(story.time),
    title: title.toWellFormed(),
    url: url.toWellFormed(),
    updated: timestamp(story.updated),
  };
}

/** Reads what is there; another program may have left a half-empty story, which shall break nothing (E14). */
export function toStory(snapshot: DocumentSnapshot): Story | null {
  const data = snapshot.data();
  if (data === undefined) return null;
  const story = toListed({ id: Number(snapshot.id), ...data });
  if (story === null) return null;
  const kids: unknown = data.kids;
  return {
    ...story,
    kids: Array.isArray(kids) ? kids.filter((kid): kid is number => typeof kid === 'number') : [],
    updated: milliseconds(data.updated),
  };
}

/** A story in a cache document, in the feed or on its own; `null` where it has no ID. */
export function toListed(data: unknown): ListedStory | null {
  if (typeof data !== 'object' || data === null) return null;
  const { id, by, descendants, score, time, title, url } = data as Record<string, unknown>;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) return null;
  return {
    by: text(by),
    descendants: whole(descendants),
    id,
    score: whole(score),
    time: milliseconds(time),
    title: text(title),
    url: text(url),
  };
}

/** As it stands in a cache document and in the feed. */
export function listedData(story: ListedStory): DocumentData {
  const { by, title, url, ...numbers } = listed(story);
  return { ...numbers, by: by.toWellFormed(), title: title.toWellFormed(), url: url.toWellFormed() };
}

/** What Firestore counts for a story in an array of a document, and a little more. */
export function bytesOf(story: ListedStory): number {
  const words = [story.by, story.title, story.url].reduce(
    (sum, word) => sum + Buffer.byteLength(word) + 4,
    0,
  );
  return words + FIELDS;
}

/** Names of the seven fields, four numbers, and what surrounds each. */
const FIELDS = 120;

/** A moment of the server as a string that sorts as moments do. */
export function placeOf({ seconds, nanoseconds }: Timestamp): string {
  return `${String(seconds).padStart(12, '0')}.${String(nanoseconds).padStart(9, '0')}`;
}

/** The milliseconds of a place; `null` where it is none. */
export function placeMs(place: string): number | null {
  return /^\d{12}\.\d{9}$/.test(place) ? Math.floor(Number(place) * 1000) : null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function whole(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : 0;
}

function milliseconds(value: unknown): number {
  if (typeof value === 'number') return whole(value);
  const timestamp = value as { toMillis?: () => number } | null | undefined;
  return typeof timestamp?.toMillis === 'function' ? timestamp.toMillis() : 0;
}
