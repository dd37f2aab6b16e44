import { createHash } from 'node:crypto';
import { itemKey, type RuleSwitches } from '../../item/identity.ts';
import type { FeedDocument } from '../../reading/feed/feed-document.ts';
import type { Fetcher } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { answerTrouble, fetchTrouble } from '../answer-trouble.ts';
import type { Source, SourceMemory, SourceReading } from '../source.ts';
import type { Identity } from './feed-identity.ts';
import { type KeyMaker, toSightings } from './feed-sightings.ts';
import { type Answer, feedsNamedBy, fetchFeed, readFeedAnswer } from './fetch-feed.ts';
import { publishingHints, rememberedHints } from './publishing-hints.ts';

export interface FeedSourceOptions {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Rules of identity that are switched off (X3). */
  readonly identityRules?: RuleSwitches;
  /** What tells the items apart; `auto` finds out once and stays with it (X19). */
  readonly identity?: 'auto' | Identity;
  /** The feed's language, where it does not say so itself. BCP 47. */
  readonly language?: string;
  /** Bytes after decompression; a larger feed is not read at all. */
  readonly maxBytes?: number;
  readonly textLimit?: number;
}

/** A feed of any format as a source. Reading it changes nothing here: what to remember is handed back to the caller. */
export function feedSource(options: FeedSourceOptions): Source {
  return {
    id: options.id,
    name: options.name,
    kind: 'feed',
    read: (memory, signal, { full = false } = {}) => read(options, memory, signal, full),
  };
}

async function read(
  options: FeedSourceOptions,
  memory: SourceMemory,
  signal: AbortSignal,
  full: boolean,
): Promise<SourceReading> {
  // Another address in the configuration: markers of the old one mean nothing, but its items stay known.
  const same = memory.configured === options.url;
  const address = same && typeof memory.address === 'string' ? memory.address : options.url;
  const answer = await fetchFeed(options, address, same && !full ? markers(memory) : {}, signal);
  if (answer.outcome === 'failed') return fetchTrouble(answer, signal);
  const wait = answer.retryAt === null ? {} : { notBefore: answer.retryAt };
  if (answer.status === 304 || answer.status === 204)
    return { outcome: 'unchanged', memory, ...wait, hints: rememberedHints(memory) };
  if (answer.status !== 200 && answer.status !== 203) return answerTrouble(answer);

  const bodyHash = createHash('sha256').update(answer.body).digest('base64url').slice(0, 22);
  const met = {
    configured: options.url,
    address: answer.movedTo ?? address,
    ...newMarkers(answer),
    bodyHash,
  };
  if (same && !full && memory.bodyHash === bodyHash)
    return { outcome: 'unchanged', memory: { ...memory, ...met }, ...wait, hints: rememberedHints(memory) };

  const reading = readFeedAnswer(options, answer);
  if (reading.outcome === 'page') return await readNamedFeed(options, memory, answer, signal);
  if (reading.outcome !== 'feed') return { outcome: 'failed', why: 'not_a_feed', detail: reading.detail };
  return report(options, memory, met, reading.feed, answer, []);
}

/** The address led to a page for people. If it names a feed, that is the one meant. */
async function readNamedFeed(
  options: FeedSourceOptions,
  memory: SourceMemory,
  page: Answer,
  signal: AbortSignal,
): Promise<SourceReading> {
  const [named] = feedsNamedBy(page);
  if (named === undefined) {
    return { outcome: 'failed', why: 'not_a_feed', detail: 'a web page that names no feed' };
  }
  const answer = await fetchFeed(options, named.url, {}, signal);
  if (answer.outcome === 'failed') return fetchTrouble(answer, signal);
  if (answer.status !== 200) return answerTrouble(answer);
  const reading = readFeedAnswer(options, answer);
  if (reading.outcome === 'page') {
    return {
      outcome: 'failed',
      why: 'not_a_feed',
      detail: `the page names ${named.url} as its feed, which is a page too`,
    };
  }
  if (reading.outcome !== 'feed') return { outcome: 'failed', why: 'not_a_feed', detail: reading.detail };
  const met = {
    configured: options.url,
    address: answer.movedTo ?? named.url,
    ...newMarkers(answer),
    bodyHash: null,
  };
  return report(options, memory, met, reading.feed, answer, [
    `this is a web page; its feed is at ${named.url}`,
  ]);
}

function report(
  options: FeedSourceOptions,
  memory: SourceMemory,
  met: SourceMemory,
  feed: FeedDocument,
  answer: Answer,
  warnings: readonly string[],
): SourceReading {
  const now = options.clock.now();
  const seen = toSightings(feed, memory, {
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
    memory: { ...memory, ...met, ...seen.memory, ...hints, feedTitle: feed.title },
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

function markers(memory: SourceMemory): Record<string, string> {
  const { etag, modified } = memory;
  return {
    ...(typeof etag === 'string' ? { 'if-none-match': etag } : {}),
    ...(typeof modified === 'string' ? { 'if-modified-since': modified } : {}),
  };
}

function newMarkers(answer: Answer): SourceMemory {
  return { etag: answer.headers.etag ?? null, modified: answer.headers['last-modified'] ?? null };
}
