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
  /** For readers that resume from the cursor of a page. */
  readonly reader: TimelineReader;
  /** Counts the streams of all replicas; without it only those of this one are counted. */
  readonly registry?: ConnectionRegistry;
  /** Keeps homes with open streams from being evicted. */
  readonly touch?: (timelines: readonly TimelineName[]) => Promise<void>;
  readonly touchIntervalMs?: number;
  readonly heartbeatMs?: number;
  /** How many streams one reader may have open. */
  readonly maxPerReader?: number;
  /** Maximum bytes buffered for a slow reader. */
  readonly maxBufferedBytes?: number;
  /** More missed drops than this make a reader reload. */
  readonly maxMissed?: number;
  /** Maximum time over which the streams are ended when the program stops. */
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

/**
 * Time between the ends of two streams of a stop, unless `drainMs` is too short for that: thousands of readers must not
 * reconnect at once, and a few need no time.
 */
const DRAIN_INTERVAL_MS = 5;

/** Minimum time after which a reader whose stream ended reconnects. */
export const RECONNECT_MS = 2 * SECOND;

/**
 * The streams of this replica: events of a timeline, from any replica, go to all readers connected to it here. A
 * reader goes through backfill, cutover and live: first what it missed, then what was published during the backfill,
 * then live events.
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

  async connect(request: StreamRequest, response: ServerResponse): Promise<StreamResult> {
    if (this.#stopping.signal.aborted) return { connected: false, why: 'stopping' };
    const { maxBufferedBytes, clock, maxPerReader } = this.#options;
    const atMost = request.maxStreams ?? maxPerReader;
    const connection = new StreamConnection(response, {
      reader: request.reader,
      connectionId: randomUUID(),
      limit: maxBufferedBytes,
      ...(request.endsAt !== undefined && { endsAt: request.endsAt }),
    });
    if (!this.#count(request.reader, atMost)) return { connected: false, why: 'too_many' };
    const removeListener = request.onRevoked?.(() => connection.end('token'));
    if (!(await this.#register(connection, atMost))) {
      removeListener?.();
      this.#uncount(request.reader);
      return connection.closed ? { connected: true } : { connected: false, why: 'too_many' };
    }
    // A stop may have begun meanwhile; it ends only the streams that were open by then.
    if (this.#stopping.signal.aborted) {
      removeListener?.();
      this.#uncount(request.reader);
      this.#unregister(connection);
      return { connected: false, why: 'stopping' };
    }
    const began = clock.monotonic();
    const channel = this.#channel(request.timeline);
    channel.connections.add(connection);
    const leave = (): void => {
      removeListener?.();
      this.#leave(channel, connection, clock.monotonic() - began);
    };
    // The reader may have disconnected meanwhile, and the token may have expired.
    if (connection.closed) {
      leave();
      return { connected: true };
    }
    connection.begin(response, reconnectField(RECONNECT_MS), request.headers);
    connection.onClose(leave);
    this.#expiry.schedule(connection.endsAt);
    if (connection.endsAt <= clock.now()) connection.end('token');
    else await this.#catchUp(channel, connection, request);
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
    const interval = Math.min(DRAIN_INTERVAL_MS, drainMs / leaving.length);
    const began = clock.monotonic();
    for (const [n, connection] of leaving.entries()) {
      const wait = n * interval - (clock.monotonic() - began);
      // Not below the resolution of a timer.
      if (wait >= DRAIN_INTERVAL_MS && this.openCount > 0) await clock.sleep(wait);
      connection.end('stopping', reconnectField(RECONNECT_MS));
    }
  }

  async #catchUp(
    channel: StreamChannel,
    connection: StreamConnection,
    { after }: StreamRequest,
  ): Promise<void> {
    const { streams, reader, log, clock, maxMissed } = this.#options;
    try {
      await channel.ready;
    } catch (error) {
      // No event would ever arrive: the reader has to reconnect.
      log.warn('Failed to subscribe to a timeline, closing the stream', {
        timeline: channel.timeline,
        error,
      });
      this.#closeChannel(channel);
      connection.end('stopping', reconnectField(RECONNECT_MS));
      return;
    }
    await catchUp(channel, connection, after, { streams, reader, log, clock, maxMissed });
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
      log.warn('Failed to register a stream; it is counted in this replica only', { error });
      return true;
    }
  }

  #leave(channel: StreamChannel, connection: StreamConnection, ms: number): void {
    channel.connections.delete(connection);
    this.#uncount(connection.reader);
    this.#options.events.streamClosed({ cause: connection.endReason satisfies StreamEndReason, ms });
    this.#unregister(connection);
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

  /** Cleanup that only a stop waits for. Entries that cannot be removed now expire after their time to live. */
  #inBackground(work: Promise<void>): void {
    const done = work.catch(() => {}).finally(() => this.#cleanups.delete(done));
    this.#cleanups.add(done);
  }

  async #runHeartbeat(): Promise<void> {
    const { clock, heartbeatMs, touchIntervalMs } = this.#options;
    const { signal } = this.#stopping;
    let touchedAt = clock.monotonic();
    while (!signal.aborted) {
      await clock.sleep(heartbeatMs, signal).catch(() => {});
      if (signal.aborted) return;
      for (const connection of this.#connections()) connection.heartbeat(HEARTBEAT_FRAME);
      await this.#renew();
      if (clock.monotonic() - touchedAt < touchIntervalMs) continue;
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
      log.warn('Failed to renew the list of open streams, retrying', { error });
    }
  }
}

/** Ends streams whose token has expired (C23). One timer for all: one each would be a good part of a stream's memory. */
export class TokenExpiry {
  readonly #clock: Clock;
  readonly #open: () => Iterable<StreamConnection>;
  #next = Number.POSITIVE_INFINITY;
  #waiting: AbortController | null = null;

  constructor(clock: Clock, open: () => Iterable<StreamConnection>) {
    this.#clock = clock;
    this.#open = open;
  }

  /** Wakes up at this time, at which an open stream ends. */
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
    for (const connection of this.#open())
      if (connection.endsAt <= now) connection.end('token');
      else next = Math.min(next, connection.endsAt);
    this.#next = Number.POSITIVE_INFINITY;
    // What ends within the same second ends together.
    if (Number.isFinite(next)) this.#wake(Math.max(next, now + SECOND));
  }
}
