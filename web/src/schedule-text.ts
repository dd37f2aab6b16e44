import type { PipelineStatus } from '../../src/server/http/newsroom.ts';
import { durationText } from './time.ts';
import { words } from './words/words.ts';

/** When a pipeline runs: an interval in the reader's language, or its cron expression. */
export function scheduleText({ everyMs, schedule }: Pick<PipelineStatus, 'everyMs' | 'schedule'>): string {
  return everyMs === null ? schedule : words.value.manage.pipeline.everyText(durationText(everyMs));
}
