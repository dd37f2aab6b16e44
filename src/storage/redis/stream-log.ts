import { randomBytes } from 'node:crypto';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, SECOND } from '../../time/duration.ts';
import type { EventNumber } from '../../timelines/cursor.ts';
import type {
  NumberedEvent,
  StreamListener,
  StreamLog,
  StreamSubscription,
} from '../../timelines/streams.ts';
import { ownerOf, type TimelineEntry, type TimelineName } from '../../timelines/timeline-store.ts';
import { type RedisConnection, type RedisReply, type Script, toArray } from './connection.ts';
import { SubscriptionHeartbeat } from './subscription-heartbeat.ts';
import {
  orUnavailable,
  parseEventLine,
  type TimelineKeys,
  timelineKeys,
  toTimelinesError,
} from './timeline-layout.ts';
import { ANNOUNCE_SCRIPT, EVENTS_SCRIPT, RECORD_EVENT_SCRIPT, SUBSCRIBE_SCRIPT } from './timeline-scripts.ts';

export interface RedisStreamLogOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  /** Retention of events for readers that reconnect. */
  readonly retentionMs?: number;
}

/** Subscriptions are renewed after this part of the event retention. */
const RENEWALS_PER_RETENTION = 4;
const BATCH_SIZE = 500;

/**
 * The events of subscribed timelines, numbered by the scripts that change them, stored beside them, and published to all
 * replicas (C21). A lost message shows as a gap in the numbers and is fetched.
 */
export class RedisStreamLog implements StreamLog {
  readonly #redis: RedisConnection;
  readonly #clock: Clock;
  readonly #keys: TimelineKeys;
  readonly #retentionMs: number;
  readonly #subscribed = new Map<string, SubscribedTimeline>();
  readonly #stop = new AbortController();
  readonly #heartbeat: SubscriptionHeartbeat;
  readonly #renewing: Promise<void>;
  readonly #listener = (message: string, channel: string): void => {
    this.#subscribed.get(channel)?.onMessage(message);
  };

  constructor({ connection, clock, log, retentionMs = DAY }: RedisStreamLogOptions) {
    this.#redis = connection;
    this.#clock = clock;
    this.#keys = timelineKeys(connection);
    this.#retentionMs = retentionMs;
    // After an interrupted subscription, everything published meanwhile is fetched.
    this.#heartbeat = new SubscriptionHeartbeat({
      connection,
      clock,
      log,
      onInterrupted: () => this.#catchUp(),
    });
    this.#renewing = this.#renew();
  }

  /** The current event number of a timeline. Starts the event retention. */
  async #mark(timeline: TimelineName): Promise<EventNumber> {
    const key = this.#keys.timeline(timeline);
    const epoch = randomBytes(6).toString('hex');
    return orUnavailable(async () => {
      const run = await this.#redis.runOf(key);
      const subscribedKey = this.#keys.subscribed(this.#redis.slot(key));
      const args = [run, this.#clock.now(), this.#retentionMs, epoch, subscribedKey];
      const reply = await this.#redis.run(SUBSCRIBE_SCRIPT, [key], args);
      const [current = '', number = '0'] = toArray(reply).map(String);
      const owner = ownerOf(timeline);
      if (owner !== null)
        await recordSubscribedHomes(this.#redis, [owner], this.#clock.now() + this.#retentionMs);
      return { epoch: current, number: Number(number) };
    });
  }

  async after(timeline: TimelineName, mark: EventNumber): Promise<readonly NumberedEvent[] | null> {
    const key = this.#keys.timeline(timeline);
    return orUnavailable(async () => {
      const run = await this.#redis.runOf(key);
      const reply = await this.#redis.run(EVENTS_SCRIPT, [key], [run, mark.epoch, mark.number]);
      const [epoch, number = '0', entries] = toArray(reply);
      if (epoch !== mark.epoch || mark.number > Number(number)) return null;
      const events = toArray(entries).flatMap((entry) => parseNumberedEvent(mark.epoch, entry) ?? []);
      // Without a gap up to the last one; otherwise it is unknown what is missing.
      return events.length === Number(number) - mark.number ? events : null;
    });
  }

  async subscribe(timeline: TimelineName, listener: StreamListener): Promise<StreamSubscription> {
    const channel = this.#keys.channel + this.#keys.timeline(timeline);
    const known = this.#subscribed.get(channel);
    const subscribed =
      known ??
      new SubscribedTimeline({
        mark: () => this.#mark(timeline),
        after: (mark) => this.after(timeline, mark),
      });
    this.#subscribed.set(channel, subscribed);
    subscribed.listeners.add(listener);
    const stop = async (): Promise<void> => {
      subscribed.listeners.delete(listener);
      if (subscribed.listeners.size > 0 || this.#subscribed.get(channel) !== subscribed) return;
      this.#subscribed.delete(channel);
      await this.#redis.unsubscribe([channel], this.#listener);
    };
    try {
      // First the subscription, then the mark: an event in between is received and has a higher number.
      if (known === undefined) subscribed.begun = this.#redis.subscribe([channel], this.#listener);
      await subscribed.begun;
      return { mark: await subscribed.ready(), stop };
    } catch (error) {
      await stop().catch(() => {});
      throw toTimelinesError(error);
    }
  }

  reset(timelines: readonly TimelineName[]): Promise<void> {
    return this.#record(RECORD_EVENT_SCRIPT, timelines, () => ['reset 0 -']);
  }

  async announce(
    entries: readonly TimelineEntry[],
    timelines: readonly TimelineName[],
    author?: string,
  ): Promise<void> {
    const shown = await this.#notDeleted(entries);
    for (let n = 0; n < shown.length; n += BATCH_SIZE) {
      const drops = shown.slice(n, n + BATCH_SIZE).flatMap(({ id, createdAt }) => [createdAt, id]);
      await this.#record(ANNOUNCE_SCRIPT, timelines, (slot) => [
        this.#keys.tombstones(slot),
        author === undefined ? '' : this.#keys.severed(slot) + author,
        ...drops,
      ]);
    }
  }

  async subscribedHomes(): Promise<ReadonlySet<string>> {
    return orUnavailable(async () => {
      const now = this.#clock.now();
      await this.#redis.send(this.#keys.subscribedHomes, [
        'ZREMRANGEBYSCORE',
        this.#keys.subscribedHomes,
        '-inf',
        String(now),
      ]);
      const found = await this.#redis.send(this.#keys.subscribedHomes, [
        'ZRANGE',
        this.#keys.subscribedHomes,
        '0',
        '-1',
      ]);
      return new Set(toArray(found).map(String));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    await this.#heartbeat[Symbol.asyncDispose]();
    this.#subscribed.clear();
  }

  async #record(
    script: Script,
    timelines: readonly TimelineName[],
    eventArgs: (slot: number) => readonly (string | number)[],
  ): Promise<void> {
    const slots = Map.groupBy(
      timelines.map((timeline) => this.#keys.timeline(timeline)),
      (key) => this.#redis.slot(key),
    );
    await orUnavailable(async () => {
      for (const [slot, keys] of slots)
        for (let n = 0; n < keys.length; n += BATCH_SIZE) {
          const batch = keys.slice(n, n + BATCH_SIZE);
          const run = await this.#redis.runOf(batch[0] ?? '');
          const args = [this.#keys.channel, run, this.#clock.now(), this.#retentionMs, ...eventArgs(slot)];
          await this.#redis.run(script, batch, args);
        }
    });
  }

  /** In a cluster a slot may not have the tombstone yet. */
  async #notDeleted(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]> {
    if (!this.#redis.clustered) return entries;
    const deleted = await orUnavailable(() =>
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
    for (const subscribed of [...this.#subscribed.values()]) await subscribed.catchUp();
  }

  /** Renews the subscriptions at intervals. */
  async #renew(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#clock
        .sleep(Math.max(SECOND, this.#retentionMs / RENEWALS_PER_RETENTION), signal)
        .catch(() => {});
      if (!signal.aborted) await this.#catchUp().catch(() => {});
    }
  }
}

/** Records homes as subscribed until this time: their streams get drops that are not written to homes (C11). */
export async function recordSubscribedHomes(
  redis: RedisConnection,
  owners: readonly string[],
  until: number,
): Promise<void> {
  const key = timelineKeys(redis).subscribedHomes;
  await redis.send(key, ['ZADD', key, 'GT', ...owners.flatMap((owner) => [String(until), owner])]);
}

/** An entry of the stream: `[number-0, [v, line]]`. */
function parseNumberedEvent(epoch: string, entry: RedisReply): NumberedEvent | null {
  const [id, fields] = toArray(entry);
  const event = parseEventLine(String(toArray(fields)[1] ?? ''));
  return event && { epoch, number: Number.parseInt(String(id), 10), event };
}

export interface SubscribedTimelineDependencies {
  readonly mark: () => Promise<EventNumber>;
  readonly after: (mark: EventNumber) => Promise<readonly NumberedEvent[] | null>;
}

/** New drops tracked per timeline, so that one that was announced twice is delivered once. */
const MAX_TRACKED_ANNOUNCEMENTS = 1000;

/**
 * One timeline's events as received by this replica. The next number is delivered, an old one is not, and a gap is fetched
 * before anything above it is delivered.
 */
export class SubscribedTimeline {
  readonly listeners = new Set<StreamListener>();
  begun: Promise<void> = Promise.resolve();
  readonly #deps: SubscribedTimelineDependencies;
  #announced: Set<string> | null = null;
  #ready: Promise<EventNumber> | null = null;
  #last: EventNumber | null = null;
  /** Events received while a gap is fetched. */
  #buffered: NumberedEvent[] | null = null;
  #fetching: Promise<void> | null = null;

  constructor(deps: SubscribedTimelineDependencies) {
    this.#deps = deps;
  }

  /** The mark from which on events are delivered. */
  async ready(): Promise<EventNumber> {
    this.#ready ??= this.#begin();
    await this.#ready;
    return this.#last ?? this.#ready;
  }

  /** `epoch number line` */
  onMessage(message: string): void {
    const [epoch = '', number = '', ...line] = message.split(' ');
    const event = parseEventLine(line.join(' '));
    if (event !== null) this.#accept({ epoch, number: Number(number), event });
  }

  /** Fetches missed events, and renews the subscription. */
  async catchUp(): Promise<void> {
    if (this.#last === null) return;
    const mark = await this.#deps.mark();
    if (mark.epoch !== this.#last.epoch) this.#reportGap(mark);
    else if (mark.number > this.#last.number) await this.#fetch();
  }

  async #begin(): Promise<EventNumber> {
    this.#buffered ??= [];
    try {
      this.#last = await this.#deps.mark();
    } catch (error) {
      this.#ready = null;
      throw error;
    }
    this.#releaseBuffered();
    return this.#last;
  }

  #accept(event: NumberedEvent): void {
    if (this.#buffered !== null) {
      this.#buffered.push(event);
      return;
    }
    const last = this.#last;
    if (last === null) return;
    if (event.epoch !== last.epoch) {
      // A new epoch; this event may not be its first.
      this.#reportGap({ epoch: event.epoch, number: event.number });
    } else if (event.number === last.number + 1) this.#deliver(event);
    else if (event.number > last.number) {
      this.#buffered = [event];
      void this.#fetch();
    }
  }

  #fetch(): Promise<void> {
    this.#fetching ??= this.#fillGap().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fillGap(): Promise<void> {
    this.#buffered ??= [];
    const last = this.#last;
    try {
      const missed = last && (await this.#deps.after(last));
      if (missed) for (const event of missed) this.#deliver(event);
      else this.#reportGap(await this.#deps.mark());
    } catch {
      // Redis is unavailable again. Buffered events are discarded, so that the gap shows at the next event or heartbeat.
      this.#buffered = null;
      return;
    }
    this.#releaseBuffered();
  }

  #releaseBuffered(): void {
    const buffered = this.#buffered ?? [];
    this.#buffered = null;
    for (const event of buffered) this.#accept(event);
  }

  #deliver(event: NumberedEvent): void {
    const { epoch, number } = event;
    this.#last = { epoch, number };
    if (event.event.type === 'new_drop' && this.#isAnnounced(event.event.dropId)) return;
    for (const listener of this.listeners) listener.onEvent(event);
  }

  #reportGap(mark: EventNumber): void {
    this.#last = mark;
    this.#announced = null;
    for (const listener of this.listeners) listener.onGap(mark);
  }

  #isAnnounced(dropId: string): boolean {
    this.#announced ??= new Set();
    if (this.#announced.has(dropId)) return true;
    this.#announced.add(dropId);
    if (this.#announced.size > MAX_TRACKED_ANNOUNCEMENTS)
      for (const oldest of this.#announced) return !this.#announced.delete(oldest);
    return false;
  }
}
