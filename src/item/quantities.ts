/** A number with what it counts: two magnitudes or two percentages contradict each other, a sum and a share do not. */
export interface Quantity {
  readonly value: number;
  readonly unit: string;
}

const MOST = 24;
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
const WRITTEN = new RegExp(`\\b(?:${COUNTED.join('|')})\\b`, 'g');

/** A letter that names what is counted, the digits, a size, and what is counted. */
const NUMBER =
  /(?:\b(q|m|v)|(第))?(\d+(?:[.,]\d+)*)(?:\s?(thousand|million|mln|billion|bn|trillion|m(?![a-z])|[千万億兆]))?(\d+(?=円))?\s*(%|percent|pct|パーセント|[人件円日月年号回台歳戦度位倍氏対戦区線期冊時分])?/g;

/** One of a series: the fifth game, issue 12. */
const ORDINAL = '第';

/** The quantities in a text in NFKC and lower case, in a form in which 12% and 12 percent, 2m and two million are one. */
export function quantitiesOf(text: string): readonly Quantity[] {
  if (!ANY.test(text)) return [];
  const plain = text
    .replace(
      /\b(first|second|third|fourth)[- ]quarter\b/g,
      (_, word: string) => `q${QUARTERS[word] ?? ''} quarter`,
    )
    .replace(/\bmagnitude[- ](?=\d)|マグニチュード(?:は)?(?=\d)/g, 'm')
    .replace(/(\d(?:\.\d)?)-magnitude\b/g, 'm$1')
    .replace(/\b(?:game|round|part|episode|issue|chapter|day|match|no\.|vol\.?|#)\s?(?=\d)/g, '第')
    .replace(WRITTEN, (word) => String(COUNTED.indexOf(word)));
  const found: Quantity[] = [];
  for (const [, before, ordinal, digits = '', size, rest, after] of plain.matchAll(NUMBER)) {
    if (found.length >= MOST) break;
    // A version has more than one point and is no number; all that counts is that it is another one.
    const parts = digits.replace(/,(?=\d{3})/g, '').split('.');
    if (parts.length > 2) found.push({ value: versionValue(parts), unit: '' });
    else {
      const value = Number(parts.join('.').replace(',', '.')) * (SIZES[size ?? ''] ?? 1) + Number(rest ?? 0);
      if (Number.isFinite(value))
        found.push({ value, unit: ordinal === undefined ? (before ?? unitOf(after)) : ORDINAL });
    }
  }
  return found;
}

function unitOf(after: string | undefined): string {
  return after === undefined ? '' : /^(?:percent|pct|パーセント)$/.test(after) ? '%' : after;
}

function versionValue(parts: readonly string[]): number {
  return parts.slice(0, 4).reduce((sum, part, place) => sum + Number(part) / 1000 ** place, 0) + 1e-12;
}

/** Whether two titles give other figures for the same kind of thing, and neither text knows the other's; or are of other parts of a series. */
export function contradict(
  one: readonly Quantity[],
  other: readonly Quantity[],
  oneKnows: readonly Quantity[],
  otherKnows: readonly Quantity[],
): boolean {
  const [mySeries, theirSeries] = [oneKnows.filter(isOrdinal), otherKnows.filter(isOrdinal)];
  if (mySeries.length > 0 && theirSeries.length > 0 && agreeing(mySeries, theirSeries) === 0) return true;
  return one.some(
    (mine) =>
      !has(otherKnows, mine) &&
      !other.some((theirs) => theirs.unit === mine.unit && has(one, theirs)) &&
      other.some((theirs) => theirs.unit === mine.unit && !has(oneKnows, theirs)),
  );
}

/** How many of one's figures the other has. */
export function agreeing(one: readonly Quantity[], other: readonly Quantity[]): number {
  return one.filter((mine) => has(other, mine)).length;
}

function isOrdinal({ unit }: Quantity): boolean {
  return unit === ORDINAL;
}

function has(all: readonly Quantity[], { value }: Quantity): boolean {
  return all.some((each) => each.value === value);
}
