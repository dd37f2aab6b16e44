import { calendarDay } from '../time/calendar-day.ts';
import type { Clock } from '../time/clock.ts';
import type { DayCounter } from './publishing-stores.ts';

export interface DailyCapOptions {
  readonly destination: string;
  /** How many messages a day. */
  readonly max: number;
  /** Whose midnight begins a day. */
  readonly timeZone: string;
  readonly clock: Clock;
  /** Shared by all pipelines and all copies of the program. */
  readonly counter: DayCounter;
}

/** A place among the messages of a day. */
export interface DailySlot {
  readonly got: true;
  readonly day: number;
}

/**
 * How many messages a destination gets in a day. What is over waits for tomorrow (X18). A place is counted before the message is
 * sent, so that a crash may leave one unused but never gives one too many.
 */
export class DailyCap {
  readonly #options: DailyCapOptions;

  constructor(options: DailyCapOptions) {
    this.#options = options;
  }

  get max(): number {
    return this.#options.max;
  }

  /** A place among today's messages, or the moment at which there may be one. A place must be settled. */
  async reserve(): Promise<DailySlot | { readonly got: false; readonly until: number }> {
    const { destination, max: most, timeZone, clock, counter } = this.#options;
    const { start, end } = calendarDay(clock.now(), timeZone);
    const got = await counter.tryIncrement(destination, start, most);
    return got ? { got, day: start } : { got, until: end };
  }

  /** `false`: nothing was sent, so another message may have the place. */
  async complete({ day }: DailySlot, sent: boolean): Promise<void> {
    if (!sent) await this.#options.counter.decrement(this.#options.destination, day);
  }
}
