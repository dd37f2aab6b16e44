import { DAY } from '../../time/duration.ts';
import { utc } from '../feed/calendar.ts';
import type { PageSurvey } from './page-survey.ts';

/** Names that publishers use for the time of publication, the most trustworthy first. */
const META_NAMES = [
  'article:published_time',
  'og:article:published_time',
  'datepublished',
  'parsely-pub-date',
  'citation_publication_date',
  'citation_online_date',
  'dcterms.issued',
  'dcterms.created',
  'dc.date.issued',
  'dc.date',
  'pubdate',
  'publishdate',
  'publish-date',
  'sailthru.date',
  'cxenseparse:recs:publishtime',
  'date',
];

const EARLIEST = Date.UTC(1990, 0, 1);
const JAPAN = 9 * 60;

/** When the article was published, from JSON-LD, meta elements and `<time>`; `null` when the page does not say. */
export function publishedAt(page: PageSurvey, language: string | null, now: number): number | null {
  const written = [
    page.linkedData.published,
    ...META_NAMES.map((name) => page.meta.get(name)),
    ...page.times.filter((time) => time.published).map((time) => time.value),
    page.times[0]?.value,
  ];
  for (const text of written) {
    const at = text === null || text === undefined ? null : readPageDate(text, language);
    if (at !== null && at >= EARLIEST && at <= now + DAY) return at;
  }
  return null;
}

/**
 * Reads a date as pages write them. A time without a zone is taken as Japan's on a Japanese page, as UTC elsewhere,
 * never as the zone of the machine that happens to read it.
 */
export function readPageDate(text: string, language: string | null): number | null {
  const input = text.trim().slice(0, 100);
  const assumed = language?.toLowerCase().startsWith('ja') ? JAPAN : 0;
  const parts =
    /^(\d{4})(?:-|\/|\.|年\s?)(\d{1,2})(?:-|\/|\.|月\s?)(\d{1,2})日?(?:[T\s\u3000]*(?:\([^)]*\)|（[^）]*）)?[T\s\u3000]*(\d{1,2})(?::|時)(\d{1,2})分?(?::?(\d{1,2})(?:[.,]\d+)?秒?)?)?\s*(Z|UTC|GMT|JST|[+-]\d{2}:?\d{2})?/i.exec(
      input,
    ) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(input);
  if (parts) {
    const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0));
    return utc(
      year ?? 0,
      (month ?? 0) - 1,
      day ?? 0,
      hour ?? 0,
      minute ?? 0,
      second ?? 0,
      0,
      zoneOf(parts[7], assumed),
    );
  }
  // With a name of a month; without a zone it would be read in the machine's own.
  if (!/[a-z]{3}/i.test(input) || !/\d{4}/.test(input)) return null;
  const zoned = /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}|\b[ECMP][SD]T)\s*(?:\([^)]*\))?$/i.test(input);
  const at = Date.parse(zoned ? input : `${input} UTC`);
  return Number.isNaN(at) ? null : zoned ? at : at - assumed * 60_000;
}

function zoneOf(zone: string | undefined, assumed: number): number {
  if (zone === undefined) return assumed;
  if (/^JST$/i.test(zone)) return JAPAN;
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (!offset) return 0;
  return (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3]));
}
