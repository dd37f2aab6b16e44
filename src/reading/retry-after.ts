import { DAY, SECOND } from '../time/duration.ts';

/** Nobody may send us away for longer than this. */
export const LONGEST_RETRY_AFTER = DAY;

/**
 * Reads `Retry-After`, seconds or a date, as a time since the epoch; `null` when there is none or it makes no sense.
 * A date is compared with the server's own clock where it told us its time, so that a wrong clock does no harm.
 */
export function retryAfter(value: string | undefined, now: number, serverDate?: string): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  let wait: number;
  if (/^\d+(\.\d+)?$/.test(text)) {
    wait = Number(text) * SECOND;
  } else {
    const at = Date.parse(text);
    if (Number.isNaN(at) || !/[a-z]/i.test(text)) return null;
    const theirNow = serverDate === undefined ? Number.NaN : Date.parse(serverDate);
    wait = at - (Number.isNaN(theirNow) ? now : theirNow);
  }
  return now + Math.min(LONGEST_RETRY_AFTER, Math.max(0, Math.ceil(wait)));
}
