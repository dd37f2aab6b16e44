import { setImmediate as nextTick } from 'node:timers/promises';
import type { EventDelivery } from './change-feed.ts';

/** Resolves once every change that was committed so far has been handled. */
export async function allHandled(events: Pick<EventDelivery, 'waiting'>): Promise<void> {
  while ((await events.waiting()) > 0) await nextTick();
}
