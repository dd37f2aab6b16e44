import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { type LocalDay, localDay } from '../time/local-day.ts';
import type { OutboxStore } from './outbox.ts';

/** Other copies of the program may send as well, so what was sent is counted anew after this time. */
const COUNT_AGAIN = 5 * MINUTE;
const PAGE = 200;

export interface DailyCapOptions {
  readonly destination: string;
  /** How many messages a day. */
  readonly most: number;
  /** Whose midnight begins a day. */
  readonly timeZone: string;
  readonly clock: Clock;
}

/**
 * How many messages a destination gets in a day. What is over waits for tomorrow (X18). It counts what the outboxes say was
 * sent since midnight, so that a restart forgets nothing.
 */
export class DailyCap {
  readonly #options: DailyCapOptions;
  readonly #outboxes = new Set<OutboxStore>();
  #day: LocalDay = { start: 0, end: 0 };
  #used = 0;
  #countedAt = 0;
  /** Places that were given out and are not settled yet. */
  #out = 0;
  #counting: Promise<void> | null = null;

  constructor(options: DailyCapOptions) {
    this.#options = options;
  }

  get most(): number {
    return this.#options.most;
  }

  /** Each pipeline has an outbox of its own; all of them count. */
  watch(outbox: OutboxStore): void {
    this.#outboxes.add(outbox);
    this.#countedAt = 0;
  }

  /** A place among today's messages, or the moment at which there may be one. A place must be given back by `settle`. */
  async take(): Promise<{ readonly got: true } | { readonly got: false; readonly until: number }> {
    await this.#count();
    if (this.#used >= this.#options.most) return { got: false, until: this.#day.end };
    this.#used++;
    this.#out++;
    return { got: true };
  }

  /** `false`: nothing was sent, so another message may have the place. */
  settle(sent: boolean): void {
    this.#out--;
    if (!sent) this.#used--;
  }

  async #count(): Promise<void> {
    const now = this.#options.clock.now();
    const isToday = now >= this.#day.start && now < this.#day.end;
    // What is on its way is in no outbox as sent: counting waits until nothing is.
    if (isToday && this.#countedAt > 0 && (this.#out > 0 || now - this.#countedAt < COUNT_AGAIN)) return;
    this.#counting ??= this.#recount(now).finally(() => {
      this.#counting = null;
    });
    await this.#counting;
  }

  async #recount(now: number): Promise<void> {
    const day = localDay(now, this.#options.timeZone);
    const before = this.#used;
    const counts = await Promise.all([...this.#outboxes].map((outbox) => this.#sentSince(day.start, outbox)));
    // Places taken while it was being counted.
    const meanwhile = this.#used - before;
    this.#used = counts.reduce((sum, n) => sum + n, 0) + Math.max(0, meanwhile);
    this.#day = day;
    this.#countedAt = now;
  }

  /** Newest first, until a whole page is older: destinations are served in order. */
  async #sentSince(start: number, outbox: OutboxStore): Promise<number> {
    const { destination, most } = this.#options;
    let count = 0;
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<OutboxStore['list']>> = await outbox.list({
        destination,
        states: ['sent'],
        limit: PAGE,
        ...(cursor !== null && { cursor }),
      });
      const today = page.deliveries.filter(({ updatedAt }) => updatedAt >= start).length;
      count += today;
      cursor = today === 0 ? null : page.next;
    } while (cursor !== null && count < most);
    return count;
  }
}
