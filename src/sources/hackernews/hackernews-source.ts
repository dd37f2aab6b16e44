import { plainText } from '../../feeds/plain-text.ts';
import { itemKey, type RuleSwitches } from '../../item/identity.ts';
import type { Sighting } from '../../item/item.ts';
import type { Clock } from '../../time/clock.ts';
import type { Source, SourceReading, SourceState } from '../source.ts';
import type { HackerNewsClient, HackerNewsList, ItemsAnswer } from './hackernews-client.ts';
import { commentsAddress, type HackerNewsItem, isNeverReadable, isReadable } from './hackernews-client.ts';

export interface HackerNewsSourceOptions {
  readonly id: string;
  readonly name: string;
  readonly list: HackerNewsList;
  readonly client: HackerNewsClient;
  readonly clock: Clock;
  /** Stories with fewer points wait until they have them. */
  readonly minPoints?: number;
  /** Number of entries of the list that are read. */
  readonly limit?: number;
  readonly identityRules?: RuleSwitches;
  /** Where the pages of comments are; default the real site. */
  readonly siteUrl?: string;
}

/** IDs of a gap that are fetched in one reading; the rest follows in the next. */
const GAP_BATCH_SIZE = 500;
const MAX_GAP = 20_000;
const MAX_DONE_IDS = 2_000;
/** About half a day of items; an older gap stays empty. */
const RECENT_IDS = 5_000;

/** A list of Hacker News as a source. Fetches each story until it was reported. */
export function hackerNewsSource(options: HackerNewsSourceOptions): Source {
  return {
    id: options.id,
    name: options.name,
    kind: 'hackernews',
    read: (state, signal, { full = false } = {}) =>
      read(options, full ? { ...state, done: null } : state, signal),
  };
}

async function read(
  options: HackerNewsSourceOptions,
  state: SourceState,
  signal: AbortSignal,
): Promise<SourceReading> {
  const { client, list, limit = 100, minPoints = 0 } = options;
  const listed = await client.list(list, signal);
  if (listed.outcome !== 'ok') return listed;
  const ids = listed.value.slice(0, limit);
  const done = new Set(unpackIds(state.done));
  const gap = list === 'new' ? gapBefore(ids, state) : NO_GAP;
  const now = gap.ids.slice(0, GAP_BATCH_SIZE);
  const requested = [...ids.filter((id) => !done.has(id)), ...now.filter((id) => !done.has(id))];

  const answer = await client.items(requested, signal);
  if (answer.trouble !== null && answer.items.length === 0 && requested.length > 0) return answer.trouble;
  const ready = answer.items.filter(isReadable).filter((item) => item.score >= minPoints);
  const finished = [...ready, ...answer.items.filter(isNeverReadable)]
    .map((item) => item.id)
    .filter((id) => !now.includes(id));
  const highest = Math.max(...ids, Number(state.highest ?? 0), 0);
  return {
    outcome: 'read',
    sightings: ready.map((item) => sightingOf(item, options)).filter((sighting) => sighting !== null),
    memory: {
      ...state,
      done: packIds([...finished, ...done]),
      highest,
      // Where the next reading continues; a gap that could not be fetched is not skipped.
      gapFrom: gap.ids[now.length] ?? null,
      gapTo: gap.ids.length > now.length ? (gap.ids.at(-1) ?? null) : null,
      retry: packIds(idsToRequest(answer, new Set(now), highest)),
    },
    warnings:
      answer.failed.length === 0
        ? []
        : [`${answer.failed.length} items could not be read and will be retried`],
  };
}

/** IDs of a gap to retry: failed requests, and items that the API may still fill in (E14). */
function idsToRequest(answer: ItemsAnswer, gap: ReadonlySet<number>, highest: number): number[] {
  const young = answer.missing.filter((id) => id > highest - RECENT_IDS);
  return [...answer.failed, ...young].filter((id) => gap.has(id));
}

const NO_GAP: { readonly ids: readonly number[] } = { ids: [] };

/**
 * IDs between the last reading and the oldest entry of the list, whose length is limited: after a downtime they would be
 * lost otherwise. Includes what an earlier reading left over.
 */
function gapBefore(ids: readonly number[], state: SourceState): { readonly ids: readonly number[] } {
  const left = [...unpackIds(state.retry), ...range(state.gapFrom, state.gapTo)];
  const highest = state.highest;
  if (typeof highest !== 'number' || highest <= 0 || ids.length === 0) return { ids: left };
  const oldest = Math.min(...ids);
  const from = Math.max(highest + 1, oldest - MAX_GAP);
  return { ids: [...new Set([...left, ...range(from, oldest - 1)])] };
}

function range(from: unknown, to: unknown): number[] {
  if (typeof from !== 'number' || typeof to !== 'number' || to < from || to - from > MAX_GAP) return [];
  return Array.from({ length: to - from + 1 }, (_, n) => from + n);
}

function sightingOf(
  item: HackerNewsItem & { readonly time: number },
  options: HackerNewsSourceOptions,
): Sighting | null {
  const url = item.url || `${commentsAddress(options.siteUrl)}${item.id}`;
  const identified = itemKey(url, {}, options.identityRules);
  if (identified.outcome !== 'identified') return null;
  const excerpt = plainText(item.text, 2_000);
  return {
    key: identified.key,
    url,
    title: item.title,
    publishedAt: Math.min(item.time, options.clock.now()),
    sourceId: options.id,
    sourceName: options.name,
    foreignId: String(item.id),
    ...(item.by === '' ? {} : { author: item.by }),
    ...(excerpt === '' ? {} : { excerpt, content: item.text }),
    language: 'en',
    points: item.score,
  };
}

function packIds(ids: readonly number[]): string {
  return [...new Set(ids)]
    .slice(0, MAX_DONE_IDS)
    .map((id) => id.toString(36))
    .join(' ');
}

function unpackIds(packed: unknown): number[] {
  if (typeof packed !== 'string' || packed === '') return [];
  return packed
    .split(' ')
    .map((id) => Number.parseInt(id, 36))
    .filter((id) => Number.isSafeInteger(id) && id > 0);
}
