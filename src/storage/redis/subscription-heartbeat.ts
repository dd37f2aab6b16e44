import { randomBytes } from 'node:crypto';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { RedisConnection } from './connection.ts';

export interface SubscriptionHeartbeatOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  /** The subscription was interrupted and works again. */
  readonly onInterrupted: () => Promise<void>;
  readonly intervalMs?: number;
}

/**
 * Publishes to itself. A heartbeat that does not come back in time means that messages of others were lost too, however the
 * connection broke; when it comes back, `onInterrupted` is called.
 */
export class SubscriptionHeartbeat implements AsyncDisposable {
  readonly #options: SubscriptionHeartbeatOptions;
  readonly #channel: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #listener = (message: string): void => {
    this.#lastReceived = Number(message);
  };
  #lastReceived = 0;

  constructor(options: SubscriptionHeartbeatOptions) {
    this.#options = options;
    this.#channel = `${options.connection.prefix}timeline_pulse:${randomBytes(9).toString('base64url')}`;
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, connection, log, onInterrupted, intervalMs = SECOND } = this.#options;
    const { signal } = this.#stop;
    // Waits for the first connection, however long that takes.
    const subscribed = connection.subscribe([this.#channel], this.#listener).catch(() => {});
    let interrupted = false;
    let name = connection.subscriptionName;
    for (let beat = 1; !signal.aborted; beat++) {
      try {
        await connection.send(this.#channel, ['PUBLISH', this.#channel, String(beat)]);
      } catch {
        interrupted = true;
      }
      await clock.sleep(intervalMs, signal).catch(() => {});
      if (signal.aborted) break;
      if (this.#lastReceived < beat) {
        interrupted = true;
        continue;
      }
      // A break shorter than one interval shows only in the name of the connection.
      const before = name;
      name = connection.subscriptionName;
      if (!interrupted && name === before) continue;
      interrupted = true;
      try {
        await onInterrupted();
        interrupted = false;
        log.info('Timeline events arrive again; fetched the missed ones');
      } catch (error) {
        log.warn('Failed to fetch missed timeline events, retrying', { error });
      }
    }
    await Promise.race([
      subscribed.then(() => connection.unsubscribe([this.#channel], this.#listener)),
      unsubscribeTimeout(),
    ]).catch(() => {});
  }
}

/** A connection that was never made cannot be unsubscribed from. */
function unsubscribeTimeout(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 200));
}
