import { signal } from '@preact/signals';
import { type Language, language, words } from './words/words.ts';

const MINUTE = 60_000;
const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
];

/** Moves on twice a minute, so that "5 minutes ago" does not grow old. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 30_000);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

const made = new Map<string, Intl.RelativeTimeFormat | Intl.DateTimeFormat>();

/** "5 minutes ago", "in 2 hours", and the date where it is more than a week away. */
export function relative(at: number): string {
  // The signal keeps the words fresh; between two of its steps things happen that must not seem to lie ahead.
  const ms = at - Math.max(now.value, Date.now());
  if (Math.abs(ms) > 7 * 24 * 60 * MINUTE) return dateOf(at);
  if (Math.abs(ms) < MINUTE) return ms > 0 ? words.value.soon : words.value.now;
  const [unit, size] = STEPS.find(([, step]) => Math.abs(ms) >= step) ?? ['minute', MINUTE];
  return relativeFormat(language.value).format(Math.trunc(ms / size), unit);
}

const UNITS = [
  ['d', 24 * 60 * MINUTE],
  ['h', 60 * MINUTE],
  ['min', MINUTE],
  ['s', 1000],
] as const;

/** "45 s", "12 min", "3 h 20 min", "5 d": rounded before it is split, so that the rest is never a whole unit. */
export function durationText(ms: number): string {
  const w = words.value.durationUnits;
  const smallest = ms >= 24 * 60 * MINUTE ? 60 * MINUTE : ms >= MINUTE ? MINUTE : 1000;
  let rest = Math.max(1, Math.round(ms / smallest)) * smallest;
  const parts = UNITS.flatMap(([unit, size]) => {
    const n = Math.floor(rest / size);
    rest %= size;
    return n === 0 ? [] : [`${n.toLocaleString(language.value)}${w[unit]}`];
  });
  return parts.join(w.between);
}

/** To the second, for a history in which several things happen within a minute. */
export function stamp(at: number): string {
  const parts = {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const;
  return dateFormat('stamp', parts).format(at);
}

export function dateOf(at: number): string {
  return dateFormat('date', { day: 'numeric', month: 'short', year: 'numeric' }).format(at);
}

export function fullTime(at: number): string {
  return dateFormat('full', { dateStyle: 'full', timeStyle: 'medium' }).format(at);
}

/** As a sheet of news is dated; in Japanese by the era. */
export function sheetDate(at: number): string {
  const calendar = language.value === 'ja' ? 'ja-JP-u-ca-japanese' : 'en-GB';
  return new Intl.DateTimeFormat(calendar, {
    era: language.value === 'ja' ? 'long' : undefined,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  } as Intl.DateTimeFormatOptions).format(at);
}

function relativeFormat(lang: Language): Intl.RelativeTimeFormat {
  const known = made.get(`relative ${lang}`);
  if (known instanceof Intl.RelativeTimeFormat) return known;
  const format = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' });
  made.set(`relative ${lang}`, format);
  return format;
}

function dateFormat(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const lang = language.value === 'ja' ? 'ja-JP' : 'en-GB';
  const known = made.get(`${name} ${lang}`);
  if (known instanceof Intl.DateTimeFormat) return known;
  const format = new Intl.DateTimeFormat(lang, options);
  made.set(`${name} ${lang}`, format);
  return format;
}

/** A duration in words, as exact as people speak of it: "1 hour 2 minutes", "45 seconds"; empty if it is unknown. */
export function durationWords(seconds: number | null): string {
  if (seconds === null || !(seconds > 0)) return '';
  if (seconds < 60) return inUnit(Math.max(1, Math.round(seconds)), 'second', 'long');
  const minutes = Math.round(seconds / 60);
  const parts = [
    [Math.floor(minutes / 60), 'hour'],
    [minutes % 60, 'minute'],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => inUnit(amount, unit, 'long'))
    .join(' ');
}

/** The size of a file: "46 MB"; empty if it is unknown. */
export function sizeWords(bytes: number | null): string {
  if (bytes === null || !(bytes > 0)) return '';
  if (bytes >= 999_500_000) return inUnit(bytes / 1e9, 'gigabyte', 'short');
  if (bytes >= 999_500) return inUnit(bytes / 1e6, 'megabyte', 'short');
  return inUnit(Math.max(1, bytes / 1e3), 'kilobyte', 'short');
}

function inUnit(amount: number, unit: string, unitDisplay: 'long' | 'short'): string {
  const maximumFractionDigits = amount < 10 ? 1 : 0;
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    unitDisplay,
    maximumFractionDigits,
  }).format(amount);
}
