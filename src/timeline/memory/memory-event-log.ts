import pLimit, { type LimitFunction } from 'p-limit';
import type { Logger } from '../../telemetry/logger.ts';
import { traceHeaders } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { AuthorOrder, meansLater, orderKey, type Turn } from '../author-order.ts';
import type { DropEvent, EventAbout, EventHandler, EventLog } from '../event-log.ts';

export interface MemoryEventLogOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Known from the start, so that an event appended before a group begins to read is kept for it. */
  readonly groups: readonly string[];
}

interface Waiting {
  /** Its place in the log. */
  readonly position: string;
  readonly event: DropEvent;
  readonly about: EventAbout;
}

interface Group {
  readonly waiting: Waiting[];
  readonly order: AuthorOrder;
  /** Work that goes on beside the queue: long rests, and events that are tried again. */
  aside: number;
  /** Wakes the consumer that waits for an event. */
  wake: () => void;
  /** Wake those who wait for the group to have handled everything. */
  idle: (() => void)[];
}

const FIRST_WAIT = 100;
const LONGEST_WAIT = 10_000;
/** Long rests that are worked on at the same time. */
const RESTS = 2;

/**
 * The event log of a single process. It needs no disk: after a restart the timelines are read from the post service,
 * which has every drop that was ever appended here.
 */
export class MemoryEventLog implements EventLog {
  readonly #groups: ReadonlyMap<string, Group>;
  readonly #clock: Clock;
  readonly #log: Logger;
  #appended = 0;

  constructor({ clock, log, groups }: MemoryEventLogOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#groups = new Map(
      groups.map((name) => [
        name,
        { waiting: [], order: new AuthorOrder(), aside: 0, wake: () => {}, idle: [] },
      ]),
    );
  }

  async append(event: DropEvent): Promise<void> {
    const about = { at: this.#clock.now(), trace: traceHeaders() };
    const position = String(++this.#appended).padStart(16, '0');
    for (const group of this.#groups.values()) {
      group.waiting.push({ position, event, about });
      group.wake();
    }
  }

  async consume(group: string, handle: EventHandler, signal: AbortSignal): Promise<void> {
    const queue = this.#group(group);
    const rests = pLimit(RESTS);
    const going = new Set<Promise<void>>();
    while (!signal.aborted) {
      const next = queue.waiting.shift();
      if (next === undefined) {
        if (queue.aside === 0) for (const done of queue.idle.splice(0)) done();
        await appended(queue, signal);
        continue;
      }
      const work = await this.#begin(group, next, handle, rests, signal);
      if (work === undefined) continue;
      queue.aside += 1;
      const done = work().then(() => {
        queue.aside -= 1;
        going.delete(done);
        queue.wake();
      });
      going.add(done);
    }
    await Promise.all(going);
  }

  async waiting(group: string): Promise<number> {
    const { waiting, aside } = this.#group(group);
    return waiting.length + aside;
  }

  /** Resolves once the group has handled everything appended so far. Needs a running consumer. */
  async idle(group: string): Promise<void> {
    const queue = this.#group(group);
    await new Promise<void>((resolve) => {
      queue.idle.push(resolve);
      queue.wake();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const group of this.#groups.values()) {
      group.waiting.length = 0;
      for (const done of group.idle.splice(0)) done();
    }
  }

  /** What is left to do beside the others: the rest of a long work, another try, or an event that has to wait for one. */
  async #begin(
    group: string,
    { position, event, about }: Waiting,
    handle: EventHandler,
    rests: LimitFunction,
    signal: AbortSignal,
  ): Promise<(() => Promise<void>) | undefined> {
    const { order } = this.#group(group);
    const whole = async (): Promise<void> => {
      const rest = await handle(event, about);
      if (rest) await rests(rest);
    };
    const key = orderKey(event);
    if (key !== null && order.isTaken(key))
      return async () => this.#untilDone(group, event, whole, whole, signal, await order.turn(key, position));
    const turn = key === null ? null : await order.turn(key, position);
    try {
      const rest = await handle(event, about);
      if (rest) return () => this.#untilDone(group, event, () => rests(rest), whole, signal, turn);
      turn?.end();
      return undefined;
    } catch (error) {
      const failed = async (): Promise<void> => {
        throw error;
      };
      return () => this.#untilDone(group, event, failed, whole, signal, turn);
    }
  }

  async #untilDone(
    group: string,
    event: DropEvent,
    first: () => Promise<void>,
    again: () => Promise<void>,
    signal: AbortSignal,
    turn: Turn | null,
  ): Promise<void> {
    try {
      for (let failures = 0; !signal.aborted; ) {
        try {
          await (failures === 0 ? first() : again());
          return;
        } catch (error) {
          if (!meansLater(error)) turn?.end();
          const wait = Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT);
          failures += 1;
          const told = { group, event: event.type, failures, waitMs: wait, error };
          this.#log.error('an event could not be handled and is tried again', told);
          await this.#clock.sleep(wait, signal).catch(() => {});
        }
      }
    } finally {
      turn?.end();
    }
  }

  #group(name: string): Group {
    const group = this.#groups.get(name);
    if (!group) throw new Error(`The event log was made without the group "${name}".`);
    return group;
  }
}

function appended(group: Group, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      signal.removeEventListener('abort', wake);
      group.wake = () => {};
      resolve();
    };
    group.wake = wake;
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
  });
}
