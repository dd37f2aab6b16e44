import { utc } from './calendar.ts';

/** The year before an era's first. */
const ERAS: Readonly<Record<string, number>> = {
  令和: 2018,
  平成: 1988,
  昭和: 1925,
  R: 2018,
  H: 1988,
  S: 1925,
};

const JAPAN = 9 * 60;

const DATE =
  /^(?:(令和|平成|昭和|[RHS])\.? ?(元|\d{1,2})|(\d{4}))(?: ?年 ?|[./])(\d{1,2})(?: ?月 ?|[./])(\d{1,2})(?: ?日)?(.*)$/;
const TIME =
  /^ ?(午前|午後|AM|PM)? ?(\d{1,2})(?: ?時 ?|:)(?:(\d{1,2})(?: ?分|:)?)? ?(?:(\d{1,2}) ?秒?)?(.*)$/i;

/** `2026年11月15日(日) 20時05分`, `令和8年11月15日`, `R8.11.15`, `平成元年1月8日 午後3時`; Japanese time. */
export function readJapaneseDate(line: string): number | null {
  const match = DATE.exec(line);
  if (!match || !(line.includes('年') || match[1] !== undefined)) return null;
  const [, era, eraYear, plainYear, month = '', day = '', rest = ''] = match;
  const year =
    era === undefined ? Number(plainYear) : (ERAS[era] ?? 0) + (eraYear === '元' ? 1 : Number(eraYear));
  const time = TIME.exec(rest.replace(/^ ?[(（][^)）]{1,4}[)）]/, ''));
  const half = time?.[1] ?? '';
  const hour = Number(time?.[2] ?? 0);
  const later = (half === '午後' || /^pm$/i.test(half)) && hour < 12 ? 12 : 0;
  return utc(year, +month - 1, +day, hour + later, Number(time?.[3] ?? 0), Number(time?.[4] ?? 0), 0, JAPAN);
}
