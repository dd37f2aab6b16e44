/** Checked, since `Date.UTC` would turn 31 February into March silently. `24:00` is the next day's beginning. */
export function utcTimestamp(
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

/** The year before an era's first. */
const ERAS: Readonly<Record<string, number>> = {
  令和: 2018,
  平成: 1988,
  昭和: 1925,
  R: 2018,
  H: 1988,
  S: 1925,
};

const JAPAN_OFFSET_MINUTES = 9 * 60;

const DATE =
  /^(?:(令和|平成|昭和|[RHS])\.? ?(元|\d{1,2})|(\d{4}))(?: ?年 ?|[./])(\d{1,2})(?: ?月 ?|[./])(\d{1,2})(?: ?日)?(.*)$/;
const TIME =
  /^ ?(午前|午後|AM|PM)? ?(\d{1,2})(?: ?時 ?|:)(?:(\d{1,2})(?: ?分|:)?)? ?(?:(\d{1,2}) ?秒?)?(.*)$/i;

/** `2026年11月15日(日) 20時05分`, `令和8年11月15日`, `R8.11.15`, `平成元年1月8日 午後3時`; Japanese time. */
export function parseJapaneseDate(line: string): number | null {
  const match = DATE.exec(line);
  if (!match || !(line.includes('年') || match[1] !== undefined)) return null;
  const [, era, eraYear, plainYear, month = '', day = '', rest = ''] = match;
  const year =
    era === undefined ? Number(plainYear) : (ERAS[era] ?? 0) + (eraYear === '元' ? 1 : Number(eraYear));
  const time = TIME.exec(rest.replace(/^ ?[(（][^)）]{1,4}[)）]/, ''));
  const half = time?.[1] ?? '';
  const hour = Number(time?.[2] ?? 0);
  const later = (half === '午後' || /^pm$/i.test(half)) && hour < 12 ? 12 : 0;
  return utcTimestamp(
    year,
    +month - 1,
    +day,
    hour + later,
    Number(time?.[3] ?? 0),
    Number(time?.[4] ?? 0),
    0,
    JAPAN_OFFSET_MINUTES,
  );
}

const MONTHS: Readonly<Record<string, number>> = {
  jan: 0,
  feb: 1,
  mar: 2,
  apr: 3,
  may: 4,
  jun: 5,
  jul: 6,
  aug: 7,
  sep: 8,
  oct: 9,
  nov: 10,
  dec: 11,
  // German, French, Spanish, Italian, Portuguese and Dutch forms seen in feeds, by their first letters.
  mär: 2,
  mai: 4,
  okt: 9,
  dez: 11,
  fév: 1,
  fev: 1,
  avr: 3,
  jui: 5,
  aoû: 7,
  aou: 7,
  déc: 11,
  ene: 0,
  abr: 3,
  ago: 7,
  dic: 11,
  gen: 0,
  mag: 4,
  giu: 5,
  lug: 6,
  set: 8,
  ott: 9,
  mei: 4,
  mrt: 2,
  out: 9,
};

/** Minutes east of Greenwich. Single letters are read as zero: RFC 822 had their signs wrong, so they are not reliable. */
const ZONES: Readonly<Record<string, number>> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  wet: 0,
  west: 60,
  bst: 60,
  ist: 330,
  cet: 60,
  cest: 120,
  mez: 60,
  mesz: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  jst: 540,
  kst: 540,
  hkt: 480,
  sgt: 480,
  aest: 600,
  aedt: 660,
  acst: 570,
  awst: 480,
  nzst: 720,
  nzdt: 780,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  akst: -540,
  akdt: -480,
  hst: -600,
  ast: -240,
  adt: -180,
  nst: -210,
  brt: -180,
  art: -180,
};

/** Maximum length of a date. */
const MAX_DATE_LENGTH = 100;

/**
 * Reads a date as feeds write it: RFC 822 and its many variants, ISO 8601, RFC 3339, Japanese forms with and without
 * eras, Unix seconds. Weekdays are ignored, since they are often wrong. A date without a zone is taken as UTC (as
 * Japanese time if it is written in Japanese). `null` where there is no date or an impossible one.
 */
export function parseDate(text: string): number | null {
  const usual = USUAL.exec(text);
  if (usual !== null) return parseUsual(usual);
  const line = text.slice(0, MAX_DATE_LENGTH).normalize('NFKC').replace(/\s+/g, ' ').trim();
  if (line === '') return null;
  const time =
    parseJapaneseDate(line) ?? parseIso(line) ?? parseWords(line) ?? parseAmerican(line) ?? parseUnix(line);
  return time !== null && time >= EARLIEST && time < LATEST ? time : null;
}

/** Fast path for the form that most feeds use. */
const USUAL = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (20\d{2}) (\d{2}):(\d{2}):(\d{2}) (GMT|[+-]\d{4})$/;

function parseUsual(found: RegExpExecArray): number | null {
  const [, day = '', month = '', year = '', hour = '', minute = '', second = '', zone = ''] = found;
  const offset = parseZone(zone);
  const index = MONTHS[month.toLowerCase()];
  if (index === undefined || offset === null) return null;
  return utcTimestamp(+year, index, +day, +hour, +minute, +second, 0, offset);
}

const EARLIEST = Date.UTC(1971, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

/** `2026-11-15T20:00:00.123+09:00`, with blanks, slashes or dots, with parts missing. */
const ISO =
  /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[T ,]+(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,9}))?)?)?)? ?(.*)$/i;
const ISO_COMPACT = /^(\d{4})(\d{2})(\d{2})(?:[T ]?(\d{2})(\d{2})(\d{2})?)?()() ?(z|[+-]\d.*|[a-z]{1,5})?$/i;

function parseIso(line: string): number | null {
  const match = ISO.exec(line) ?? ISO_COMPACT.exec(line);
  if (!match) return null;
  const fields =
    match[9] === undefined && match.length === 9 ? match : [...match.slice(0, 8), match[9] ?? ''];
  const [
    ,
    year = '',
    month = '',
    day = '1',
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    zone = '',
  ] = fields;
  const offset = parseZone(zone);
  if (offset === null) return null;
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3));
  return utcTimestamp(+year, +month - 1, +day, +hour, +minute, +second, ms, offset);
}

/** `Sun, 15 Nov 2026 20:00:00 GMT`, `15 November 26 8:00 pm`, `Nov 15, 2026`, and Unix `date` with the year last. */
function parseWords(line: string): number | null {
  const words = line
    .replace(/(\d)(st|nd|rd|th)\b/gi, '$1')
    .split(/[\s,]+|(?<=[A-Za-z])-(?=\d)|(?<=\d)-(?=[A-Za-z])/);
  let month: number | null = null;
  let time: RegExpExecArray | null = null;
  let pm = '';
  const numbers: string[] = [];
  let zone = '';
  for (const word of words) {
    const clock = /^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,]\d{1,9})?)?(z|am|pm|[+-]\d{2}:?\d{2})?$/i.exec(
      word,
    );
    if (clock) {
      time = clock;
      if (/^[ap]m$/i.test(clock[4] ?? '')) pm = clock[4] ?? '';
      else zone ||= clock[4] ?? '';
    } else if (/^\d{1,4}$/.test(word)) numbers.push(word);
    else if (/^[ap]\.?m\.?$/i.test(word)) pm = word;
    else if (month === null && monthOf(word) !== null) month = monthOf(word);
    else if (isZone(word) && (time || numbers.length > 1))
      zone += zone === '' || /^[+-]/.test(word) ? word : '';
  }
  const [first, second] = numbers;
  if (month === null || first === undefined || second === undefined) return null;
  const [day, year] = first.length > 2 ? [second, first] : [first, second];
  const hour = twelve(Number(time?.[1] ?? 0), pm);
  const offset = parseZone(zone);
  if (hour === null || offset === null) return null;
  return utcTimestamp(
    fullYear(year),
    month,
    +day,
    hour,
    Number(time?.[2] ?? 0),
    Number(time?.[3] ?? 0),
    0,
    offset,
  );
}

/** `11/15/2026 8:00 PM`; the day first where the month would be impossible, or where dots part them. */
function parseAmerican(line: string): number | null {
  const match =
    /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:[ ,T]+(\d{1,2}):(\d{2})(?::(\d{2}))? ?([ap]\.?m\.?)?)? ?(.*)$/i.exec(
      line,
    );
  if (!match) return null;
  const [, a = '', mark, b = '', year = '', hour = '0', minute = '0', second = '0', pm = '', zone = ''] =
    match;
  const dayFirst = mark === '.' || +a > 12;
  const offset = parseZone(zone);
  const hours = twelve(+hour, pm);
  if (offset === null || hours === null) return null;
  return utcTimestamp(
    fullYear(year),
    (dayFirst ? +b : +a) - 1,
    dayFirst ? +a : +b,
    hours,
    +minute,
    +second,
    0,
    offset,
  );
}

/** Seconds or milliseconds since 1970. */
function parseUnix(line: string): number | null {
  if (!/^\d{9,13}(?:\.\d{1,6})?$/.test(line)) return null;
  const value = Number(line);
  return value > 99_999_999_999 ? Math.round(value) : Math.round(value * 1000);
}

function monthOf(word: string): number | null {
  const lower = word.toLowerCase();
  if (lower.length < 3 || !/^\p{L}+\.?$/u.test(lower)) return null;
  if (lower.startsWith('juil') || lower.startsWith('jul')) return 6;
  return MONTHS[lower.slice(0, 3)] ?? null;
}

function isZone(word: string): boolean {
  return /^\(?[A-Za-z]{1,5}\)?$/.test(word) || /^(?:gmt|utc)?[+-]\d{1,2}:?\d{0,2}$/i.test(word);
}

/** Minutes east of Greenwich; 0 if there is no zone, null if it is invalid. */
function parseZone(text: string): number | null {
  if (text === 'GMT' || text === '' || text === 'Z') return 0;
  const zone = text
    .trim()
    .replace(/\s*\([^)]*\)$/, '')
    .replace(/^\(|\)$/g, '');
  if (zone === '') return 0;
  const offset = /^(?:gmt|utc|z)? ?([+-])(\d{1,2}):?(\d{2})?(?::?\d{2})?$/i.exec(zone);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
    return minutes > 14 * 60 ? null : offset[1] === '-' ? -minutes : minutes;
  }
  const named = ZONES[zone.toLowerCase()];
  if (named !== undefined) return named;
  return /^[A-Za-z]{1,5}$/.test(zone) ? 0 : null;
}

function twelve(hour: number, pm: string): number | null {
  if (pm === '') return hour;
  if (hour < 1 || hour > 12) return hour <= 23 ? hour : null;
  return (hour % 12) + (/^p/i.test(pm) ? 12 : 0);
}

function fullYear(year: string): number {
  if (year.length > 2) return Number(year);
  return Number(year) < 70 ? 2000 + Number(year) : 1900 + Number(year);
}
