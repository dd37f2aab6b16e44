import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import type { TimelineAudience } from '../timeline/audience.ts';
import { type Cursor, decodeCursor, type EventNumber, encodeCursor } from '../timeline/cursor.ts';
import type { TimelineReader } from '../timeline/timeline-reader.ts';
import type { TimelineEntry, TimelineName } from '../timeline/timeline-store.ts';
import { backfill } from './backfill.ts';
import { bookmark, frameOf, HEARTBEAT, reconnectAfter, type StreamEvent } from './frame.ts';
import { StreamHistory } from './history.ts';
import { Subscriber } from './subscriber.ts';
import type { StreamAnswer, StreamAsk, TimelineStreams } from './timeline-streams.ts';

export interface StreamHubOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** For readers that come with the cursor of a page. */
  readonly reader: () => TimelineReader;
  readonly heartbeatMs?: number;
  /** How many streams one reader may have open. */
  readonly perReader?: number;
  /** Bytes that may pile up for a slow reader. */
  readonly bufferBytes?: number;
  /** How many events of each timeline are kept for readers that come back. */
  readonly historySize?: number;
  /** How long a timeline's history outlives its last reader. */
  readonly keepHistoryMs?: number;
  /** Over how much time the readers are sent away when the program stops. */
  readonly drainMs?: number;
  readonly makeEpoch?: () => string;
}

interface Channel {
  readonly history: StreamHistory;
  readonly subscribers: Set<Subscriber>;
  usedAt: number;
}

const DEFAULTS = {
  heartbeatMs: 15 * SECOND,
  perReader: 10,
  bufferBytes: 64 * 1024,
  historySize: 1000,
  keepHistoryMs: 15 * MINUTE,
  drainMs: 0,
  makeEpoch: () => randomBytes(6).toString('hex'),
};

/**
 * The streams of this process: what the fan-out says goes to everybody connected to that timeline, and stays in its
 * history for a while. A reader is taken through backfill, cutover and live: first what it missed, then what came
 * while that was read, then the rest as it happens.
 */
export class StreamHub implements TimelineStreams, TimelineAudience {
  readonly #options: StreamHubOptions & typeof DEFAULTS;
  readonly #channels = new Map<TimelineName, Channel>();
  readonly #streamsOf = new Map<string, number>();
  readonly #stopping = new AbortController();
  readonly #beating: Promise<void>;

  constructor(options: StreamHubOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#beating = this.#beat();
  }

  get open(): number {
    let open = 0;
    for (const channel of this.#channels.values()) open += channel.subscribers.size;
    return open;
  }

  mark(timeline: TimelineName): EventNumber {
    return this.#channel(timeline).history.mark;
  }

  newDrop(entry: TimelineEntry, timelines: readonly TimelineName[]): void {
    for (const timeline of timelines) this.#publish(timeline, { type: 'new_drop', dropId: entry.id }, entry);
  }

  dropDeleted(dropId: string, timelines: readonly TimelineName[]): void {
    for (const timeline of timelines) this.#publish(timeline, { type: 'drop_deleted', dropId });
  }

  reset(timeline: TimelineName): void {
    this.#publish(timeline, { type: 'reset' });
  }

  async connect(ask: StreamAsk, response: ServerResponse): Promise<StreamAnswer> {
    if (this.#stopping.signal.aborted) return { connected: false, why: 'stopping' };
    const streams = this.#streamsOf.get(ask.reader) ?? 0;
    if (streams >= (ask.atMost ?? this.#options.perReader)) return { connected: false, why: 'too_many' };

    const subscriber = new Subscriber(ask.reader, response, this.#options.bufferBytes);
    const channel = this.#channel(ask.timeline);
    this.#streamsOf.set(ask.reader, streams + 1);
    channel.subscribers.add(subscriber);
    const end = (): void => subscriber.end();
    const leave = (): void => {
      ask.signal?.removeEventListener('abort', end);
      this.#leave(channel, subscriber);
    };
    // A reader may be gone before it was ever here, and a token may have run out on the way.
    if (subscriber.closed) {
      leave();
      return { connected: true };
    }
    response.once('close', leave);
    ask.signal?.addEventListener('abort', end, { once: true });
    subscriber.begin(reconnectAfter(2 * SECOND));
    if (ask.signal?.aborted) end();
    else await this.#catchUp(channel, subscriber, ask);
    return { connected: true };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
    this.#channels.clear();
  }

  async drain(): Promise<void> {
    this.#stopping.abort();
    await this.#beating;
    const leaving = [...this.#channels.values()].flatMap((channel) => [...channel.subscribers]);
    const pause = leaving.length === 0 ? 0 : this.#options.drainMs / leaving.length;
    for (const subscriber of leaving) {
      subscriber.end();
      if (pause > 0) await this.#options.clock.sleep(pause);
    }
  }

  /** Backfill and cutover. Until it ends, what happens live is held back for this reader. */
  async #catchUp(channel: Channel, subscriber: Subscriber, ask: StreamAsk): Promise<void> {
    const cursor = ask.after === undefined ? undefined : decodeCursor(ask.after);
    if (cursor?.event) {
      const missed = channel.history.after(cursor.event);
      if (missed) for (const { frame } of missed) subscriber.write(frame);
      else subscriber.write(frameOf({ type: 'reset' }, channel.history.cursor));
      return;
    }
    subscriber.hold();
    const sent = new Set<string>();
    try {
      if (cursor === null) subscriber.write(frameOf({ type: 'reset' }, channel.history.cursor));
      else await this.#readMissed(channel, subscriber, ask.timeline, cursor, sent);
    } catch (error) {
      this.#options.log.warn('a stream could not read what its reader missed', {
        timeline: ask.timeline,
        error,
      });
      subscriber.write(frameOf({ type: 'reset' }, channel.history.cursor));
    }
    subscriber.release(sent);
  }

  async #readMissed(
    channel: Channel,
    subscriber: Subscriber,
    timeline: TimelineName,
    cursor: Cursor | undefined,
    sent: Set<string>,
  ): Promise<void> {
    const mark = channel.history.mark;
    const missed = await backfill(
      this.#options.reader(),
      timeline,
      cursor?.position,
      this.#options.historySize,
    );
    if (missed.top) channel.history.raise(missed.top);
    if (missed.entries === null) {
      subscriber.write(frameOf({ type: 'reset' }, encodeCursor(missed.top, mark)));
      return;
    }
    for (const entry of missed.entries) {
      sent.add(entry.id);
      subscriber.write(frameOf({ type: 'new_drop', dropId: entry.id }, encodeCursor(entry)));
    }
    subscriber.write(bookmark(encodeCursor(missed.top, mark)));
  }

  #publish(timeline: TimelineName, event: StreamEvent, position?: TimelineEntry): void {
    const channel = this.#channels.get(timeline);
    const recorded = channel?.history.record(event, position);
    if (!channel || !recorded) return;
    const dropId = event.type === 'new_drop' ? event.dropId : null;
    for (const subscriber of channel.subscribers) {
      if (!subscriber.send(recorded.frame, dropId))
        this.#options.log.info('a stream was cut off because its reader is too slow', { timeline });
    }
  }

  #leave(channel: Channel, subscriber: Subscriber): void {
    channel.subscribers.delete(subscriber);
    channel.usedAt = this.#options.clock.monotonic();
    const left = (this.#streamsOf.get(subscriber.reader) ?? 1) - 1;
    if (left > 0) this.#streamsOf.set(subscriber.reader, left);
    else this.#streamsOf.delete(subscriber.reader);
  }

  #channel(timeline: TimelineName): Channel {
    const usedAt = this.#options.clock.monotonic();
    const known = this.#channels.get(timeline);
    if (known) {
      known.usedAt = usedAt;
      return known;
    }
    const history = new StreamHistory(this.#options.makeEpoch(), this.#options.historySize);
    const channel: Channel = { history, subscribers: new Set(), usedAt };
    this.#channels.set(timeline, channel);
    return channel;
  }

  async #beat(): Promise<void> {
    const { clock, heartbeatMs, keepHistoryMs } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await clock.sleep(heartbeatMs, signal).catch(() => {});
      if (signal.aborted) return;
      for (const [timeline, channel] of this.#channels) {
        for (const subscriber of channel.subscribers) subscriber.write(HEARTBEAT);
        const idle = channel.subscribers.size === 0 && clock.monotonic() - channel.usedAt > keepHistoryMs;
        if (idle) this.#channels.delete(timeline);
      }
    }
  }
}
