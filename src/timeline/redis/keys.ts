import type { RedisConnection } from '../../redis/connection.ts';
import { tagOf } from '../../redis/slots.ts';
import type { TimelineName } from '../timeline-store.ts';

/**
 * The names of everything in Redis. The timelines are named as the contract has them (C1); what belongs to a timeline
 * lies beside it, in the same slot of a cluster, because one script changes all of it:
 *
 * - `timeline:home:ann`: the sorted set, score = time, member = drop ID.
 * - `{timeline:home:ann}:state`: a hash, see `scripts.ts`.
 * - `{timeline:home:ann}:events`: the last numbered events, for streams.
 * - `{timeline:global}:received`: the drops that only the global timeline has, see `redis-received-drops.ts`.
 */
export interface TimelineKeys {
  timeline(timeline: TimelineName): string;
  events(timeline: TimelineName): string;
  state(timeline: TimelineName): string;
  readonly received: string;
  /** Where events of timelines are told: `<this><the timeline's key>`. */
  readonly channel: string;
  /** Followed by a drop's ID. In a cluster every slot has tombstones of its own; `null` names the one for all. */
  tombstones(slot: number | null): string;
  /** When a drop was last deleted from timelines of a slot. */
  deletedAt(slot: number): string;
  /** The timelines of a slot that are watched. */
  watching(slot: number): string;
  /** The owners of homes that were watched lately, by the time until which they count. */
  readonly watchedHomes: string;
  /** Followed by an author's ID: the homes of a slot that were severed from this author. */
  severed(slot: number): string;
  /** The newest entry that was put into a timeline of a slot. */
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
    // A prefix with braces decides the slot by itself.
    return key.includes('{') ? `${key}${what}` : `{${key}}${what}`;
  };
  const ofSlot = (what: string, slot: number): string =>
    clustered && !prefix.includes('{') ? `${prefix}${what}:{${tagOf(slot)}}` : prefix + what;
  return {
    timeline,
    state: (name) => beside(name, ':state'),
    events: (name) => beside(name, ':events'),
    received: beside('timeline:global', ':received'),
    channel: `${prefix}timeline_events:`,
    tombstones: (slot) =>
      `${slot === null ? `${prefix}timeline_deleted` : ofSlot('timeline_deleted', slot)}:`,
    deletedAt: (slot) => ofSlot('timeline_deleted_at', slot),
    watching: (slot) => ofSlot('timeline_watching', slot),
    watchedHomes: `${prefix}timeline_watched`,
    severed: (slot) => `${ofSlot('timeline_severed', slot)}:`,
    newest: (slot) => ofSlot('timeline_newest', slot),
  };
}
