/** Checked, since `Date.UTC` would turn 31 February into March without a word. `24:00` is the next day's beginning. */
export function utc(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms: number,
  zone: number,
): number | null {
  if (month < 0 || month > 11 || day < 1 || day > new Date(Date.UTC(year, month + 1, 0)).getUTCDate())
    return null;
  if (hour > 24 || minute > 59 || second > 60 || (hour === 24 && (minute > 0 || second > 0))) return null;
  return Date.UTC(year, month, day, hour, minute, Math.min(second, 59), ms) - zone * 60_000;
}
