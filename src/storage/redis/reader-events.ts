import {
  LocalReaderEvents,
  type ReaderEvent,
  type ReaderEventListener,
  type ReaderEvents,
} from '../../reader/reader-events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { RedisConnection } from './connection.ts';

export interface RedisReaderEventsOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How often an interrupted subscription is looked for, while there are subscribers. */
const CHECK_INTERVAL_MS = 2 * SECOND;

/** Events through the channels `reader_events` and `reader_events:<person>`. A replica subscribes to those of its open pages. */
export class RedisReaderEvents implements ReaderEvents {
  readonly #options: RedisReaderEventsOptions;
  readonly #local = new LocalReaderEvents();
  readonly #channels = new Map<string, { count: number; readonly subscribed: Promise<void> }>();
  readonly #stop = new AbortController();
  #checking: Promise<void> | null = null;
  readonly #listener = (message: string, channel: string): void => {
    void this.#local.publish(this.#personOf(channel), JSON.parse(message) as ReaderEvent);
  };

  constructor(options: RedisReaderEventsOptions) {
    this.#options = options;
  }

  async publish(person: string | null, event: ReaderEvent): Promise<void> {
    const { connection, log } = this.#options;
    const channel = this.#channelOf(person);
    try {
      await connection.send(channel, ['PUBLISH', channel, JSON.stringify(event)]);
    } catch (error) {
      log.warn('Failed to publish a reader event to other replicas', { error });
      await this.#local.publish(person, event);
    }
  }

  async subscribe(person: string | null, listener: ReaderEventListener): Promise<() => void> {
    const cleanup = new DisposableStack();
    cleanup.defer(await this.#local.subscribe(person, listener));
    try {
      for (const channel of new Set([this.#channelOf(null), this.#channelOf(person)])) {
        cleanup.defer(() => this.#leave(channel));
        await this.#join(channel);
      }
    } catch (error) {
      cleanup.dispose();
      throw error;
    }
    this.#checking ??= this.#check();
    return () => cleanup.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#checking;
    await this.#local[Symbol.asyncDispose]();
  }

  #join(channel: string): Promise<void> {
    const known = this.#channels.get(channel);
    if (known !== undefined) {
      known.count++;
      return known.subscribed;
    }
    const subscribed = this.#options.connection.subscribe([channel], this.#listener);
    this.#channels.set(channel, { count: 1, subscribed });
    return subscribed;
  }

  #leave(channel: string): void {
    const known = this.#channels.get(channel);
    if (known === undefined || --known.count > 0) return;
    this.#channels.delete(channel);
    // Without a connection there is no subscription to end.
    known.subscribed
      .then(async () => {
        if (!this.#channels.has(channel))
          await this.#options.connection.unsubscribe([channel], this.#listener);
      })
      .catch(() => {});
  }

  /** A new connection of the subscriptions means that events may have been lost. */
  async #check(): Promise<void> {
    const { connection, clock } = this.#options;
    const { signal } = this.#stop;
    let name = connection.subscriptionName;
    while (this.#channels.size > 0 && !signal.aborted) {
      await clock.sleep(CHECK_INTERVAL_MS, signal).catch(() => {});
      const before = name;
      name = connection.subscriptionName;
      if (name !== before) this.#local.reportGap();
    }
    this.#checking = null;
  }

  #channelOf(person: string | null): string {
    const all = `${this.#options.connection.prefix}reader_events`;
    return person === null ? all : `${all}:${person}`;
  }

  #personOf(channel: string): string | null {
    const all = this.#channelOf(null);
    return channel === all ? null : channel.slice(all.length + 1);
  }
}
