import { distinctiveMeaningOf, meaningOf } from './word-meaning.ts';

/** A number with what it counts: two magnitudes or two percentages contradict each other, a sum and a share do not. */
export interface Quantity {
  readonly value: number;
  readonly unit: string;
}

const MAX_QUANTITIES = 24;
const SIZES: Readonly<Record<string, number>> = {
  thousand: 1e3,
  k: 1e3,
  million: 1e6,
  millio: 1e6,
  mln: 1e6,
  mn: 1e6,
  m: 1e6,
  billion: 1e9,
  bln: 1e9,
  bn: 1e9,
  b: 1e9,
  trillion: 1e12,
  tn: 1e12,
  千: 1e3,
  万: 1e4,
  億: 1e8,
  兆: 1e12,
};
const QUARTERS: Readonly<Record<string, string>> = { first: '1', second: '2', third: '3', fourth: '4' };
const WRITTEN_NUMBERS: ReadonlyMap<string, number> = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, value): [string, number] => [word, value])
    .concat([
      ['thirty', 30],
      ['forty', 40],
      ['fifty', 50],
      ['sixty', 60],
      ['seventy', 70],
      ['eighty', 80],
      ['ninety', 90],
    ]),
);
const WRITTEN_NUMBER = `\\b(?:${[...WRITTEN_NUMBERS.keys()].join('|')})\\b`;
const WRITTEN = new RegExp(WRITTEN_NUMBER);
const ALL_WRITTEN = new RegExp(WRITTEN_NUMBER, 'g');

/** What stands before it, the digits, a size or a series of sizes (2兆3000億), what is counted. */
const NUMBER =
  /(?:\b(q|m|v)|(第)|(?:us|a|c|nz)?([$€£¥]))?(?:us)?(\d+(?:[.,]\d+)*)(?:(:\d\d)|(?:[\s-]?(thousand|millio\b|million|mln\b|mn\b|billion|bln\b|bn\b|trillion|tn\b|[mbk](?![a-z]))|([千万億兆])((?:\d+[千万億兆]?)*)))?(?:\s?([-–―—])(\d{1,3})(?![\d%a-z]))?[\s-]*(%|percent|per cent|pct|パーセント|dollars?\b|euros?\b|pounds?\b|yen\b|円|ドル|ユーロ|ポンド|ウォン|元|[人件日月年号回台歳戦度位倍氏対区線期冊時分戸棟校箱本館社店話週点]|[a-z]{2,}(?![a-z\d]))?/g;

/** One of a series: the fifth game, issue 12. */
const ORDINAL = '第';
const SCORE = 'score';
const YEAR = '年';
const QUARTER_UNIT = 'q';
const UNITS: ReadonlyMap<string, string> = new Map([
  ['%', '%'],
  ['percent', '%'],
  ['per cent', '%'],
  ['pct', '%'],
  ['パーセント', '%'],
  ['$', 'usd'],
  ['dollar', 'usd'],
  ['dollars', 'usd'],
  ['ドル', 'usd'],
  ['€', 'eur'],
  ['euro', 'eur'],
  ['euros', 'eur'],
  ['ユーロ', 'eur'],
  ['£', 'gbp'],
  ['pound', 'gbp'],
  ['pounds', 'gbp'],
  ['ポンド', 'gbp'],
  ['¥', 'jpy'],
  ['yen', 'jpy'],
  ['円', 'jpy'],
  ['ウォン', 'krw'],
  ['元', 'cny'],
]);
/** How a unit is written after a number, or before it. */
const SIGNS: Readonly<Record<string, string>> = { usd: '$', eur: '€', gbp: '£', jpy: '¥', krw: '₩' };
/** What is measured in tenths. */
const MEASURES = new Set(
  'degree metre meter kilometre kilometer km mile inch feet ton tonne second minute hour year point litre liter gram kilo kg magnitud time'
    .split(' ')
    .map(meaningOf),
);
/** Units of which one story hardly ever has two values in its titles; of other things it often does. */
const EXACT_UNITS = new Set([
  ...['%', 'usd', 'eur', 'gbp', 'jpy', 'krw', 'cny', QUARTER_UNIT, 'm', 'v', SCORE, '月', '号', '回'],
]);

const QUARTER = /\b(first|second|third|fourth)[- ]quarter\b/g;
const QUARTER_AFTER = /\b([1-4])q\b/;
const QUARTERS_AFTER = new RegExp(QUARTER_AFTER, 'g');
const MAGNITUDE = /\bmagnitude[- ](?=\d)|マグニチュード(?:は)?(?=\d)/g;
const MAGNITUDE_AFTER = /(\d(?:\.\d)?)-magnitude\b/g;
const PART = /\b(?:game|round|part|episode|issue|chapter|day|match|no\.|vol\.?|#)\s?(?=\d)/;
const PARTS = new RegExp(PART, 'g');
const NONE: readonly Quantity[] = [];

/**
 * The quantities in a text in NFKC and lower case, in one form: 12% and 12 percent, 2m and two million, $15.4-billion and
 * 154億ドル are one.
 */
export function quantitiesOf(text: string): readonly Quantity[] {
  const isWritten = hasBetween(text, 0x61, 0x7a) && WRITTEN.test(text);
  if (!isWritten && !hasBetween(text, 0x30, 0x39) && !text.includes('quarter')) return NONE;
  const found: Quantity[] = [];
  const plain = inDigits(text, isWritten);
  NUMBER.lastIndex = 0;
  for (
    let match = NUMBER.exec(plain);
    match !== null && found.length < MAX_QUANTITIES;
    match = NUMBER.exec(plain)
  ) {
    const quantity = quantityIn(match);
    if (quantity !== null) found.push(quantity);
  }
  // Long-lived; a copy has no spare capacity.
  return found.slice();
}

/** Whether a character of a range occurs: `a` to `z`, `0` to `9`. */
function hasBetween(text: string, first: number, last: number): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= first && code <= last) return true;
  }
  return false;
}

function quantityIn(match: RegExpExecArray): Quantity | null {
  const [, before, ordinal, sign, digits = '', clock, size, japaneseSize, rest, dash, other, after] = match;
  if (clock !== undefined) return null;
  const parts = /[.,]/.test(digits) ? digits.replace(/,(?=\d{3})/g, '').split('.') : [digits];
  // A version has more than one point and is no number; all that counts is that it is another one.
  if (parts.length > 2) return { value: versionValue(parts), unit: 'v' };
  const number = Number(parts.join('.').replace(',', '.'));
  if (other !== undefined && dash !== undefined && number < 1000)
    return {
      value: Math.max(number, Number(other)) * 1000 + Math.min(number, Number(other)),
      unit: SCORE,
    };
  const value = number * (SIZES[size ?? japaneseSize ?? ''] ?? 1) + (rest ? sumOf(rest) : 0);
  if (!Number.isFinite(value)) return null;
  if (ordinal !== undefined) return { value, unit: ORDINAL };
  return { value, unit: before ?? unitOf(sign ?? after, value, size ?? japaneseSize) };
}

/** `3000億` and `4000` after a first size. */
function sumOf(rest: string): number {
  let sum = 0;
  for (const [, digits, size] of rest.matchAll(/(\d+)([千万億兆])?/g))
    sum += Number(digits) * (SIZES[size ?? ''] ?? 1);
  return sum;
}

/** One way to write each: a quarter, a magnitude, one of a series, a number. */
function inDigits(text: string, isWritten: boolean): string {
  let plain = text;
  if (plain.includes('quarter'))
    plain = plain.replace(QUARTER, (_, word: string) => `q${QUARTERS[word] ?? ''} quarter`);
  if (QUARTER_AFTER.test(plain)) plain = plain.replace(QUARTERS_AFTER, 'q$1');
  if (plain.includes('magnitude') || plain.includes('マグニチュード'))
    plain = plain.replace(MAGNITUDE, 'm').replace(MAGNITUDE_AFTER, 'm$1');
  if (PART.test(plain)) plain = plain.replace(PARTS, ORDINAL);
  return isWritten ? plain.replace(ALL_WRITTEN, (word) => String(WRITTEN_NUMBERS.get(word) ?? word)) : plain;
}

function unitOf(after: string | undefined, value: number, size: string | undefined): string {
  const known = after === undefined ? undefined : UNITS.get(after);
  if (known !== undefined) return known;
  if (size === undefined && value >= 1900 && value < 2100 && Number.isInteger(value)) return YEAR;
  const isEnglish = after !== undefined && /^[a-z]/.test(after);
  const counted = isEnglish ? distinctiveMeaningOf(after) : (after ?? '');
  // A version: few other things are counted in tenths.
  const isVersion = size === undefined && !Number.isInteger(value) && (isEnglish || after === undefined);
  return isVersion && !MEASURES.has(counted) ? 'v' : counted;
}

function versionValue(parts: readonly string[]): number {
  return parts.slice(0, 4).reduce((sum, part, place) => sum + Number(part) / 1000 ** place, 0) + 1e-12;
}

/** For people: 12%, $15.4 billion, 5回. */
export function writtenAs({ value, unit }: Quantity): string {
  if (unit === SCORE) return `${Math.floor(value / 1000)}–${value % 1000}`;
  const digits = roundNumber(value);
  const sign = SIGNS[unit];
  if (sign !== undefined) return `${sign}${digits}`;
  if (/^[qmv第]$/.test(unit)) return `${unit}${digits}`;
  return /^[a-z]/.test(unit) ? digits : `${digits}${unit}`;
}

function roundNumber(value: number): string {
  for (const [size, name] of [
    [1e12, 'trillion'],
    [1e9, 'billion'],
    [1e6, 'million'],
  ] as const)
    if (value >= size) return `${Number((value / size).toPrecision(6))} ${name}`;
  return String(Number(value.toPrecision(9)));
}

/** The figures of an item. */
export interface Figures {
  readonly title: readonly Quantity[];
  /** Those of its title and of its lead. */
  readonly all: readonly Quantity[];
}

/** How the figures of two items relate. */
export interface FigureEvidence {
  /** Figures that both have, the title of one at least; less for a number that counts something else. */
  readonly agreeing: number;
  /** Both titles have other figures for the same thing, and neither text knows the other's. */
  readonly exactConflict: boolean;
  /** The same for counts, of which reports often choose different ones. */
  readonly countConflict: boolean;
}

export function compareFigures(one: Figures, other: Figures): FigureEvidence {
  if (one.all.length === 0 || other.all.length === 0) return NO_FIGURE_EVIDENCE;
  const agreeing = Math.max(agreeingFigures(one.title, other.all), agreeingFigures(other.title, one.all));
  let [exactConflict, countConflict] = [false, false];
  for (const mine of one.title) {
    if (has(other.all, mine) || !contradicts(mine, other.title, one.all)) continue;
    if (EXACT_UNITS.has(mine.unit) || mine.value >= MIN_LARGE_NUMBER) exactConflict = true;
    else countConflict = true;
  }
  return agreeing === 0 && !exactConflict && !countConflict
    ? NO_FIGURE_EVIDENCE
    : { agreeing, exactConflict, countConflict };
}

/** Whether other figures count the same thing, and the own item has none of them. */
function contradicts({ unit }: Quantity, others: readonly Quantity[], own: readonly Quantity[]): boolean {
  let found = false;
  for (const other of others) {
    if (other.unit !== unit) continue;
    if (has(own, other)) return false;
    found = true;
  }
  return found;
}

/** Of something that large there is one figure. */
const MIN_LARGE_NUMBER = 1e6;

const NO_FIGURE_EVIDENCE: FigureEvidence = { agreeing: 0, exactConflict: false, countConflict: false };

/** Both are parts of a series, and no part is the same. */
export function areOtherParts(one: Figures, other: Figures): boolean {
  if (!hasOrdinal(one) || !hasOrdinal(other)) return false;
  return agreeingFigures(one.all.filter(isOrdinal), other.all.filter(isOrdinal)) === 0;
}

/** The figures of one that the other has. */
export function commonFigures(one: readonly Quantity[], other: readonly Quantity[]): readonly Quantity[] {
  return one.filter((mine) => has(other, mine));
}

function agreeingFigures(one: readonly Quantity[], other: readonly Quantity[]): number {
  let sum = 0;
  for (const mine of one) {
    if (isTelling(mine)) sum += agreementWith(mine, other);
  }
  return sum;
}

/** 1 if one of the figures is the same, less if it counts something else. */
function agreementWith(figure: Quantity, others: readonly Quantity[]): number {
  let found = 0;
  for (const other of others) {
    if (!agree(other, figure)) continue;
    if (other.unit === figure.unit) return 1;
    found = OTHER_UNIT_SHARE;
  }
  return found;
}

/** A number that counts something else in the other item: 40,000 cars, 40,000 trucks. */
const OTHER_UNIT_SHARE = 0.5;

/** Every other title has the year, the quarter, or one of something; 3号機 and 台風14号 are names. */
function isTelling({ value, unit }: Quantity): boolean {
  if ((unit === YEAR && value >= 1900) || unit === QUARTER_UNIT || unit === '号') return false;
  return value > 2 || EXACT_UNITS.has(unit) || unit === ORDINAL;
}

function hasOrdinal({ all }: Figures): boolean {
  for (const { unit } of all) if (unit === ORDINAL) return true;
  return false;
}

function isOrdinal({ unit }: Quantity): boolean {
  return unit === ORDINAL;
}

function has(all: readonly Quantity[], figure: Quantity): boolean {
  for (const each of all) if (agree(each, figure)) return true;
  return false;
}

/** Up to this, a number is no evidence if it counts something else. */
const MAX_SMALL_NUMBER = 12;

function agree(one: Quantity, other: Quantity): boolean {
  if (one.unit !== other.unit) {
    if (EXACT_UNITS.has(one.unit) && EXACT_UNITS.has(other.unit)) return false;
    if (one.value <= MAX_SMALL_NUMBER && one.unit !== '' && other.unit !== '') return false;
    return one.value === other.value;
  }
  return one.value === other.value || isRounded(one.value, other.value) || isRounded(other.value, one.value);
}

/** Whether the first is the second with fewer digits: 2 million for 2.1 million, 12万 for 12万4000. */
function isRounded(rounded: number, exact: number): boolean {
  if (!Number.isInteger(exact) && exact >= 10 && exact < 1000) return Math.round(exact) === rounded;
  if (exact < 1000 || Math.abs(rounded - exact) > exact * 0.1) return false;
  const digits = significantDigits(rounded);
  return digits < significantDigits(exact) && Number(exact.toPrecision(digits)) === rounded;
}

function significantDigits(value: number): number {
  let rest = Math.round(value);
  while (rest >= 10 && rest % 10 === 0) rest /= 10;
  let digits = 1;
  for (; rest >= 10; rest = Math.floor(rest / 10)) digits++;
  return digits;
}
