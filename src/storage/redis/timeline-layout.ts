import type { StreamEvent } from '../../timelines/streams.ts';
import {
  type HomePullAuthors,
  type TimelineEntry,
  type TimelineName,
  TimelinesUnavailableError,
  type TimelineWindow,
} from '../../timelines/timeline-store.ts';
import { type RedisConnection, type RedisReply, RedisUnavailableError } from './connection.ts';
import { hashTagOf } from './slots.ts';

/**
 * The names of all keys in Redis. The timelines have the names of the contract (C1); what belongs to a timeline is in the
 * same slot of a cluster, because one script changes all of it:
 *
 * - `timeline:home:ann`: the sorted set, score = time, member = drop ID.
 * - `{timeline:home:ann}:state`: a hash, see `timeline-shared-lua.ts`.
 * - `{timeline:home:ann}:events`: the last numbered events, for streams.
 * - `{timeline:global}:received`: the drops that only the global timeline has, see `received-drops.ts`.
 */
export interface TimelineKeys {
  timeline(timeline: TimelineName): string;
  events(timeline: TimelineName): string;
  state(timeline: TimelineName): string;
  readonly received: string;
  /** Channel of timeline events: `<this><the timeline's key>`. */
  readonly channel: string;
  /** Followed by a drop's ID. In a cluster every slot has tombstones of its own; `null` names the one for all. */
  tombstones(slot: number | null): string;
  /** When a drop was last deleted from timelines of a slot. */
  deletedAt(slot: number): string;
  /** The subscribed timelines of a slot. */
  subscribed(slot: number): string;
  /** The owners of recently subscribed homes, by the time until which they count. */
  readonly subscribedHomes: string;
  /** Followed by an author's ID: the homes of a slot that were severed from this author. */
  severed(slot: number): string;
  /** The newest entry that was added to a timeline of a slot. */
  newest(slot: number): string;
}

export function timelineKeys({
  prefix,
  clustered,
}: Pick<RedisConnection, 'prefix' | 'clustered'>): TimelineKeys {
  const timeline = (name: TimelineName): string =>
    prefix + (/[{}]/.test(name) ? name.replace(/[{}]/g, encodeURIComponent) : name);
  const beside = (name: TimelineName, what: string): string => {
    const key = timeline(name);
    // A prefix with braces determines the slot by itself.
    return key.includes('{') ? `${key}${what}` : `{${key}}${what}`;
  };
  const ofSlot = (what: string, slot: number): string =>
    clustered && !prefix.includes('{') ? `${prefix}${what}:{${hashTagOf(slot)}}` : prefix + what;
  return {
    timeline,
    state: (name) => beside(name, ':state'),
    events: (name) => beside(name, ':events'),
    received: beside('timeline:global', ':received'),
    channel: `${prefix}timeline_events:`,
    tombstones: (slot) =>
      `${slot === null ? `${prefix}timeline_deleted` : ofSlot('timeline_deleted', slot)}:`,
    deletedAt: (slot) => ofSlot('timeline_deleted_at', slot),
    subscribed: (slot) => ofSlot('timeline_watching', slot),
    subscribedHomes: `${prefix}timeline_watched`,
    severed: (slot) => `${ofSlot('timeline_severed', slot)}:`,
    newest: (slot) => ofSlot('timeline_newest', slot),
  };
}

/** Reports an unavailable Redis as unavailable timelines. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toTimelinesError(error);
  }
}

export function toTimelinesError(error: unknown): unknown {
  return error instanceof RedisUnavailableError ? new TimelinesUnavailableError({ cause: error }) : error;
}

/** A page as last read, and the version that shows whether it is unchanged. */
export interface CachedPage {
  readonly window: TimelineWindow;
  readonly version: string;
}

export interface PageReply {
  /** `null`: there is no such timeline. */
  readonly page: CachedPage | null;
  /** Whether events of the timeline were not kept before this page was read, or not for much longer. */
  readonly retentionExtended: boolean;
}

/** The reply of the script `page` for one timeline. */
export function parsePageReply(
  reply: RedisReply | undefined,
  marked: boolean,
  known: CachedPage | undefined,
): PageReply {
  if (typeof reply !== 'string') return { page: null, retentionExtended: false };
  if (reply.startsWith('=')) return { page: known ?? null, retentionExtended: reply === '=1' };
  const lines = reply.split('\n');
  const [floor = '', epoch = '', number = '0', keepsEvents, pullAuthors = '', version = ''] = lines;
  const window: TimelineWindow = {
    entries: parseEntries(lines, 6),
    floor: parseFloor(floor),
    pullAuthors: pullAuthors === '' ? null : (JSON.parse(pullAuthors) as HomePullAuthors),
    ...(marked && { mark: { epoch, number: Number(number) } }),
  };
  return { page: { window, version }, retentionExtended: keepsEvents === '1' };
}

/** IDs and times alternate. */
export function parseEntries(reply: readonly string[], from = 0): readonly TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  for (let n = from; n + 1 < reply.length; n += 2)
    entries.push({ id: reply[n] ?? '', createdAt: Number(reply[n + 1]) });
  return entries;
}

function parseFloor(text: string): TimelineEntry | null {
  const at = text.indexOf(' ');
  return at < 0 ? null : { createdAt: Number(text.slice(0, at)), id: text.slice(at + 1) };
}

/** `new_drop <time> <id>`, `drop_deleted 0 <id>`, `reset 0 -`. */
export function parseEventLine(line: string): StreamEvent | null {
  const [type, at = '', dropId = ''] = line.split(' ');
  if (type === 'new_drop') return { type, dropId, createdAt: Number(at) };
  if (type === 'drop_deleted') return { type, dropId };
  return type === 'reset' ? { type } : null;
}
