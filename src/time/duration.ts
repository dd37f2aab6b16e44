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

/** Formats a duration for people: `45 s`, `12 min`, `3 h 20 min`, `5 d`. */
export function formatDuration(ms: number): string {
  const abs = Math.abs(ms);
  if (abs < SECOND) return `${Math.round(ms)} ms`;
  if (Math.round(abs / SECOND) < 60) return `${Math.round(ms / SECOND)} s`;
  if (Math.round(abs / MINUTE) < 60) return `${Math.round(ms / MINUTE)} min`;
  if (Math.round(abs / MINUTE) * MINUTE < DAY) return withRest(ms, HOUR, 'h', MINUTE, 'min');
  return withRest(ms, DAY, 'd', HOUR, 'h');
}

/** Rounds to the smaller unit first, so that the rest is never a whole larger unit. */
function withRest(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rounded = Math.round(ms / small) * small;
  const whole = Math.trunc(rounded / big);
  const rest = Math.round(Math.abs(rounded % big) / small);
  return rest === 0 ? `${whole} ${bigName}` : `${whole} ${bigName} ${rest} ${smallName}`;
}
