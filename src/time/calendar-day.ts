import { HOUR } from './duration.ts';

/** A calendar day in a time zone: from its first moment to the first moment of the next. */
export interface CalendarDay {
  readonly start: number;
  readonly end: number;
}

/** Cache of the last day of each time zone: most calls are about the same day. */
const lastDays = new Map<string, CalendarDay>();

/** The day that a moment belongs to. Days on which clocks change have 23 or 25 hours. */
export function calendarDay(at: number, timeZone: string): CalendarDay {
  const last = lastDays.get(timeZone);
  if (last !== undefined && at >= last.start && at < last.end) return last;
  const start = startOfDay(at, timeZone);
  // 36 hours after its start is always the next day, even when the clocks change.
  const day = { start, end: startOfDay(start + 36 * HOUR, timeZone) };
  lastDays.set(timeZone, day);
  return day;
}

/** The date of a moment in a time zone, as in `2026-11-15`. */
export function calendarDate(at: number, timeZone: string): string {
  return new Date(at + offsetAt(at, timeZone)).toISOString().slice(0, 10);
}

function startOfDay(at: number, timeZone: string): number {
  const local = at + offsetAt(at, timeZone);
  const midnight = local - modulo(local, 24 * HOUR);
  // The clocks may have changed between midnight and now.
  return midnight - offsetAt(midnight - offsetAt(at, timeZone), timeZone);
}

/** How far the clocks of a time zone are ahead of UTC at a moment, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const parts = Object.fromEntries(
    clockOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - (at - modulo(at, 1000));
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  const made = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone,
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  clocks.set(timeZone, made);
  return made;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
