import { Cron } from 'croner';
import { isFuture } from '../time/clock.ts';
import { formatDuration } from '../time/duration.ts';

/** A cron expression in a time zone, or a fixed interval between two starts. */
export type Schedule =
  | { readonly kind: 'cron'; readonly expression: string; readonly timeZone: string }
  | { readonly kind: 'every'; readonly ms: number };

/** A schedule that may change while it is waited for. */
export interface LiveSchedule {
  /** Starts before `since` are not caught up. `null` while paused. */
  read(): Promise<{ readonly schedule: Schedule; readonly since: number | null } | null>;
  /** Waits until it may have changed, at most `ms`. False if the signal came first. */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** The first start strictly after a time; `null` if there is none. */
export function nextStart(schedule: Schedule, after: number): number | null {
  if (schedule.kind === 'every') return after + schedule.ms;
  const next = new Cron(schedule.expression, { timezone: schedule.timeZone, paused: true }).nextRun(
    new Date(after),
  );
  return next?.getTime() ?? null;
}

/**
 * When the next run is due, given the start of the last one. Starts missed during a downtime (a sleeping laptop, a
 * restart) are caught up once, not one by one (D4, A1). A last start in the future was recorded by a clock that was
 * ahead, and is ignored.
 */
export function dueAt(schedule: Schedule, lastStart: number | null, now: number): number | null {
  if (lastStart === null || isFuture(lastStart, now))
    return schedule.kind === 'every' ? now : nextStart(schedule, now);
  const next = nextStart(schedule, lastStart);
  return next === null ? null : Math.max(next, now);
}

/** From when starts are counted: the last run, or a later change of a cron expression, which catches up nothing. */
export function startOfWait(
  schedule: Schedule,
  lastStart: number | null,
  changedAt: number | null,
): number | null {
  if (schedule.kind === 'every' || lastStart === null || changedAt === null) return lastStart;
  return Math.max(lastStart, changedAt);
}

/** A schedule as text. */
export function describeSchedule(schedule: Schedule): string {
  return schedule.kind === 'cron'
    ? `${schedule.expression} (${schedule.timeZone})`
    : `every ${formatDuration(schedule.ms)}`;
}
