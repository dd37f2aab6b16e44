import { parseDate, parseJapaneseDate, utcTimestamp } from '../feeds/dates.ts';

const JAPAN_OFFSET_MINUTES = 9 * 60;
const MAX_DATE_LENGTH = 100;

const NUMERIC =
  /^(\d{4})(?:-|\/|\.|年\s?)(\d{1,2})(?:-|\/|\.|月\s?)(\d{1,2})日?(?:[T\s]*\([^)]*\))?(?:[T\s,]*(午前|午後)?(\d{1,2})(?::|時)(\d{1,2})?分?(?::?(\d{1,2})(?:[.,]\d+)?秒?)?)?\s*(Z|UTC|GMT|JST|[+-]\d{2}:?\d{2})?/i;
const ERA = /^(?:令和|平成|昭和)\s?(?:元|\d{1,2})年/;
/** `18.11.2026`; with slashes, the order of day and month is not known unless one of them is above twelve. */
const DAY_FIRST = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})\b/;

/**
 * Reads a date as pages write them. A time without a zone is taken as Japan's on a Japanese page, as UTC elsewhere,
 * never as the zone of this machine.
 */
export function parsePageDate(text: string, language: string | null): number | null {
  const input = text.trim().slice(0, MAX_DATE_LENGTH).normalize('NFKC');
  const assumed = language?.toLowerCase().startsWith('ja') ? JAPAN_OFFSET_MINUTES : 0;
  if (ERA.test(input)) return parseJapaneseDate(input.replace(/\s+/g, ' '));
  const parts = NUMERIC.exec(input);
  if (parts) {
    const [, year, month, day, half, hour, minute, second, zone] = parts;
    const later = half === '午後' && Number(hour) < 12 ? 12 : 0;
    return utcTimestamp(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour ?? 0) + later,
      Number(minute ?? 0),
      Number(second ?? 0),
      0,
      zoneOf(zone, assumed),
    );
  }
  const compact = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?$/.exec(input);
  if (compact) {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = compact
      .slice(1)
      .map((part) => Number(part ?? 0));
    return utcTimestamp(year, month - 1, day, hour, minute, second, 0, assumed);
  }
  const dayFirst = DAY_FIRST.exec(input);
  if (dayFirst) return parseDayFirst(dayFirst, language, assumed);
  // With a name of a month; without a zone it is read as UTC.
  if (!/\p{L}{3}/u.test(input) || !/\d{4}/.test(input)) return null;
  const at = parseDate(input);
  const zoned = /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}|\b[A-Z]{1,3}[SD]T)\s*(?:\([^)]*\))?$/i.test(input);
  return at === null || zoned ? at : at - assumed * 60_000;
}

function parseDayFirst(parts: RegExpExecArray, language: string | null, assumed: number): number | null {
  const [, first, separator, second, year] = parts;
  const american = separator === '/' && /^en(?:-US)?$/i.test(language ?? '') && Number(first) <= 12;
  const [day, month] = american || Number(second) > 12 ? [second, first] : [first, second];
  return utcTimestamp(Number(year), Number(month) - 1, Number(day), 0, 0, 0, 0, assumed);
}

function zoneOf(zone: string | undefined, assumed: number): number {
  if (zone === undefined) return assumed;
  if (/^JST$/i.test(zone)) return JAPAN_OFFSET_MINUTES;
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (!offset) return 0;
  return (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3]));
}

const MONTH =
  '(?:jan|feb|fév|m[aä]r|apr|avr|abr|ma[iyj]|mag|ju[nil]|giu|lug|aug|aoû|ago|se[pt]|o[ck]t|ott|out|nov|d[eéi][cz]|ene|gen|mrt|mei)\\p{L}{0,7}\\.?';
const WITHIN = new RegExp(
  [
    '(?:令和|平成|昭和)\\s?(?:元|\\d{1,2})年\\s?\\d{1,2}月\\s?\\d{1,2}日.{0,20}',
    '(?<!\\d)(?:19|20)\\d{2}(?:-|/|\\.|年\\s?)\\d{1,2}(?:-|/|\\.|月\\s?)\\d{1,2}(?!\\d)日?.{0,30}',
    `(?<![\\p{L}\\d])\\d{1,2}(?:st|nd|rd|th)?\\.?(?: de| of)? ${MONTH},?(?: de)? (?:19|20)\\d{2}`,
    `(?<!\\p{L})${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\\d{2}`,
    '(?<!\\d)\\d{1,2}([./])\\d{1,2}\\1(?:19|20)\\d{2}(?!\\d)',
  ].join('|'),
  'iu',
);

/** The first date in a line of the page. */
export function findPageDate(line: string, language: string | null): number | null {
  const found = WITHIN.exec(line.normalize('NFKC').replace(/\s+/g, ' '));
  return found && parsePageDate(found[0].replace(/(\d)(?:st|nd|rd|th)\b| (?:de|of)(?= )/gi, '$1'), language);
}

/** The date in an address: `/2026/11/18/`, `/20261118-…`. */
export function dateInUrl(url: string, language: string | null): number | null {
  const path = URL.parse(url)?.pathname ?? '';
  const parts =
    /(?:^|[^\d])((?:19|20)\d{2})[/_-](0?[1-9]|1[0-2])[/_-](0?[1-9]|[12]\d|3[01])(?!\d)/.exec(path) ??
    /(?:^|[^\da-f])(20[0-4]\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d*[a-f])/.exec(path);
  return parts && parsePageDate(`${parts[1]}-${parts[2]}-${parts[3]}`, language);
}
