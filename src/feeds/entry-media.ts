import { type Enclosure, MAX_ENCLOSURES } from '../item/item.ts';
import { resolveUrl } from './feed.ts';
import type { XmlElement } from './xml.ts';

const MEDIA_TYPE = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/;
const PLAYABLE_FILE = /\.(mp3|m4a|aac|ogg|oga|opus|flac|wav|mp4|m4v|mov|webm|ogv|mkv)(?:[?#]|$)/i;
const MAX_DURATION_SECONDS = 7 * 24 * 3_600;

interface WrittenEnclosure {
  readonly url: string | undefined;
  readonly type: string | undefined;
  readonly medium?: string | undefined;
  readonly length: string | undefined;
  readonly duration: string | undefined;
}

/**
 * The files that an item of RSS or Atom brings: its enclosures, and what its media elements have to play. The files of
 * a group are one recording in several forms, of which one is taken. What can be played comes first.
 */
export function enclosuresOf(item: XmlElement, base: string): readonly Enclosure[] {
  const written: WrittenEnclosure[] = [];
  for (const child of item.children) {
    if (child.name === 'enclosure') written.push(linked(child, child.attr('url') ?? child.attr('href')));
    else if (child.name === 'link' || child.name === 'atom:link') {
      if (child.attr('rel')?.trim().toLowerCase() === 'enclosure')
        written.push(linked(child, child.attr('href')));
    } else if (child.name === 'media:content') written.push(...playable([child]));
    else if (child.name === 'media:group') {
      const [first] = playable(child.all('media:content'));
      if (first !== undefined) written.push(first);
    }
  }
  return written.length === 0 ? NONE : toEnclosures(written, base, item.child('itunes:duration')?.text());
}

const NONE: readonly Enclosure[] = [];

/** The attachments of JSON Feed, by the names of that format. */
export function attachmentsOf(
  attachments: readonly Readonly<Record<string, unknown>>[],
  base: string,
): readonly Enclosure[] {
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
  return toEnclosures(files, base, undefined);
}

/** Media elements that can be played, the default of several forms first. */
function playable(media: readonly XmlElement[]): readonly WrittenEnclosure[] {
  return media
    .toSorted((a, b) => Number(b.attr('isdefault') === 'true') - Number(a.attr('isdefault') === 'true'))
    .map(mediaContent)
    .filter(isPlayable);
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

function toEnclosures(
  files: readonly WrittenEnclosure[],
  base: string,
  duration: string | undefined,
): readonly Enclosure[] {
  const byUrl = new Map<string, Enclosure>();
  // The duration that the item states is that of its first recording.
  let stated = parseDuration(duration);
  for (const file of files.toSorted((a, b) => Number(isPlayable(b)) - Number(isPlayable(a)))) {
    const url = resolveUrl(file.url, base);
    if (url === null) continue;
    const known = byUrl.get(url);
    if (known === undefined && byUrl.size >= MAX_ENCLOSURES) break;
    const type = file.type?.split(';')[0]?.trim().toLowerCase() ?? '';
    const length = Number(file.length);
    // A feed may name one file in two ways, each with other details.
    byUrl.set(url, {
      url,
      type: known?.type ?? (MEDIA_TYPE.test(type) ? type : typeOfName(url, file.medium)),
      lengthBytes: known?.lengthBytes ?? (Number.isSafeInteger(length) && length > 0 ? length : null),
      durationSeconds:
        known?.durationSeconds ?? (isPlayable(file) ? stated : null) ?? parseDuration(file.duration),
    });
    stated = null;
  }
  return [...byUrl.values()];
}

/** Seconds, `MM:SS` or `HH:MM:SS`, as podcasts write it; also `1h 2m`, `62 min` and ISO 8601 (`PT1H2M`). */
function parseDuration(text: string | undefined): number | null {
  if (!text) return null;
  const parts =
    /^\s*(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,9})(?:[.,]\d+)?\s*(?:s|secs?|seconds)?\s*$/i.exec(text) ??
    /^\s*(?:PT)?(?=\d)(?:(\d{1,3})\s*h[a-z]*\s*)?(?:(\d{1,4})\s*m[a-z]*\s*)?(?:(\d{1,9})(?:\.\d+)?\s*s[a-z]*\s*)?$/i.exec(
      text,
    );
  if (parts === null) return null;
  const [hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  const total = (hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0);
  return total > 0 && total <= MAX_DURATION_SECONDS ? total : null;
}

/** Media types of files without one, which a page has to know to play them. */
const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mkv: 'video/x-matroska',
};

function typeOfName(url: string, medium: string | undefined): string | null {
  const type = TYPES[PLAYABLE_FILE.exec(url)?.[1]?.toLowerCase() ?? ''] ?? null;
  // The same container is used for sound and for pictures.
  return medium === 'audio' ? (type?.replace('video/', 'audio/') ?? null) : type;
}
