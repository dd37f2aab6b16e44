import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import type { DropEvent, EventLog } from '../event-log.ts';

export interface MemoryEventLogOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Known from the start, so that an event appended before a group begins to read is kept for it. */
  readonly groups: readonly string[];
}

interface Group {
  readonly waiting: DropEvent[];
  /** Wakes the consumer that waits for an event. */
  wake: () => void;
  /** Wake those who wait for the group to have handled everything. */
  idle: (() => void)[];
}

const FIRST_WAIT = 100;
const LONGEST_WAIT = 10_000;

/**
 * The event log of a single process. It needs no disk: after a restart the timelines are read from the post service,
 * which has every drop that was ever appended here.
 */
export class MemoryEventLog implements EventLog {
  readonly #groups: ReadonlyMap<string, Group>;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor({ clock, log, groups }: MemoryEventLogOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#groups = new Map(groups.map((name) => [name, { waiting: [], wake: () => {}, idle: [] }]));
  }

  async append(event: DropEvent): Promise<void> {
    for (const group of this.#groups.values()) {
      group.waiting.push(event);
      group.wake();
    }
  }

  async consume(
    group: string,
    handle: (event: DropEvent) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const queue = this.#group(group);
    for (let failures = 0; !signal.aborted; ) {
      const event = queue.waiting[0];
      if (event === undefined) {
        for (const done of queue.idle.splice(0)) done();
        await appended(queue, signal);
        continue;
      }
      try {
        await handle(event);
        queue.waiting.shift();
        failures = 0;
      } catch (error) {
        failures += 1;
        const wait = Math.min(FIRST_WAIT * 2 ** (failures - 1), LONGEST_WAIT);
        this.#log.error('an event could not be handled and is tried again', {
          group,
          event: event.type,
          failures,
          waitMs: wait,
          error,
        });
        await this.#clock.sleep(wait, signal).catch(() => {});
      }
    }
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
