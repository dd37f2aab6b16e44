import { calendarDate, calendarDay } from '../../time/calendar-day.ts';
import type { Clock } from '../../time/clock.ts';

/**
 * The units of the Data API that one key has used today (D12), shared by all channels that are read with it. A day ends
 * at midnight in California, as Google counts. Each source keeps its own part in its memory and hands it back after a
 * restart, so that the sum survives.
 */
export class YouTubeQuota {
  readonly limit: number;
  readonly #clock: Clock;
  #day = '';
  #used = new Map<string, number>();
  #exhausted = false;

  constructor(options: { readonly limit?: number; readonly clock: Clock }) {
    this.limit = options.limit ?? 10_000;
    this.#clock = options.clock;
  }

  /** Takes units before a call; false when that would be over the limit, and then the call must not be made. */
  take(sourceId: string, units: number): boolean {
    this.#turn();
    if (this.#exhausted || this.used + units > this.limit) return false;
    this.#used.set(sourceId, (this.#used.get(sourceId) ?? 0) + units);
    return true;
  }

  /** Google says that nothing is left, whatever we have counted: somebody else uses the key too. */
  exhaust(): void {
    this.#turn();
    this.#exhausted = true;
  }

  /** Units used today, by everybody. */
  get used(): number {
    this.#turn();
    return this.#used.values().reduce((sum, units) => sum + units, 0);
  }

  get isExhausted(): boolean {
    this.#turn();
    return this.#exhausted || this.used >= this.limit;
  }

  /** When the next day of the quota begins. */
  get resetsAt(): number {
    return nextPacificMidnight(this.#clock.now());
  }

  /** What one source has to remember. */
  partOf(sourceId: string): { readonly quotaDay: string; readonly quotaUsed: number } {
    this.#turn();
    return { quotaDay: this.#day, quotaUsed: this.#used.get(sourceId) ?? 0 };
  }

  /** Hands a source's part back after a restart. */
  restore(sourceId: string, day: unknown, used: unknown): void {
    this.#turn();
    if (day !== this.#day || typeof used !== 'number' || !(used >= 0)) return;
    this.#used.set(sourceId, Math.max(used, this.#used.get(sourceId) ?? 0));
  }

  #turn(): void {
    const today = pacificDay(this.#clock.now());
    if (today === this.#day) return;
    this.#day = today;
    this.#used = new Map();
    this.#exhausted = false;
  }
}

/** YouTube's quota starts again at midnight there. */
const QUOTA_TIME_ZONE = 'America/Los_Angeles';

/** The date that YouTube counts a call to, as in `2026-11-15`. */
export function pacificDay(now: number): string {
  return calendarDate(now, QUOTA_TIME_ZONE);
}

/** When the quota starts again. */
export function nextPacificMidnight(now: number): number {
  return calendarDay(now, QUOTA_TIME_ZONE).end;
}
