import { DAY } from '../time/duration.ts';
import type { Article } from './article.ts';
import { BYLINE } from './furniture.ts';
import { dateInUrl, findPageDate, parsePageDate } from './page-dates.ts';
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
const PUBLISHED_NAMES = [
  'article:published_time',
  'og:article:published_time',
  'article:published',
  'og:published_time',
  'og:pubdate',
  'datepublished',
  'rnews:datepublished',
  'parsely-pub-date',
  'citation_publication_date',
  'citation_online_date',
  'citation_date',
  'dcterms.issued',
  'dcterms.created',
  'dcterms.date',
  'dc.date.issued',
  'dc.date.created',
  'dc.date',
  'pubdate',
  'pub_date',
  'publishdate',
  'publish-date',
  'publish_date',
  'published',
  'published_time',
  'published-date',
  'publication_date',
  'publication-date',
  'originalpublicationdate',
  'article_date_original',
  'article:create_at',
  'sailthru.date',
  'cxenseparse:publishtime',
  'cxenseparse:recs:publishtime',
  'shareaholic:article_published_time',
  'bt:pubdate',
  'release_date',
  'creation_date',
  'date',
];
const MODIFIED_NAMES = [
  'article:modified_time',
  'og:article:modified_time',
  'og:updated_time',
  'datemodified',
  'dcterms.modified',
  'last-modified',
  'lastmod',
  'revised',
];
const AUTHOR_NAMES = [
  'author',
  'article:author_name',
  'article:author',
  'og:article:author',
  'parsely-author',
  'sailthru.author',
  'cxenseparse:author',
  'dc.creator',
  'dcterms.creator',
  'dc.author',
  'citation_author',
  'byl',
  'byline',
  'authors',
  'creator',
];

const EARLIEST_DATE = Date.UTC(1990, 0, 1);

/**
 * Time of publication: as the page declares it, as it shows it, as its address has it; at last, the time of the last change.
 * `null` if the page has none.
 */
export function publishedAt(
  page: PageSurvey,
  url: string,
  language: string | null,
  visible: () => readonly string[],
  now: number,
): number | null {
  const inTime = (at: number | null): number | null =>
    at !== null && at >= EARLIEST_DATE && at <= now + DAY ? at : null;
  const first = (
    texts: readonly (string | null | undefined)[],
    read: (text: string, language: string | null) => number | null,
  ): number | null => {
    for (const text of texts) {
      const at = text === null || text === undefined ? null : inTime(read(text, language));
      if (at !== null) return at;
    }
    return null;
  };
  const declared = (names: readonly string[]) => names.map((name) => page.meta.get(name));
  const times = (certainty: number) =>
    page.times.filter((time) => time.certainty === certainty).map((time) => time.value);
  return (
    first([page.linkedData.published], parsePageDate) ??
    first(declared(PUBLISHED_NAMES), parsePageDate) ??
    first(times(3), anyDate) ??
    first(times(2), anyDate) ??
    first(times(1), anyDate) ??
    first(visible(), findPageDate) ??
    inTime(dateInUrl(url, language)) ??
    first([page.linkedData.modified, ...declared(MODIFIED_NAMES)], parsePageDate) ??
    first(times(0), anyDate)
  );
}

function anyDate(text: string, language: string | null): number | null {
  return parsePageDate(text, language) ?? findPageDate(text, language);
}

/** Who wrote the article: as the page declares it, as the library found it, as the page shows it. */
export function bylineOf(
  page: PageSurvey,
  found: string | null,
  visible: () => readonly string[],
): string | null {
  for (const name of [
    page.linkedData.author,
    ...AUTHOR_NAMES.map((each) => page.meta.get(each)),
    found,
    ...page.authors,
  ]) {
    const byline = name === null || name === undefined ? null : cleanByline(name);
    if (byline !== null) return byline;
  }
  for (const line of visible()) {
    const byline = bylineIn(line);
    if (byline !== null) return byline;
  }
  return null;
}

const BYLINE_LABEL =
  /^(?:(?:written|posted|published|words|story|text|reported|edited) by|by|authors?|von|par|por|di|door|取材・文・写真|取材・文|文・写真|写真・文|文・構成|構成・文|文・撮影|文|著者名?|著|筆者|執筆者?|ライター|記者|投稿者|作成者|編集者|編集|寄稿)(?:\s*[:：=＝／/|｜]\s*|\s+)/i;
/** What follows the name in the same line. */
const AFTER_NAME =
  /\s*(?:[|｜•·–—]|\b(?:published|updated|posted|print|e-?mail|follow|share|comments?|last modified|on (?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|(?:\p{L}{3,9}\.? )?\d{1,2}(?:st|nd|rd|th)?,? (?:\p{L}{3,9}\.?,? )?(?:19|20)\d{2}|(?:19|20)\d{2}[-./年]|\d{1,2}:\d{2}|公開|更新|掲載|撮影[=＝／/:：]|写真[=＝／/:：]).*$/iu;
/** Words of a system or of the page instead of a name. */
const NO_NAME =
  /^(?:admin|administrator|root|webmaster|user|guest|editor|author|authors|by|unknown|anonymous|none|null|undefined|staff only|home|share|posted|view all.*|more .*|read .*|著者|筆者|執筆者|記者|ライター|管理者|投稿者|名無し.*|プロフィール)$/i;

function cleanByline(written: string): string | null {
  const line = written
    .normalize('NFC')
    .replace(/[\s\u3000]+/g, ' ')
    .trim();
  if (/^(?:https?:|www\.|@|\/)/i.test(line)) return null;
  const name = line
    .replace(BYLINE_LABEL, '')
    .replace(BYLINE_LABEL, '')
    .replace(AFTER_NAME, '')
    .replace(/^[\s,、:：＝=・/／|｜(（【[]+|[\s,、:：＝=・/／|｜)）】\]]+$/g, '')
    .slice(0, 200)
    .trim();
  if (name === '' || NO_NAME.test(name) || !/\p{L}/u.test(name.replace(/[年月日時分]/g, ''))) return null;
  return name;
}

const JAPANESE_NAME =
  '[\\p{Script=Han}々ヶ]{1,4}[ \\u3000]?[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}々ーヶ]{1,6}';
const LABELLED =
  /^[\s■●◆▼（(【[]*((?:取材・|構成・)?文(?:・(?:写真|撮影|構成))?|著者|筆者|執筆者?|ライター|投稿者|記者|寄稿|編集)\s*[:：=＝／/]\s*([^。！？]{2,40}?)[）)】\]\s]*$/;
const SIGNED = new RegExp(
  `(?:【(${JAPANESE_NAME}(?:[、・,]${JAPANESE_NAME}){0,3})(?:[/／＝=].{1,12})?】|（((?:[^（）。]{0,12}(?:記者|編集部|編集委員|論説委員|特派員|支局長)[・=＝: ]?(?:${JAPANESE_NAME})?)|${JAPANESE_NAME}(?:記者|特派員))）)$`,
  'u',
);
const REPORTER = new RegExp(
  `^(?:(?:[^\\s。、]{1,12}(?:部|局|社|担当))?[\\s・]?(${JAPANESE_NAME})[ \\u3000]?(?:記者|特派員|編集委員|論説委員)|([^\\s。、]{0,16}編集部))$`,
  'u',
);

/** The author that a line of the page names; the line is short, or the last one of the article. */
function bylineIn(line: string): string | null {
  const text = line.replace(/[\s\u3000]+/g, ' ').trim();
  if (text.length <= 60) {
    if (BYLINE.test(text.replace(AFTER_NAME, ''))) return cleanByline(text);
    const labelled = LABELLED.exec(text);
    if (labelled?.[2] !== undefined) return cleanByline(labelled[2]);
    const reporter = REPORTER.exec(text);
    if (reporter) return cleanByline(reporter[1] ?? reporter[2] ?? '');
  }
  const signed = SIGNED.exec(text);
  return signed && cleanByline(signed[1] ?? signed[2] ?? '');
}
