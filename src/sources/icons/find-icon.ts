import { hash } from 'node:crypto';
import { findIconLinks } from '../../feeds/feed.ts';
import type { Fetcher, FetchOutcome } from '../../fetch/fetcher.ts';
import { sniffIconType } from '../../fetch/image-type.ts';
import { decodeText } from '../../fetch/text-encoding.ts';
import { type IconPicture, MAX_ICON_BYTES } from './source-icon-store.ts';

/** Where the icon of a source may be; what is tried first is first. */
export interface IconPlace {
  /** The icon that the feed or the API names. */
  readonly named: string | null;
  /** The page that the feed belongs to. */
  readonly home: string | null;
  /** Origin of the source itself. */
  readonly site: string | null;
}

export interface FoundIcon {
  readonly picture: IconPicture | null;
  /** A server did not answer: the result may be another one soon. */
  readonly isIncomplete: boolean;
}

const MAX_PAGE_BYTES = 2_000_000;
const MAX_TRIED_LINKS = 4;
const FETCH_TIMEOUT_MS = 10_000;

/** The icon that the source names; else those of its page's `<link>`s; else `/favicon.ico`. */
export async function findIcon(
  fetcher: Pick<Fetcher, 'fetch'>,
  { named, home, site }: IconPlace,
  signal: AbortSignal,
): Promise<FoundIcon> {
  const tried = new Set<string>();
  let isIncomplete = false;
  const get = async (url: string, accept: string, maxBytes: number): Promise<Answer | null> => {
    if (tried.has(url)) return null;
    tried.add(url);
    const outcome = await fetcher.fetch(
      // Not spaced out: it must not delay the polling of a feed on the same host.
      { url, headers: { accept }, maxBytes, timeoutMs: FETCH_TIMEOUT_MS, polite: false },
      signal,
    );
    signal.throwIfAborted();
    if (outcome.outcome === 'response' && outcome.status === 200) return outcome;
    isIncomplete ||= isTransient(outcome);
    return null;
  };
  const firstOf = async (urls: readonly string[]): Promise<IconPicture | null> => {
    for (const url of urls) {
      const answer = await get(url, 'image/png,image/webp,image/x-icon,image/*', MAX_ICON_BYTES);
      const picture = answer === null ? null : pictureOf(answer.body);
      if (picture !== null) return picture;
    }
    return null;
  };

  const ofFeed = await firstOf(named === null ? [] : [named]);
  if (ofFeed !== null) return { picture: ofFeed, isIncomplete: false };
  for (const address of [home, site].filter((each) => each !== null)) {
    const page = await get(address, 'text/html', MAX_PAGE_BYTES);
    const url = page?.url ?? address;
    const links = page === null ? [] : findIconLinks(textOf(page), url).slice(0, MAX_TRIED_LINKS);
    const picture = await firstOf([...links, new URL('/favicon.ico', url).href]);
    if (picture !== null) return { picture, isIncomplete: false };
  }
  return { picture: null, isIncomplete };
}

type Answer = Extract<FetchOutcome, { outcome: 'response' }>;

function textOf({ body, headers }: Answer): string {
  return decodeText(body, headers['content-type'], { html: true }).text;
}

function isTransient(outcome: FetchOutcome): boolean {
  if (outcome.outcome === 'response') return outcome.status >= 500 || outcome.status === 429;
  return !['bad_address', 'blocked_address', 'too_large', 'too_many_redirects'].includes(outcome.why);
}

function pictureOf(bytes: Uint8Array): IconPicture | null {
  const type = sniffIconType(bytes);
  return type === null ? null : { hash: hash('sha256', bytes, 'hex').slice(0, 32), type, bytes };
}
