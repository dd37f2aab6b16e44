/** A number with what it counts: two magnitudes or two percentages contradict each other, a sum and a share do not. */
export interface Quantity {
  readonly value: number;
  readonly unit: string;
}

const MAX_QUANTITIES = 24;
const SIZES: Readonly<Record<string, number>> = {
  thousand: 1e3,
  million: 1e6,
  mln: 1e6,
  m: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
  千: 1e3,
  万: 1e4,
  億: 1e8,
  兆: 1e12,
};
const QUARTERS: Readonly<Record<string, string>> = { first: '1', second: '2', third: '3', fourth: '4' };
const COUNTED = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const ANY = new RegExp(`\\d|\\b(?:${COUNTED.join('|')})\\b`);
const WRITTEN = new RegExp(`\\b(?:${COUNTED.join('|')})\\b`);
const ALL_WRITTEN = new RegExp(WRITTEN, 'g');

/** A letter that names what is counted, the digits, a size, and what is counted. */
const NUMBER =
  /(?:\b(q|m|v)|(第))?(\d+(?:[.,]\d+)*)(?:\s?(thousand|million|mln|billion|bn|trillion|m(?![a-z])|[千万億兆]))?(\d+(?=円))?\s*(%|percent|pct|パーセント|[人件円日月年号回台歳戦度位倍氏対戦区線期冊時分])?/g;

/** One of a series: the fifth game, issue 12. */
const ORDINAL = '第';

const QUARTER = /\b(first|second|third|fourth)[- ]quarter\b/g;
const MAGNITUDE = /\bmagnitude[- ](?=\d)|マグニチュード(?:は)?(?=\d)/g;
const MAGNITUDE_AFTER = /(\d(?:\.\d)?)-magnitude\b/g;
const PART = /\b(?:game|round|part|episode|issue|chapter|day|match|no\.|vol\.?|#)\s?(?=\d)/;
const PARTS = new RegExp(PART, 'g');
const NONE: readonly Quantity[] = [];

/** The quantities in a text in NFKC and lower case, in a form in which 12% and 12 percent, 2m and two million are one. */
export function quantitiesOf(text: string): readonly Quantity[] {
  if (!ANY.test(text)) return NONE;
  const found: Quantity[] = [];
  const plain = inDigits(text);
  NUMBER.lastIndex = 0;
  for (
    let match = NUMBER.exec(plain);
    match !== null && found.length < MAX_QUANTITIES;
    match = NUMBER.exec(plain)
  ) {
    const [, before, ordinal, digits = '', size, rest, after] = match;
    // A version has more than one point and is no number; all that counts is that it is another one.
    const parts = /[.,]/.test(digits) ? digits.replace(/,(?=\d{3})/g, '').split('.') : [digits];
    if (parts.length > 2) found.push({ value: versionValue(parts), unit: '' });
    else {
      const value = Number(parts.join('.').replace(',', '.')) * (SIZES[size ?? ''] ?? 1) + Number(rest ?? 0);
      if (Number.isFinite(value))
        found.push({ value, unit: ordinal === undefined ? (before ?? unitOf(after)) : ORDINAL });
    }
  }
  // Long-lived; a copy has no spare capacity.
  return found.slice();
}

/** One way to write each: a quarter, a magnitude, one of a series, a number. */
function inDigits(text: string): string {
  let plain = text;
  if (plain.includes('quarter'))
    plain = plain.replace(QUARTER, (_, word: string) => `q${QUARTERS[word] ?? ''} quarter`);
  if (plain.includes('magnitude') || plain.includes('マグニチュード'))
    plain = plain.replace(MAGNITUDE, 'm').replace(MAGNITUDE_AFTER, 'm$1');
  if (PART.test(plain)) plain = plain.replace(PARTS, ORDINAL);
  return WRITTEN.test(plain) ? plain.replace(ALL_WRITTEN, (word) => String(COUNTED.indexOf(word))) : plain;
}

function unitOf(after: string | undefined): string {
  return after === undefined ? '' : /^(?:percent|pct|パーセント)$/.test(after) ? '%' : after;
}

function versionValue(parts: readonly string[]): number {
  return parts.slice(0, 4).reduce((sum, part, place) => sum + Number(part) / 1000 ** place, 0) + 1e-12;
}

/** For people: 12%, 2,000,000, 5回. */
export function writtenAs({ value, unit }: Quantity): string {
  const digits = value.toLocaleString('en', { maximumFractionDigits: 3 });
  return /^[qmv第]$/.test(unit) ? `${unit}${digits}` : `${digits}${unit}`;
}

/** The figures of an item. */
export interface Figures {
  readonly title: readonly Quantity[];
  /** Those of its title and of its lead. */
  readonly all: readonly Quantity[];
}

/** Whether two titles give other figures for the same kind of thing, and neither text knows the other's; or are of other parts of a series. */
export function figuresContradict(one: Figures, other: Figures): boolean {
  if (one.all.length === 0 || other.all.length === 0) return false;
  if (areOtherParts(one.all, other.all)) return true;
  return one.title.some(
    (mine) =>
      !has(other.all, mine) &&
      !other.title.some((theirs) => theirs.unit === mine.unit && has(one.title, theirs)) &&
      other.title.some((theirs) => theirs.unit === mine.unit && !has(one.all, theirs)),
  );
}

/** Both are parts of a series, and no part is the same. */
function areOtherParts(one: readonly Quantity[], other: readonly Quantity[]): boolean {
  if (!one.some(isOrdinal) || !other.some(isOrdinal)) return false;
  return agreeingFigures(one.filter(isOrdinal), other.filter(isOrdinal)) === 0;
}

/** How many of one's figures the other has. */
export function agreeingFigures(one: readonly Quantity[], other: readonly Quantity[]): number {
  let count = 0;
  for (const mine of one) if (has(other, mine)) count++;
  return count;
}

function isOrdinal({ unit }: Quantity): boolean {
  return unit === ORDINAL;
}

function has(all: readonly Quantity[], { value }: Quantity): boolean {
  for (const each of all) if (each.value === value) return true;
  return false;
}
