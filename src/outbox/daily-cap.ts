import { calendarDay } from '../time/calendar-day.ts';
import type { Clock } from '../time/clock.ts';
import type { DayCounter } from './publishing-stores.ts';

export interface DailyCapOptions {
  readonly destination: string;
  /** Messages per day. */
  readonly max: number;
  /** Time zone in which a day begins. */
  readonly timeZone: string;
  readonly clock: Clock;
  /** Shared by all pipelines and replicas. */
  readonly counter: DayCounter;
}

/** A reserved message of a day's quota. */
export interface DailySlot {
  readonly got: true;
  readonly day: number;
}

/**
 * Daily message quota of a destination; messages over it wait for the next day (X18). A slot is counted before its
 * message is sent, so a crash may waste a slot but never exceeds the quota.
 */
export class DailyCap {
  readonly #options: DailyCapOptions;

  constructor(options: DailyCapOptions) {
    this.#options = options;
  }

  get max(): number {
    return this.#options.max;
  }

  /** Reserves a slot of today, or returns when the next may be free. Call `complete` for each slot. */
  async reserve(): Promise<DailySlot | { readonly got: false; readonly until: number }> {
    const { destination, max, timeZone, clock, counter } = this.#options;
    const { start, end } = calendarDay(clock.now(), timeZone);
    const got = await counter.tryIncrement(destination, start, max);
    return got ? { got, day: start } : { got, until: end };
  }

  /** `sent` false returns the slot. */
  async complete({ day }: DailySlot, sent: boolean): Promise<void> {
    if (!sent) await this.#options.counter.decrement(this.#options.destination, day);
  }
}
