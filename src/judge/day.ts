/** The calendar day around a time, in a time zone. Limits per day are counted in it. */
export interface Day {
  readonly start: number;
  readonly end: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The last answer for each time zone: most questions are about the same day. */
const lastDays = new Map<string, Day>();

export function dayOf(now: number, timeZone: string): Day {
  const last = lastDays.get(timeZone);
  if (last && now >= last.start && now < last.end) return last;
  const { year, month, day } = wallTime(now, timeZone);
  const found = {
    start: midnight(year, month, day, timeZone),
    end: midnight(year, month, day + 1, timeZone),
  };
  lastDays.set(timeZone, found);
  return found;
}

function midnight(year: number, month: number, day: number, timeZone: string): number {
  const wanted = Date.UTC(year, month - 1, day);
  let guess = wanted;
  // Twice, because the offset at the guess may differ from the offset at the answer (a change of clocks).
  for (let i = 0; i < 2; i++) guess = wanted - offset(guess, timeZone);
  return guess;
}

function offset(at: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = wallTime(at, timeZone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

function wallTime(at: number, timeZone: string) {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  };
}
