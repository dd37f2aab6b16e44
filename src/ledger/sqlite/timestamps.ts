/**
 * Times in the columns of `items`: UTC text `YYYY-MM-DD HH:MM:SS.sss+00:00`. Go's SQLite drivers read this form from
 * a TIMESTAMP column into a `time.Time`, SQLite's own date functions understand it, and its order as text is the
 * order of time from year 0 to year 9999.
 */
export function toTimestamp(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}+00:00`;
}

const OUR_LENGTH = 29;

/** Reads what we write, and what Go programs and SQLite write: any zone, any or no fraction, with or without a time of day. `null` = no time. */
export function fromTimestamp(text: string): number | null {
  if (text.length === OUR_LENGTH && text.endsWith('+00:00')) {
    const ms = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);
    if (!Number.isNaN(ms)) return ms;
  }
  const parts = WRITTEN.exec(text);
  if (parts === null) return null;
  const [, day, minutes = '00:00', seconds = '00', fraction = '', zone = '+00:00'] = parts;
  const zoned = zone === 'Z' ? '+00:00' : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const ms = Date.parse(`${day}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${zoned}`);
  return Number.isNaN(ms) ? null : ms;
}

/** Go's `String()` adds the zone's name and a monotonic reading at the end; both are ignored. */
const WRITTEN =
  /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)? ?(Z|[+-]\d\d:?\d\d)?(?: [A-Z+-][\w+-]*)?(?: m=[+-][\d.]+)?)?$/;
