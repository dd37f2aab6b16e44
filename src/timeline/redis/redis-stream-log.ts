import { randomBytes } from 'node:crypto';
import type { RedisConnection, Reply } from '../../redis/connection.ts';
import { RedisAwayError } from '../../redis/errors.ts';
import type { Script } from '../../redis/script.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, SECOND } from '../../time/duration.ts';
import type { EventNumber } from '../cursor.ts';
import type { NumberedEvent, StreamLog, Watch, Watcher } from '../stream-log.ts';
import { ownerOf, type TimelineEntry, type TimelineName } from '../timeline-store.ts';
import { TimelinesUnavailableError } from '../unavailable.ts';
import { eventOf } from './event-line.ts';
import { type TimelineKeys, timelineKeys } from './keys.ts';
import { Pulse } from './pulse.ts';
import { ANNOUNCE, EVENTS, TELL, WATCH } from './scripts.ts';
import { WatchedTimeline } from './watched-timeline.ts';

export interface RedisStreamLogOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long events are kept for readers that were away. */
  readonly keepMs?: number;
}

/** Timelines that are watched are said to be again after this part of the time that events are kept. */
const RENEW = 4;
const AT_ONCE = 500;

/**
 * The events of watched timelines, numbered by the scripts that change them, kept beside them, and published to all
 * copies (C21). A message that is lost on the way shows as a gap in the numbers and is fetched.
 */
export class RedisStreamLog implements StreamLog {
  readonly #redis: RedisConnection;
  readonly #clock: Clock;
  readonly #keys: TimelineKeys;
  readonly #keepMs: number;
  readonly #watched = new Map<string, WatchedTimeline>();
  readonly #stop = new AbortController();
  readonly #pulse: Pulse;
  readonly #renewing: Promise<void>;
  readonly #hear = (message: string, channel: string): void => {
    this.#watched.get(channel)?.heard(message);
  };

  constructor({ connection, clock, log, keepMs = DAY }: RedisStreamLogOptions) {
    this.#redis = connection;
    this.#clock = clock;
    this.#keys = timelineKeys(connection);
    this.#keepMs = keepMs;
    // Where the subscription was interrupted, whatever was published meanwhile is fetched.
    this.#pulse = new Pulse({ connection, clock, log, missed: () => this.#catchUp() });
    this.#renewing = this.#renew();
  }

  /** Where a timeline's events stand. They are kept from now on, for a while. */
  async #mark(timeline: TimelineName): Promise<EventNumber> {
    const key = this.#keys.timeline(timeline);
    const epoch = randomBytes(6).toString('hex');
    return this.#away(async () => {
      const run = await this.#redis.runOf(key);
      const watching = this.#keys.watching(this.#redis.slot(key));
      const args = [run, this.#clock.now(), this.#keepMs, epoch, watching];
      const reply = await this.#redis.run(WATCH, [key], args);
      const [current = '', number = '0'] = list(reply).map(String);
      const owner = ownerOf(timeline);
      if (owner !== null) await noteWatchedHomes(this.#redis, [owner], this.#clock.now() + this.#keepMs);
      return { epoch: current, number: Number(number) };
    });
  }

  async after(timeline: TimelineName, mark: EventNumber): Promise<readonly NumberedEvent[] | null> {
    const key = this.#keys.timeline(timeline);
    return this.#away(async () => {
      const run = await this.#redis.runOf(key);
      const reply = await this.#redis.run(EVENTS, [key], [run, mark.epoch, mark.number]);
      const [epoch, number = '0', entries] = list(reply);
      if (epoch !== mark.epoch || mark.number > Number(number)) return null;
      const events = list(entries).flatMap((entry) => numbered(mark.epoch, entry) ?? []);
      // Without a gap up to the last one, or it is not known what is missing.
      return events.length === Number(number) - mark.number ? events : null;
    });
  }

  async watch(timeline: TimelineName, watcher: Watcher): Promise<Watch> {
    const channel = this.#keys.channel + this.#keys.timeline(timeline);
    const known = this.#watched.get(channel);
    const watched =
      known ??
      new WatchedTimeline({
        mark: () => this.#mark(timeline),
        after: (mark) => this.after(timeline, mark),
      });
    this.#watched.set(channel, watched);
    watched.watchers.add(watcher);
    const stop = async (): Promise<void> => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size > 0 || this.#watched.get(channel) !== watched) return;
      this.#watched.delete(channel);
      await this.#redis.unsubscribe([channel], this.#hear);
    };
    try {
      // First the subscription, then the mark: what comes in between is heard and has a higher number.
      if (known === undefined) watched.begun = this.#redis.subscribe([channel], this.#hear);
      await watched.begun;
      return { mark: await watched.ready(), stop };
    } catch (error) {
      await stop().catch(() => {});
      throw error instanceof RedisAwayError ? new TimelinesUnavailableError({ cause: error }) : error;
    }
  }

  reset(timelines: readonly TimelineName[]): Promise<void> {
    return this.#tell(TELL, timelines, () => ['reset 0 -']);
  }

  async announce(
    entries: readonly TimelineEntry[],
    timelines: readonly TimelineName[],
    author?: string,
  ): Promise<void> {
    const shown = await this.#notDeleted(entries);
    for (let n = 0; n < shown.length; n += AT_ONCE) {
      const drops = shown.slice(n, n + AT_ONCE).flatMap(({ id, createdAt }) => [createdAt, id]);
      await this.#tell(ANNOUNCE, timelines, (slot) => [
        this.#keys.tombstones(slot),
        author === undefined ? '' : this.#keys.severed(slot) + author,
        ...drops,
      ]);
    }
  }

  async watchedHomes(): Promise<ReadonlySet<string>> {
    return this.#away(async () => {
      const now = this.#clock.now();
      await this.#redis.send(this.#keys.watchedHomes, [
        'ZREMRANGEBYSCORE',
        this.#keys.watchedHomes,
        '-inf',
        String(now),
      ]);
      const found = await this.#redis.send(this.#keys.watchedHomes, [
        'ZRANGE',
        this.#keys.watchedHomes,
        '0',
        '-1',
      ]);
      return new Set(list(found).map(String));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    await this.#pulse[Symbol.asyncDispose]();
    this.#watched.clear();
  }

  async #tell(
    script: Script,
    timelines: readonly TimelineName[],
    about: (slot: number) => readonly (string | number)[],
  ): Promise<void> {
    const slots = Map.groupBy(
      timelines.map((timeline) => this.#keys.timeline(timeline)),
      (key) => this.#redis.slot(key),
    );
    await this.#away(async () => {
      for (const [slot, keys] of slots)
        for (let n = 0; n < keys.length; n += AT_ONCE) {
          const piece = keys.slice(n, n + AT_ONCE);
          const run = await this.#redis.runOf(piece[0] ?? '');
          const args = [this.#keys.channel, run, this.#clock.now(), this.#keepMs, ...about(slot)];
          await this.#redis.run(script, piece, args);
        }
    });
  }

  /** In a cluster a slot may not know yet what was deleted. */
  async #notDeleted(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]> {
    if (!this.#redis.clustered) return entries;
    const deleted = await this.#away(() =>
      Promise.all(
        entries.map(({ id }) => {
          const tombstone = this.#keys.tombstones(null) + id;
          return this.#redis.send(tombstone, ['EXISTS', tombstone]);
        }),
      ),
    );
    return entries.filter((_, n) => deleted[n] !== 1);
  }

  async #catchUp(): Promise<void> {
    for (const watched of [...this.#watched.values()]) await watched.catchUp();
  }

  /** What is watched stays recorded. */
  async #renew(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#clock.sleep(Math.max(SECOND, this.#keepMs / RENEW), signal).catch(() => {});
      if (!signal.aborted) await this.#catchUp().catch(() => {});
    }
  }

  async #away<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof RedisAwayError ? new TimelinesUnavailableError({ cause: error }) : error;
    }
  }
}

/** Homes that are watched until this time: their owners are told of drops that are not written to homes (C11). */
export async function noteWatchedHomes(
  redis: RedisConnection,
  owners: readonly string[],
  until: number,
): Promise<void> {
  const key = timelineKeys(redis).watchedHomes;
  await redis.send(key, ['ZADD', key, 'GT', ...owners.flatMap((owner) => [String(until), owner])]);
}

function list(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? (reply as readonly Reply[]) : [];
}

/** An entry of the stream: `[number-0, [v, line]]`. */
function numbered(epoch: string, entry: Reply): NumberedEvent | null {
  const [id, fields] = list(entry);
  const event = eventOf(String(list(fields)[1] ?? ''));
  return event && { epoch, number: Number.parseInt(String(id), 10), event };
}
