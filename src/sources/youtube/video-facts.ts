import type { VideoFacts } from '../../item/item.ts';
import { HOUR } from '../../time/duration.ts';
import { type Fields, fieldsOf, text } from './data-api.ts';

/** Since autumn 2024 a short may last three minutes. */
export const LONGEST_SHORT = 180;

type Kind = NonNullable<VideoFacts['kind']>;

/** A video as `videos.list` tells it. */
export interface VideoDetails {
  readonly kind: Kind | 'maybe_short';
  readonly startsAt: number | null;
  readonly durationSeconds: number | null;
  readonly language: string | null;
}

/**
 * What kind of video it is now. A premiere is an ordinary video that waits, so it has its length before it starts; a live
 * broadcast has none until it is over. The API knows no shorts: whether a brief video is one, its address tells.
 */
export function detailsOf(video: Fields, now: number): VideoDetails {
  const snippet = fieldsOf(video.snippet);
  const live = fieldsOf(video.liveStreamingDetails);
  const seconds = readIsoDuration(text(fieldsOf(video.contentDetails)?.duration));
  const language = text(snippet?.defaultAudioLanguage) ?? text(snippet?.defaultLanguage);
  const state = text(snippet?.liveBroadcastContent) ?? 'none';
  const processed = text(fieldsOf(video.status)?.uploadStatus) === 'processed';
  const waits = (seconds ?? 0) > 0 || processed ? 'premiere' : 'live';
  if (state === 'upcoming') {
    const scheduled = Date.parse(text(live?.scheduledStartTime) ?? '');
    // Announced without a time, or with one that has passed while nothing began: looked at again later.
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
    const over = (seconds ?? 0) > 0 || text(live.actualEndTime) !== null;
    return { kind: over ? 'video' : 'live', startsAt: null, durationSeconds: seconds || null, language };
  }
  const brief = seconds !== null && seconds > 0 && seconds <= LONGEST_SHORT;
  return { kind: brief ? 'maybe_short' : 'video', startsAt: null, durationSeconds: seconds, language };
}

/** `PT1H2M3S`, `P1DT2H`, `P0D`; null where there is none. */
export function readIsoDuration(duration: string | null): number | null {
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
