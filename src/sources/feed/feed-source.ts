import { createHash } from 'node:crypto';
import { type FeedDocument, type FeedLink, findFeedLinks } from '../../feeds/feed.ts';
import { PARSE_DEFAULTS, parseFeedDocument } from '../../feeds/parse-feed.ts';
import type { Fetcher, FetchOutcome } from '../../fetch/fetcher.ts';
import { decodeText } from '../../fetch/text-encoding.ts';
import { DETAIL_TEXTS } from '../../item/detail-texts.ts';
import { itemKey, type RuleSwitches } from '../../item/identity.ts';
import type { Clock } from '../../time/clock.ts';
import { errorResponseReading, failedFetchReading } from '../polling.ts';
import type { Source, SourceReading, SourceState } from '../source.ts';
import type { Identity } from './feed-identity.ts';
import { type KeyMaker, toSightings } from './feed-sightings.ts';
import { publishingHints, rememberedHints } from './publishing-hints.ts';

export interface FeedSourceOptions {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Disabled rules of identity (X3). */
  readonly identityRules?: RuleSwitches;
  /** What identifies the items; `auto` decides once and keeps the decision (X19). */
  readonly identity?: 'auto' | Identity;
  /** The feed's language if it does not specify one. BCP 47. */
  readonly language?: string;
  /** Bytes after decompression; a larger feed is rejected. */
  readonly maxBytes?: number;
  readonly textLimit?: number;
}

/** A feed of any format as a source. Stateless: the next state is returned to the caller. */
export function feedSource(options: FeedSourceOptions): Source {
  return {
    id: options.id,
    name: options.name,
    kind: 'feed',
    read: (state, signal, { full = false } = {}) => read(options, state, signal, full),
  };
}

async function read(
  options: FeedSourceOptions,
  state: SourceState,
  signal: AbortSignal,
  full: boolean,
): Promise<SourceReading> {
  // The configured address changed: conditional-GET markers of the old one are invalid, but its items stay known.
  const same = state.configured === options.url;
  const address = same && typeof state.address === 'string' ? state.address : options.url;
  const answer = await fetchFeed(options, address, same && !full ? conditionalHeaders(state) : {}, signal);
  if (answer.outcome === 'failed') return failedFetchReading(answer, signal);
  const wait = answer.retryAt === null ? {} : { notBefore: answer.retryAt };
  if (answer.status === 304 || answer.status === 204)
    return { outcome: 'unchanged', memory: state, ...wait, hints: rememberedHints(state) };
  if (answer.status !== 200 && answer.status !== 203) return errorResponseReading(answer);

  const bodyHash = createHash('sha256').update(answer.body).digest('base64url').slice(0, 22);
  const found = {
    configured: options.url,
    address: answer.movedTo ?? address,
    ...validatorsOf(answer),
    bodyHash,
  };
  if (same && !full && state.bodyHash === bodyHash)
    return { outcome: 'unchanged', memory: { ...state, ...found }, ...wait, hints: rememberedHints(state) };

  const reading = parseFeedResponse(options, answer);
  if (reading.outcome === 'page') return await readLinkedFeed(options, state, answer, signal);
  if (reading.outcome !== 'feed') return { outcome: 'failed', why: 'not_a_feed', detail: reading.detail };
  return report(options, state, found, reading.feed, answer, []);
}

/** The address is an HTML page: reads the feed that it links to. */
async function readLinkedFeed(
  options: FeedSourceOptions,
  state: SourceState,
  page: FeedResponse,
  signal: AbortSignal,
): Promise<SourceReading> {
  const [named] = feedLinksIn(page);
  if (named === undefined) {
    return { outcome: 'failed', why: 'not_a_feed', detail: DETAIL_TEXTS.page_without_feed };
  }
  const answer = await fetchFeed(options, named.url, {}, signal);
  if (answer.outcome === 'failed') return failedFetchReading(answer, signal);
  if (answer.status !== 200) return errorResponseReading(answer);
  const reading = parseFeedResponse(options, answer);
  if (reading.outcome === 'page') {
    return {
      outcome: 'failed',
      why: 'not_a_feed',
      detail: `the page names ${named.url} as its feed, which is a page too`,
    };
  }
  if (reading.outcome !== 'feed') return { outcome: 'failed', why: 'not_a_feed', detail: reading.detail };
  const found = {
    configured: options.url,
    address: answer.movedTo ?? named.url,
    ...validatorsOf(answer),
    bodyHash: null,
  };
  return report(options, state, found, reading.feed, answer, [
    `this is a web page; its feed is at ${named.url}`,
  ]);
}

function report(
  options: FeedSourceOptions,
  state: SourceState,
  found: SourceState,
  feed: FeedDocument,
  answer: FeedResponse,
  warnings: readonly string[],
): SourceReading {
  const now = options.clock.now();
  const seen = toSightings(feed, state, {
    sourceId: options.id,
    sourceName: options.name,
    feedUrl: options.url,
    now,
    keyOf: keyMaker(options.identityRules),
    rules: rulesOff(options.identityRules),
    identity: options.identity ?? 'auto',
    language: options.language ?? null,
  });
  const hints = publishingHints(feed, answer.headers['cache-control'], now);
  return {
    outcome: 'read',
    sightings: seen.sightings,
    known: seen.known,
    memory: {
      ...state,
      ...found,
      ...seen.memory,
      ...hints,
      feedTitle: feed.title,
      feedIcon: feed.icon,
      feedHome: feed.home,
    },
    hints,
    ...(answer.movedTo === null ? {} : { movedTo: answer.movedTo }),
    ...(answer.retryAt === null ? {} : { notBefore: answer.retryAt }),
    warnings: [...warnings, ...feed.warnings],
  };
}

function rulesOff(rules: RuleSwitches = {}): string {
  const off = Object.entries(rules).filter(([, on]) => on === false);
  return off
    .map(([name]) => name)
    .sort()
    .join(' ');
}

function keyMaker(rules: RuleSwitches = {}): KeyMaker {
  return (url, foreignId) => {
    const found = itemKey(url, foreignId === undefined ? {} : { foreignId }, rules);
    return found.outcome === 'identified' ? found.key : null;
  };
}

function conditionalHeaders(state: SourceState): Record<string, string> {
  const { etag, modified } = state;
  return {
    ...(typeof etag === 'string' ? { 'if-none-match': etag } : {}),
    ...(typeof modified === 'string' ? { 'if-modified-since': modified } : {}),
  };
}

function validatorsOf(answer: FeedResponse): SourceState {
  return { etag: answer.headers.etag ?? null, modified: answer.headers['last-modified'] ?? null };
}

export interface FetchFeedOptions {
  readonly fetcher: Fetcher;
  /** Bytes after decompression; a larger feed is rejected. */
  readonly maxBytes?: number;
  readonly textLimit?: number;
}

export type FeedResponse = Extract<FetchOutcome, { outcome: 'response' }>;

const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, text/html;q=0.5, */*;q=0.1';
const MAX_BYTES = 8 * 1024 * 1024;

/** Fetches a feed, or a page that links to one. */
export function fetchFeed(
  { fetcher, maxBytes = MAX_BYTES }: FetchFeedOptions,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  return fetcher.fetch({ url, headers: { accept: ACCEPT, ...headers }, maxBytes }, signal);
}

export function parseFeedResponse(
  { textLimit = PARSE_DEFAULTS.textLimit }: FetchFeedOptions,
  answer: FeedResponse,
): ReturnType<typeof parseFeedDocument> {
  const { text } = decodeText(answer.body, answer.headers['content-type'], { xml: true });
  return parseFeedDocument(text, { ...PARSE_DEFAULTS, textLimit, url: answer.url });
}

/** The feeds that an HTML page links to. */
export function feedLinksIn(page: FeedResponse): readonly FeedLink[] {
  return findFeedLinks(decodeText(page.body, page.headers['content-type'], { html: true }).text, page.url);
}
