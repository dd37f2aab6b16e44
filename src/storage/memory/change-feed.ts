import { traceHeaders } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { HOUR } from '../../time/duration.ts';
import {
  type Change,
  type ChangeFeed,
  type ChangeSink,
  type FeedChange,
  RelayLoop,
} from '../../timelines/change-feed.ts';

/**
 * The changes that this process made at a remote social store. They are lost with the process: a remote service publishes
 * its changes on the channels of C2 itself.
 */
export class MemoryChangeFeed implements ChangeFeed {
  readonly betweenProcesses = false;
  readonly #clock: Clock;
  readonly #loop: RelayLoop;
  readonly #waiting: FeedChange[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#loop = new RelayLoop(clock);
  }

  async append(change: Change): Promise<void> {
    this.#waiting.push({ change, at: this.#clock.now(), trace: traceHeaders() });
    this.#loop.wake();
  }

  async relay(sink: ChangeSink, signal: AbortSignal): Promise<void> {
    const pass = async (): Promise<number> => {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        await sink.accept(next);
        this.#waiting.shift();
      }
      return HOUR;
    };
    await this.#loop.run(pass, sink.log, signal);
  }

  async waiting(): Promise<number> {
    return this.#waiting.length;
  }
}
