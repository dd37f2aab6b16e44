/** Durations in milliseconds, and their form in the configuration: `90s`, `2h30m`, `2.5 hours`, `7d`. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND,
  second: SECOND,
  seconds: SECOND,
  m: MINUTE,
  min: MINUTE,
  minute: MINUTE,
  minutes: MINUTE,
  h: HOUR,
  hour: HOUR,
  hours: HOUR,
  d: DAY,
  day: DAY,
  days: DAY,
  w: 7 * DAY,
  week: 7 * DAY,
  weeks: 7 * DAY,
};

const PART = /(\d+(?:\.\d+)?)\s*([a-z]+)\s*/gy;

/** Parses a duration; `null` if it is invalid. */
export function parseDuration(text: string): number | null {
  const input = text.trim().toLowerCase();
  let total = 0;
  let end = 0;
  PART.lastIndex = 0;
  for (let part = PART.exec(input); part; part = PART.exec(input)) {
    const unit = UNITS[part[2] ?? ''];
    if (unit === undefined) return null;
    total += Number(part[1]) * unit;
    end = PART.lastIndex;
  }
  return end > 0 && end === input.length && Number.isSafeInteger(Math.round(total))
    ? Math.round(total)
    : null;
}

/** Formats a duration for people: `45 s`, `12 min`, `3 h 20 min`, `5 d`. Rounds before it splits: never `1 h 60 min`. */
export function formatDuration(ms: number): string {
  const sign = ms < 0 ? '-' : '';
  const abs = Math.abs(ms);
  const rounded = (unit: number): number => Math.round(abs / unit) * unit;
  if (rounded(1) < SECOND) return `${sign}${rounded(1)} ms`;
  if (rounded(SECOND) < MINUTE) return `${sign}${rounded(SECOND) / SECOND} s`;
  if (rounded(MINUTE) < HOUR) return `${sign}${rounded(MINUTE) / MINUTE} min`;
  if (rounded(MINUTE) < DAY) return sign + withRest(rounded(MINUTE), HOUR, 'h', MINUTE, 'min');
  return sign + withRest(rounded(HOUR), DAY, 'd', HOUR, 'h');
}

function withRest(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const whole = Math.trunc(ms / big);
  const rest = (ms % big) / small;
  return rest === 0 ? `${whole} ${bigName}` : `${whole} ${bigName} ${rest} ${smallName}`;
}
