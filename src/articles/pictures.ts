import { webLink } from './links.ts';

type Attributes = Readonly<Record<string, string | undefined>>;

/** Where pages keep the address of a picture until a script loads it, the most reliable first. */
const LAZY_SOURCES = ['data-src', 'data-original', 'data-lazy-src', 'data-hi-res-src', 'data-url'];
const LAZY_SETS = ['data-srcset', 'data-lazy-srcset'];
const MAX_CANDIDATES = 12;
const MAX_SRCSET_LENGTH = 20_000;
const MAX_SIDE = 20_000;

/** A picture that stands in the place of one that a script loads, or only makes space. */
const PLACEHOLDER =
  /\/(?:1x1|blank|clear|dot|lazy(?:load)?|loading|pixel|placeholder|space|spacer|transparent|trans|beacon)[\w-]{0,12}\.(?:gif|png|svg|jpe?g|webp)(?:[?#]|$)/i;
/** Hosts and paths that count readers and show nothing. */
const TRACKER =
  /^https?:\/\/(?:[\w-]+\.)*(?:doubleclick\.net|google-analytics\.com|googletagmanager\.com|scorecardresearch\.com|quantserve\.com|statcounter\.com|feedsportal\.com|pixel\.wp\.com|stats\.wordpress\.com|stats\.wp\.com|pheedo\.com|zemanta\.com|chartbeat\.(?:com|net)|counter\.yadro\.ru|hitbox\.com|imrworldwide\.com)(?:[/:?]|$)|^https?:\/\/(?:[\w-]+\.)*(?:feedburner\.com|feeds\.[\w.-]+)\/~(?:r|ff|4)\/|^https?:\/\/(?:www\.)?facebook\.com\/tr\b|^https?:\/\/(?:www\.)?blogger\.com\/(?:tracker|comment-iframe)|^https?:\/\/blogger\.googleusercontent\.com\/tracker\/|^https?:\/\/feeds\.wordpress\.com\/1\.0\/|^https?:\/\/medium\.com\/_\/stat\b|\/(?:piwik|matomo)\.php\b|[/._-](?:tracking|track|telemetry)[-_]?pixel\b/i;

/** The attributes of a picture that is shown, with absolute addresses; `null` for a tracker, or where there is nothing to show. */
export function pictureAttributes(
  attributes: Attributes,
  base: string,
  fallbackSrcset?: string,
): Record<string, string> | null {
  if (isTiny(attributes)) return null;
  const srcset =
    firstOf(
      [...LAZY_SETS.map((name) => attributes[name]), attributes.srcset, fallbackSrcset],
      (written) => absoluteSrcset(written, base) || null,
    ) ?? null;
  const src =
    firstOf([...LAZY_SOURCES.map((name) => attributes[name]), attributes.src], (written) =>
      shownAddress(written, base),
    ) ?? firstCandidate(srcset);
  if (src === null) return null;
  const width = side(attributes.width);
  const height = side(attributes.height);
  return {
    src,
    ...(srcset !== null && { srcset }),
    alt: (attributes.alt ?? '').slice(0, 2_000),
    ...(attributes.title && { title: attributes.title.slice(0, 2_000) }),
    ...(width !== null && height !== null && { width: String(width), height: String(height) }),
    loading: 'lazy',
    decoding: 'async',
  };
}

function firstOf<T>(
  written: readonly (string | undefined)[],
  read: (written: string | undefined) => T | null,
): T | null {
  for (const one of written) {
    const value = read(one);
    if (value !== null) return value;
  }
  return null;
}

/** At most two points wide or high: it counts readers. */
function isTiny({ width, height, style }: Attributes): boolean {
  const small = (value: string | undefined): boolean => /^\s*[0-2](?:\.\d+)?(?:px)?\s*$/i.test(value ?? '');
  if (small(width) || small(height)) return true;
  const written = (style ?? '').slice(0, 1_000);
  return /(?:^|;)\s*(?:width|height)\s*:\s*[0-2](?:px)?\s*(?:!important\s*)?(?:;|$)|(?:^|;)\s*display\s*:\s*none/i.test(
    written,
  );
}

function shownAddress(written: string | undefined, base: string): string | null {
  const url = webLink(written, base);
  return url === null || TRACKER.test(url) || PLACEHOLDER.test(url) ? null : url;
}

function side(written: string | undefined): number | null {
  const value = Number.parseInt(written ?? '', 10);
  return value > 0 && value <= MAX_SIDE && !written?.includes('%') ? value : null;
}

/** A `srcset` with absolute addresses only, in the form that `srcsetCandidates` reads. */
function absoluteSrcset(written: string | undefined, base: string): string {
  const candidates = parseSrcset(written ?? '').flatMap(({ url, descriptor }) => {
    const shown = shownAddress(url, base);
    return shown === null
      ? []
      : [`${shown.replace(/,$/, '%2C')}${descriptor === '' ? '' : ` ${descriptor}`}`];
  });
  return candidates.slice(0, MAX_CANDIDATES).join(', ');
}

export interface PictureCandidate {
  readonly url: string;
  /** `2x`, `640w`, or empty. */
  readonly descriptor: string;
}

/** As the HTML standard splits it: an address may contain commas, and ends at a blank. */
export function parseSrcset(srcset: string): readonly PictureCandidate[] {
  const candidates: PictureCandidate[] = [];
  const written = srcset.slice(0, MAX_SRCSET_LENGTH);
  const pattern = /[\s,]*(\S+)/y;
  for (let match = pattern.exec(written); match !== null; match = pattern.exec(written)) {
    const token = match[1] ?? '';
    const url = token.replace(/,+$/, '');
    let descriptor = '';
    if (url === token) {
      const comma = written.indexOf(',', pattern.lastIndex);
      const end = comma < 0 ? written.length : comma;
      descriptor = written.slice(pattern.lastIndex, end).trim();
      pattern.lastIndex = end;
    }
    if (url !== '' && /^(?:\d{1,5}(?:\.\d{1,3})?[wx])?$/.test(descriptor))
      candidates.push({ url, descriptor });
  }
  return candidates;
}

/** The largest one, for readers that know only `src`. */
function firstCandidate(srcset: string | null): string | null {
  if (srcset === null) return null;
  const size = ({ descriptor }: PictureCandidate): number => Number.parseFloat(descriptor) || 1;
  return parseSrcset(srcset).toSorted((a, b) => size(b) - size(a))[0]?.url ?? null;
}
