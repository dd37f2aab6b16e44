import { utcTimestamp } from '../feeds/dates.ts';
import { DAY } from '../time/duration.ts';
import type { Article } from './article.ts';
import type { PageSurvey } from './page-survey.ts';

/** The metadata of an article. Links are absolute, and only `http` and `https`. */
export function titleOf(page: PageSurvey, found: string | null, url: string): string {
  const title =
    page.meta.get('og:title') ||
    page.linkedData.headline ||
    page.meta.get('twitter:title') ||
    found ||
    page.title ||
    page.firstHeading;
  return title ? title.replace(/\s+/g, ' ').trim() : url;
}

export function isMissing(title: string): boolean {
  return /^(error )?404\b|^(page )?not found\b|ページが(見つかり|見つから|存在し)|お探しのページ/i.test(
    title,
  );
}

export function bylineOf(page: PageSurvey, found: string | null): string | null {
  const author = page.meta.get('author') ?? page.meta.get('article:author') ?? page.meta.get('dc.creator');
  const named = page.linkedData.author ?? (author !== undefined && !/^https?:/.test(author) ? author : null);
  const byline = (named || found || page.author)?.replace(/\s+/g, ' ').trim().slice(0, 200);
  return byline && !isDate(byline) ? byline : null;
}

/** Pages name the date where others name the author. */
function isDate(byline: string): boolean {
  return !/\p{L}/u.test(byline.replace(/[年月日時分]/g, ''));
}

export function languageOf(page: PageSurvey, text: string): string | null {
  const declared =
    page.language || page.linkedData.language || page.meta.get('og:locale') || page.meta.get('language');
  try {
    const [tag] = declared ? Intl.getCanonicalLocales(declared.trim().replaceAll('_', '-')) : [];
    if (tag !== undefined && tag !== 'und') return tag;
  } catch {
    // Not a language tag; detect the language by the script.
  }
  if (/[\u3040-\u30ff]/.test(text)) return 'ja';
  return /[\uac00-\ud7af]/.test(text) ? 'ko' : null;
}

/** Ignores a canonical link to the front page, which some sites put on every page by mistake. */
export function canonicalOf(page: PageSurvey, url: string): string | null {
  const written = page.canonicalHref ?? page.meta.get('og:url') ?? null;
  const canonical = written === null || written.trim() === '' ? null : webAddress(written, page.base);
  if (canonical === null) return null;
  const isFrontPage = (address: URL): boolean => address.pathname === '/' && address.search === '';
  return isFrontPage(new URL(canonical)) && !isFrontPage(new URL(url)) ? null : canonical;
}

export function imageOf(page: PageSurvey): string | null {
  const written =
    page.meta.get('og:image') ||
    page.meta.get('og:image:url') ||
    page.meta.get('twitter:image') ||
    page.linkedData.image;
  return written ? webAddress(written, page.base) : null;
}

export function attachmentsOf(page: PageSurvey): Article['attachments'] {
  const byUrl = new Map<string, string>();
  for (const { href, name } of page.documentLinks) {
    const url = webAddress(href, page.base);
    if (url !== null && !byUrl.get(url)) byUrl.set(url, name || fileName(url));
  }
  return [...byUrl].map(([url, name]) => ({ url, name }));
}

function fileName(url: string): string {
  const last = new URL(url).pathname.split('/').pop() ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

export function webAddress(href: string, base: string): string | null {
  const url = URL.parse(href.trim(), base);
  if (
    !url ||
    (url.protocol !== 'http:' && url.protocol !== 'https:') ||
    url.username !== '' ||
    url.password !== ''
  )
    return null;
  url.hash = '';
  return url.href;
}

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

const EARLIEST_DATE = Date.UTC(1990, 0, 1);
const JAPAN_OFFSET_MINUTES = 9 * 60;

/** Time of publication, from JSON-LD, meta elements and `<time>`; `null` if the page has none. */
export function publishedAt(page: PageSurvey, language: string | null, now: number): number | null {
  const written = [
    page.linkedData.published,
    ...META_NAMES.map((name) => page.meta.get(name)),
    ...page.times.filter((time) => time.published).map((time) => time.value),
    page.times[0]?.value,
  ];
  for (const text of written) {
    const at = text === null || text === undefined ? null : parsePageDate(text, language);
    if (at !== null && at >= EARLIEST_DATE && at <= now + DAY) return at;
  }
  return null;
}

/**
 * Reads a date as pages write them. A time without a zone is taken as Japan's on a Japanese page, as UTC elsewhere,
 * never as the zone of this machine.
 */
export function parsePageDate(text: string, language: string | null): number | null {
  const input = text.trim().slice(0, 100);
  const assumed = language?.toLowerCase().startsWith('ja') ? JAPAN_OFFSET_MINUTES : 0;
  const parts =
    /^(\d{4})(?:-|\/|\.|年\s?)(\d{1,2})(?:-|\/|\.|月\s?)(\d{1,2})日?(?:[T\s\u3000]*(?:\([^)]*\)|（[^）]*）)?[T\s\u3000]*(\d{1,2})(?::|時)(\d{1,2})分?(?::?(\d{1,2})(?:[.,]\d+)?秒?)?)?\s*(Z|UTC|GMT|JST|[+-]\d{2}:?\d{2})?/i.exec(
      input,
    ) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(input);
  if (parts) {
    const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0));
    return utcTimestamp(
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
  if (/^JST$/i.test(zone)) return JAPAN_OFFSET_MINUTES;
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (!offset) return 0;
  return (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3]));
}
