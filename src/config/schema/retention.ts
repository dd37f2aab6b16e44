import { section } from './section.ts';
import { cron, duration, keepTime, timeZone, toggle } from './values.ts';

/** How long things are kept, and when the old ones go. A pipeline may have keep times of its own. */
export const retention = section({
  enabled: toggle().default(true).describe('Whether old items are swept by themselves.'),
  schedule: cron().prefault('0 3 * * 0').describe('When they are swept.'),
  time_zone: timeZone().prefault('Asia/Tokyo').describe('Time zone of `schedule`.'),
  notified: keepTime().prefault('90d').describe('How long curated articles that were posted are kept.'),
  rejected: keepTime()
    .prefault('30d')
    .describe('How long curated articles that were turned down are kept; then they may be judged again.'),
  processed: keepTime().prefault('keep').describe('How long summarised items are kept.'),
  completed: keepTime().prefault('keep').describe('How long completed videos are kept.'),
  failed: keepTime().prefault('keep').describe('How long failed videos are kept.'),
  tombstones: duration(86_400_000)
    .prefault('400d')
    .describe('How long a swept item is still recognised, so that old news does not become new.'),
});
