import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { catchUp, readMissedEntries } from './stream-catch-up.ts';
import { StreamChannel } from './stream-channel.ts';
import { StreamConnection, type StreamEndReason } from './stream-connection.ts';
import {
  type ConnectionRegistry,
  HEARTBEAT_FRAME,
  reconnectField,
  type StreamLog,
  type StreamRequest,
  type StreamResult,
  type TimelineStreams,
} from './streams.ts';
import type { TimelineName, TimelineReader } from './timeline-store.ts';

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
  readonly touchIntervalMs?: number;
  readonly heartbeatMs?: number;
  /** How many streams one reader may have open. */
  readonly maxPerReader?: number;
  /** Bytes that may pile up for a slow reader. */
  readonly maxBufferedBytes?: number;
  /** More missed drops than this make a reader load anew. */
  readonly maxMissed?: number;
  /** Over how much time the readers are sent away when the program stops. */
  readonly drainMs?: number;
}

const DEFAULT_OPTIONS = {
  heartbeatMs: 15 * SECOND,
  touchIntervalMs: 10 * MINUTE,
  maxPerReader: 10,
  maxBufferedBytes: 64 * 1024,
  maxMissed: 1000,
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
  readonly #options: StreamHubOptions & typeof DEFAULT_OPTIONS;
  readonly #channels = new Map<TimelineName, StreamChannel>();
  readonly #streamsOf = new Map<string, number>();
  readonly #stopping = new AbortController();
  readonly #expiry: TokenExpiry;
  readonly #heartbeat: Promise<void>;
  readonly #cleanups = new Set<Promise<unknown>>();

  constructor(options: StreamHubOptions) {
    this.#options = { ...DEFAULT_OPTIONS, ...options };
    this.#expiry = new TokenExpiry(options.clock, () => this.#connections());
    this.#heartbeat = this.#runHeartbeat();
  }

  get openCount(): number {
    let open = 0;
    for (const channel of this.#channels.values()) open += channel.connections.size;
    return open;
  }

  async connect(ask: StreamRequest, response: ServerResponse): Promise<StreamResult> {
    if (this.#stopping.signal.aborted) return { connected: false, why: 'stopping' };
    const { maxBufferedBytes: bufferBytes, clock, maxPerReader: perReader } = this.#options;
    const atMost = ask.maxStreams ?? perReader;
    const subscriber = new StreamConnection(response, {
      reader: ask.reader,
      connectionId: randomUUID(),
      limit: bufferBytes,
      ...(ask.endsAt !== undefined && { endsAt: ask.endsAt }),
    });
    if (!this.#count(ask.reader, atMost)) return { connected: false, why: 'too_many' };
    const unwatch = ask.onRevoked?.(() => subscriber.end('token'));
    if (!(await this.#register(subscriber, atMost))) {
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
    channel.connections.add(subscriber);
    const leave = (): void => {
      unwatch?.();
      this.#leave(channel, subscriber, clock.monotonic() - began);
    };
    // A reader may be gone before it was ever here, and a token may have run out on the way.
    if (subscriber.closed) {
      leave();
      return { connected: true };
    }
    subscriber.begin(response, reconnectField(RECONNECT_MS), ask.headers);
    subscriber.onClose(leave);
    this.#expiry.schedule(subscriber.endsAt);
    if (subscriber.endsAt <= clock.now()) subscriber.end('token');
    else await this.#catchUp(channel, subscriber, ask);
    return { connected: true };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
    this.#expiry.stop();
    await Promise.all([...this.#channels.values()].map((channel) => channel.close().catch(() => {})));
    this.#channels.clear();
    await Promise.all(this.#cleanups);
  }

  async drain(): Promise<void> {
    this.#stopping.abort();
    await this.#heartbeat;
    const { clock, drainMs } = this.#options;
    const leaving = [...this.#connections()];
    const began = clock.monotonic();
    for (const [n, subscriber] of leaving.entries()) {
      subscriber.end('stopping', reconnectField(RECONNECT_MS));
      // Spread over the time that is set, in steps that a timer can keep.
      const due = (drainMs * (n + 1)) / leaving.length - (clock.monotonic() - began);
      if (due > 5 && this.openCount > 0) await clock.sleep(due);
    }
  }

  async #catchUp(
    channel: StreamChannel,
    subscriber: StreamConnection,
    { after }: StreamRequest,
  ): Promise<void> {
    const { streams, reader, log, clock, maxMissed: mostMissed } = this.#options;
    try {
      await channel.ready;
    } catch (error) {
      // Nothing would ever arrive: the reader comes back in a moment.
      log.warn('a stream could not be opened', { timeline: channel.timeline, error });
      this.#closeChannel(channel);
      subscriber.end('stopping', reconnectField(RECONNECT_MS));
      return;
    }
    await catchUp(channel, subscriber, after, { streams, reader, log, clock, maxMissed: mostMissed });
  }

  *#connections(): Generator<StreamConnection> {
    for (const channel of this.#channels.values()) yield* channel.connections;
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

  async #register({ reader, connectionId }: StreamConnection, atMost: number): Promise<boolean> {
    const { registry, log } = this.#options;
    if (registry === undefined) return true;
    try {
      return await registry.register(reader, connectionId, atMost);
    } catch (error) {
      log.warn('a stream could not be registered; it is counted in this copy alone', { error });
      return true;
    }
  }

  #leave(channel: StreamChannel, subscriber: StreamConnection, ms: number): void {
    channel.connections.delete(subscriber);
    this.#uncount(subscriber.reader);
    this.#options.events.streamClosed({ cause: subscriber.endReason satisfies StreamEndReason, ms });
    this.#unregister(subscriber);
    if (channel.connections.size === 0) this.#closeChannel(channel);
  }

  #unregister({ reader, connectionId }: StreamConnection): void {
    const { registry } = this.#options;
    if (registry) this.#inBackground(registry.unregister(reader, connectionId));
  }

  #channel(timeline: TimelineName): StreamChannel {
    const known = this.#channels.get(timeline);
    if (known) return known;
    const { streams, reader, log } = this.#options;
    const readTop = async () => (await readMissedEntries(reader, timeline, undefined, 1)).top;
    const channel = new StreamChannel(timeline, streams, readTop, log);
    this.#channels.set(timeline, channel);
    return channel;
  }

  #closeChannel(channel: StreamChannel): void {
    if (this.#channels.get(channel.timeline) === channel) this.#channels.delete(channel.timeline);
    this.#inBackground(channel.close());
  }

  /** Cleaning up that nobody waits for; a stop does. What cannot be cleaned up now goes by its time to live. */
  #inBackground(work: Promise<void>): void {
    const done = work.catch(() => {}).finally(() => this.#cleanups.delete(done));
    this.#cleanups.add(done);
  }

  async #runHeartbeat(): Promise<void> {
    const { clock, heartbeatMs, touchIntervalMs: touchEveryMs } = this.#options;
    const { signal } = this.#stopping;
    let touchedAt = clock.monotonic();
    while (!signal.aborted) {
      await clock.sleep(heartbeatMs, signal).catch(() => {});
      if (signal.aborted) return;
      for (const subscriber of this.#connections()) subscriber.heartbeat(HEARTBEAT_FRAME);
      await this.#renew();
      if (clock.monotonic() - touchedAt < touchEveryMs) continue;
      touchedAt = clock.monotonic();
      await this.#options.touch?.([...this.#channels.keys()]).catch(() => {});
    }
  }

  async #renew(): Promise<void> {
    const { registry, log } = this.#options;
    const open = Array.from(this.#connections(), ({ reader, connectionId }) => ({
      userId: reader,
      connectionId,
    }));
    try {
      await registry?.renew(open);
    } catch (error) {
      log.warn('the list of open streams could not be kept up to date', { error });
    }
  }
}

/** Ends streams whose token has run out (C23). One timer for all of them: one each would be a good part of a stream's memory. */
export class TokenExpiry {
  readonly #clock: Clock;
  readonly #open: () => Iterable<StreamConnection>;
  #next = Number.POSITIVE_INFINITY;
  #waiting: AbortController | null = null;

  constructor(clock: Clock, open: () => Iterable<StreamConnection>) {
    this.#clock = clock;
    this.#open = open;
  }

  /** Something that is open ends at this time. */
  schedule(endsAt: number): void {
    if (endsAt < this.#next) this.#wake(endsAt);
  }

  stop(): void {
    this.#waiting?.abort();
  }

  #wake(at: number): void {
    this.#waiting?.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#next = at;
    this.#clock.sleep(Math.max(0, at - this.#clock.now()), waiting.signal).then(
      () => this.#sweep(),
      () => {},
    );
  }

  #sweep(): void {
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const subscriber of this.#open())
      if (subscriber.endsAt <= now) subscriber.end('token');
      else next = Math.min(next, subscriber.endsAt);
    this.#next = Number.POSITIVE_INFINITY;
    // What ends within the same second ends together.
    if (Number.isFinite(next)) this.#wake(Math.max(next, now + SECOND));
  }
}
