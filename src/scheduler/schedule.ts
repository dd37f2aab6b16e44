import { Cron } from 'croner';
import { isFuture } from '../time/clock.ts';
import { formatDuration } from '../time/duration.ts';

/** Either a cron expression in a time zone, or a fixed distance between two starts. */
export type Schedule =
  | { readonly kind: 'cron'; readonly expression: string; readonly timeZone: string }
  | { readonly kind: 'every'; readonly ms: number };

/** The first start strictly after a moment; `null` for a schedule that never comes again. */
export function nextStart(schedule: Schedule, after: number): number | null {
  if (schedule.kind === 'every') return after + schedule.ms;
  const next = new Cron(schedule.expression, { timezone: schedule.timeZone, paused: true }).nextRun(
    new Date(after),
  );
  return next?.getTime() ?? null;
}

/**
 * When the next run is due, given when the last one started. Starts that were missed while nobody was there (a sleeping
 * laptop, a restart) are caught up once, not one by one (D4, A1). A start in the future is that of a clock that was ahead, and
 * counts as none.
 */
export function dueAt(schedule: Schedule, lastStart: number | null, now: number): number | null {
  if (lastStart === null || isFuture(lastStart, now))
    return schedule.kind === 'every' ? now : nextStart(schedule, now);
  const next = nextStart(schedule, lastStart);
  return next === null ? null : Math.max(next, now);
}

/** A schedule in words. */
export function describeSchedule(schedule: Schedule): string {
  return schedule.kind === 'cron'
    ? `${schedule.expression} (${schedule.timeZone})`
    : `every ${formatDuration(schedule.ms)}`;
}
