import type { Enclosure } from '../item/item.ts';
import { resolveUrl } from './feed.ts';
import type { XmlElement } from './xml.ts';

const MEDIA_TYPE = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/;
const PLAYABLE_FILE = /\.(?:mp3|m4a|aac|ogg|oga|opus|flac|wav|mp4|m4v|mov|webm|ogv|mkv)(?:[?#]|$)/i;
const IMAGE_FILE = /\.(?:jpe?g|png|webp|gif|avif|svg)(?:[?#]|$)/i;
const MAX_DURATION_SECONDS = 7 * 24 * 3_600;

interface WrittenEnclosure {
  readonly url: string | undefined;
  readonly type: string | undefined;
  readonly medium?: string | undefined;
  readonly length: string | undefined;
  readonly duration: string | undefined;
}

/** The file to play or download of an item of RSS or Atom: audio and video first; pictures do not count. */
export function enclosureOf(item: XmlElement, base: string): Enclosure | null {
  const written: WrittenEnclosure[] = [];
  const media: WrittenEnclosure[] = [];
  for (const child of item.children) {
    if (child.name === 'enclosure') written.push(linked(child, child.attr('url')));
    else if (child.name === 'link' && child.attr('rel')?.toLowerCase() === 'enclosure')
      written.push(linked(child, child.attr('href')));
    else if (child.name === 'media:content') media.push(mediaContent(child));
    else if (child.name === 'media:group') media.push(...child.all('media:content').map(mediaContent));
  }
  if (written.length === 0 && media.length === 0) return null;
  const chosen =
    written.find(isPlayable) ?? media.find(isPlayable) ?? written.find((file) => !isPicture(file));
  return chosen === undefined ? null : toEnclosure(chosen, base, item.child('itunes:duration')?.text());
}

/** One attachment of JSON Feed, by the names of that format. */
export function attachmentOf(
  attachments: readonly Readonly<Record<string, unknown>>[],
  base: string,
): Enclosure | null {
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
  const files = attachments.map(
    (file): WrittenEnclosure => ({
      url: text(file.url),
      type: text(file.mime_type),
      length: text(file.size_in_bytes),
      duration: text(file.duration_in_seconds),
    }),
  );
  const chosen = files.find(isPlayable) ?? files.find((file) => !isPicture(file));
  return chosen === undefined ? null : toEnclosure(chosen, base, undefined);
}

function linked(element: XmlElement, url: string | undefined): WrittenEnclosure {
  return { url, type: element.attr('type'), length: element.attr('length'), duration: undefined };
}

function mediaContent(element: XmlElement): WrittenEnclosure {
  return {
    url: element.attr('url'),
    type: element.attr('type'),
    medium: element.attr('medium'),
    length: element.attr('filesize'),
    duration: element.attr('duration'),
  };
}

function isPlayable({ url, type, medium }: WrittenEnclosure): boolean {
  if (!url) return false;
  if (medium === 'audio' || medium === 'video') return !/flash/i.test(type ?? '');
  return /^(?:audio|video)\//i.test(type ?? '') || (!type && medium === undefined && PLAYABLE_FILE.test(url));
}

function isPicture({ url, type }: WrittenEnclosure): boolean {
  return !url || (type ? /^image\//i.test(type) : IMAGE_FILE.test(url));
}

function toEnclosure(file: WrittenEnclosure, base: string, duration: string | undefined): Enclosure | null {
  const url = resolveUrl(file.url, base);
  if (url === null) return null;
  const type = file.type?.split(';')[0]?.trim().toLowerCase() ?? '';
  const length = Number(file.length);
  return {
    url,
    type: MEDIA_TYPE.test(type) ? type : null,
    lengthBytes: Number.isSafeInteger(length) && length > 0 ? length : null,
    durationSeconds: parseDuration(duration) ?? parseDuration(file.duration),
  };
}

/** Seconds, `MM:SS` or `HH:MM:SS`, as podcasts write it. */
function parseDuration(text: string | undefined): number | null {
  const parts = /^\s*(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,9})(?:\.\d+)?\s*$/.exec(text ?? '');
  if (parts === null) return null;
  const [hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  const total = (hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0);
  return total > 0 && total <= MAX_DURATION_SECONDS ? total : null;
}
