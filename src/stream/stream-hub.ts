import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import type { StreamLog } from '../timeline/stream-log.ts';
import type { TimelineReader } from '../timeline/timeline-reader.ts';
import type { TimelineName } from '../timeline/timeline-store.ts';
import { backfill } from './backfill.ts';
import { catchUp } from './catch-up.ts';
import { Channel } from './channel.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import { Expiry } from './expiry.ts';
import { HEARTBEAT } from './frame.ts';
import { type StreamEnd, Subscriber } from './subscriber.ts';
import {
  reconnectAfter,
  type StreamAnswer,
  type StreamAsk,
  type TimelineStreams,
} from './timeline-streams.ts';

export interface StreamHubOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<Events, 'streamClosed'>;
  readonly streams: StreamLog;
  /** For readers that come with the cursor of a page. */
  readonly reader: TimelineReader;
  /** Where streams of all copies are counted; without it those of this one. */
  readonly registry?: ConnectionRegistry;
  /** Somebody still looks at these homes. */
  readonly touch?: (timelines: readonly TimelineName[]) => Promise<void>;
  readonly touchEveryMs?: number;
  readonly heartbeatMs?: number;
  /** How many streams one reader may have open. */
  readonly perReader?: number;
  /** Bytes that may pile up for a slow reader. */
  readonly bufferBytes?: number;
  /** More missed drops than this make a reader load anew. */
  readonly mostMissed?: number;
  /** Over how much time the readers are sent away when the program stops. */
  readonly drainMs?: number;
}

const DEFAULTS = {
  heartbeatMs: 15 * SECOND,
  touchEveryMs: 10 * MINUTE,
  perReader: 10,
  bufferBytes: 64 * 1024,
  mostMissed: 1000,
  drainMs: 0,
};

/** Shortest time after which a reader whose stream ended comes back. */
export const RECONNECT_MS = 2 * SECOND;

/**
 * The streams of this copy: what happens to a timeline, on whatever copy, goes to everybody connected to it here. A
 * reader is taken through backfill, cutover and live: first what it missed, then what came while that was read, then
 * the rest as it happens.
 */
export class StreamHub implements TimelineStreams {
  readonly #options: StreamHubOptions & typeof DEFAULTS;
  readonly #channels = new Map<TimelineName, Channel>();
  readonly #streamsOf = new Map<string, number>();
  readonly #stopping = new AbortController();
  readonly #expiry: Expiry;
  readonly #beating: Promise<void>;
  readonly #leaving = new Set<Promise<unknown>>();

  constructor(options: StreamHubOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#expiry = new Expiry(options.clock, () => this.#subscribers());
    this.#beating = this.#beat();
  }

  get open(): number {
    let open = 0;
    for (const channel of this.#channels.values()) open += channel.subscribers.size;
    return open;
  }

  async connect(ask: StreamAsk, response: ServerResponse): Promise<StreamAnswer> {
    if (this.#stopping.signal.aborted) return { connected: false, why: 'stopping' };
    const { bufferBytes, clock, perReader } = this.#options;
    const atMost = ask.atMost ?? perReader;
    const subscriber = new Subscriber(response, {
      reader: ask.reader,
      connectionId: randomUUID(),
      limit: bufferBytes,
      ...(ask.endsAt !== undefined && { endsAt: ask.endsAt }),
    });
    if (!this.#count(ask.reader, atMost)) return { connected: false, why: 'too_many' };
    const unwatch = ask.onRevoked?.(() => subscriber.end('token'));
    if (!(await this.#enter(subscriber, atMost))) {
      unwatch?.();
      this.#uncount(ask.reader);
      return subscriber.closed ? { connected: true } : { connected: false, why: 'too_many' };
    }
    // A stop may have begun meanwhile; it ends only the streams that were open by then.
    if (this.#stopping.signal.aborted) {
      unwatch?.();
      this.#uncount(ask.reader);
      this.#unregister(subscriber);
      return { connected: false, why: 'stopping' };
    }
    const began = clock.monotonic();
    const channel = this.#channel(ask.timeline);
    channel.subscribers.add(subscriber);
    const leave = (): void => {
      unwatch?.();
      this.#leave(channel, subscriber, clock.monotonic() - began);
    };
    // A reader may be gone before it was ever here, and a token may have run out on the way.
    if (subscriber.closed) {
      leave();
      return { connected: true };
    }
    subscriber.begin(response, reconnectAfter(RECONNECT_MS), ask.headers);
    subscriber.onClose(leave);
    this.#expiry.expect(subscriber.endsAt);
    if (subscriber.endsAt <= clock.now()) subscriber.end('token');
    else await this.#catchUp(channel, subscriber, ask);
    return { connected: true };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
    this.#expiry.stop();
    await Promise.all([...this.#channels.values()].map((channel) => channel.close().catch(() => {})));
    this.#channels.clear();
    await Promise.all(this.#leaving);
  }

  async drain(): Promise<void> {
    this.#stopping.abort();
    await this.#beating;
    const { clock, drainMs } = this.#options;
    const leaving = [...this.#subscribers()];
    const began = clock.monotonic();
    for (const [n, subscriber] of leaving.entries()) {
      subscriber.end('stopping', reconnectAfter(RECONNECT_MS));
      // Spread over the time that is set, in steps that a timer can keep.
      const due = (drainMs * (n + 1)) / leaving.length - (clock.monotonic() - began);
      if (due > 5 && this.open > 0) await clock.sleep(due);
    }
  }

  async #catchUp(channel: Channel, subscriber: Subscriber, { after }: StreamAsk): Promise<void> {
    const { streams, reader, log, clock, mostMissed } = this.#options;
    try {
      await channel.ready;
    } catch (error) {
      // Nothing would ever arrive: the reader comes back in a moment.
      log.warn('a stream could not be opened', { timeline: channel.timeline, error });
      this.#forget(channel);
      subscriber.end('stopping', reconnectAfter(RECONNECT_MS));
      return;
    }
    await catchUp(channel, subscriber, after, { streams, reader, log, clock, most: mostMissed });
  }

  *#subscribers(): Generator<Subscriber> {
    for (const channel of this.#channels.values()) yield* channel.subscribers;
  }

  #count(reader: string, atMost: number): boolean {
    const streams = this.#streamsOf.get(reader) ?? 0;
    if (streams >= atMost) return false;
    this.#streamsOf.set(reader, streams + 1);
    return true;
  }

  #uncount(reader: string): void {
    const left = (this.#streamsOf.get(reader) ?? 1) - 1;
    if (left > 0) this.#streamsOf.set(reader, left);
    else this.#streamsOf.delete(reader);
  }

  async #enter({ reader, connectionId }: Subscriber, atMost: number): Promise<boolean> {
    const { registry, log } = this.#options;
    if (registry === undefined) return true;
    try {
      return await registry.enter(reader, connectionId, atMost);
    } catch (error) {
      log.warn('a stream could not be registered; it is counted in this copy alone', { error });
      return true;
    }
  }

  #leave(channel: Channel, subscriber: Subscriber, ms: number): void {
    channel.subscribers.delete(subscriber);
    this.#uncount(subscriber.reader);
    this.#options.events.streamClosed({ cause: subscriber.cause satisfies StreamEnd, ms });
    this.#unregister(subscriber);
    if (channel.subscribers.size === 0) this.#forget(channel);
  }

  #unregister({ reader, connectionId }: Subscriber): void {
    const { registry } = this.#options;
    if (registry) this.#later(registry.leave(reader, connectionId));
  }

  #channel(timeline: TimelineName): Channel {
    const known = this.#channels.get(timeline);
    if (known) return known;
    const { streams, reader, log } = this.#options;
    const readTop = async () => (await backfill(reader, timeline, undefined, 1)).top;
    const channel = new Channel(timeline, streams, readTop, log);
    this.#channels.set(timeline, channel);
    return channel;
  }

  #forget(channel: Channel): void {
    if (this.#channels.get(channel.timeline) === channel) this.#channels.delete(channel.timeline);
    this.#later(channel.close());
  }

  /** Cleaning up that nobody waits for; a stop does. What cannot be cleaned up now goes by its time to live. */
  #later(work: Promise<void>): void {
    const done = work.catch(() => {}).finally(() => this.#leaving.delete(done));
    this.#leaving.add(done);
  }

  async #beat(): Promise<void> {
    const { clock, heartbeatMs, touchEveryMs } = this.#options;
    const { signal } = this.#stopping;
    let touchedAt = clock.monotonic();
    while (!signal.aborted) {
      await clock.sleep(heartbeatMs, signal).catch(() => {});
      if (signal.aborted) return;
      for (const subscriber of this.#subscribers()) subscriber.heartbeat(HEARTBEAT);
      await this.#keep();
      if (clock.monotonic() - touchedAt < touchEveryMs) continue;
      touchedAt = clock.monotonic();
      await this.#options.touch?.([...this.#channels.keys()]).catch(() => {});
    }
  }

  async #keep(): Promise<void> {
    const { registry, log } = this.#options;
    const open = Array.from(this.#subscribers(), ({ reader, connectionId }) => ({
      userId: reader,
      connectionId,
    }));
    try {
      await registry?.keep(open);
    } catch (error) {
      log.warn('the list of open streams could not be kept up to date', { error });
    }
  }
}
