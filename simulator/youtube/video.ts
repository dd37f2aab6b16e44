import { HOUR, MINUTE } from '../../src/time/duration.ts';
import { writeArticle } from '../texts/article.ts';
import type { Language, TopicId } from '../texts/topic.ts';
import { rngOf } from '../world/rng.ts';

export interface VideoChannel {
  readonly id: string;
  readonly handle: string;
  readonly title: string;
  readonly language: Language;
  readonly topics: readonly TopicId[];
}

export const CHANNELS: readonly VideoChannel[] = [
  {
    id: 'UCsimulatedDataTalks000A',
    handle: '@datatalks',
    title: 'Data Talks',
    language: 'en',
    topics: ['databases', 'typescript', 'ai'],
  },
  {
    id: 'UCsimulatedOrbitShow00_B',
    handle: '@orbitshow',
    title: 'The Orbit Show',
    language: 'en',
    topics: ['space', 'climate'],
  },
  {
    id: 'UCsimulatedDaidokoro00-C',
    handle: '@daidokoro',
    title: '台所チャンネル',
    language: 'ja',
    topics: ['cooking'],
  },
];

export type VideoKind = 'video' | 'short' | 'live' | 'premiere';

export interface Video {
  readonly id: string;
  readonly channel: VideoChannel;
  readonly number: number;
  readonly kind: VideoKind;
  readonly title: string;
  readonly description: string;
  readonly publishedAt: number;
  /** For live and premieres: when it starts and ends. */
  readonly startsAt: number;
  readonly endsAt: number;
  readonly seconds: number;
}

export function videoAt(seed: number, channel: VideoChannel, number: number, publishedAt: number): Video {
  const rng = rngOf(seed, 'youtube', channel.id, number);
  const chance = rng.next();
  const kind: VideoKind =
    chance < 0.6 ? 'video' : chance < 0.8 ? 'short' : chance < 0.9 ? 'live' : 'premiere';
  const article = writeArticle(channel.language, rng.pick(channel.topics), seed, channel.id, number);
  const seconds = kind === 'short' ? rng.between(15, 59) : rng.between(180, 2400);
  const startsAt = kind === 'premiere' ? publishedAt + 2 * HOUR : publishedAt + 5 * MINUTE;
  return {
    id: videoId(CHANNELS.indexOf(channel), number),
    channel,
    number,
    kind,
    title: kind === 'short' ? `${article.title} #shorts` : article.title,
    description: [...article.paragraphs, ...article.background].join('\n\n'),
    publishedAt,
    startsAt,
    endsAt: startsAt + (kind === 'live' ? HOUR : seconds * 1000),
    seconds,
  };
}

const MASK = Buffer.from('5ac3910f7be2', 'hex');

/** Eleven characters, as on YouTube, from which the video can be derived. */
export function videoId(channel: number, number: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt8(channel + 1, 0);
  bytes.writeUIntBE(number, 1, 6);
  for (let i = 0; i < 6; i++) bytes[i + 1] = (bytes[i + 1] ?? 0) ^ (MASK[i] ?? 0);
  bytes[7] = (bytes.subarray(0, 7).reduce((sum, byte) => sum + byte, 0) * 31) & 0xfc;
  return bytes.toString('base64url');
}

/** The video of this ID, or `null` for an unknown ID. */
export function parseVideoId(id: string): { channel: VideoChannel; number: number } | null {
  const bytes = Buffer.from(id, 'base64url');
  const channel = CHANNELS[(bytes[0] ?? 0) - 1];
  if (bytes.length !== 8 || !channel) return null;
  for (let i = 0; i < 6; i++) bytes[i + 1] = (bytes[i + 1] ?? 0) ^ (MASK[i] ?? 0);
  const number = bytes.readUIntBE(1, 6);
  return videoId(CHANNELS.indexOf(channel), number) === id ? { channel, number } : null;
}
