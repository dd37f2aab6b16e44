import type { Notice } from '../social/noticeboard.ts';
import type { SocialStore } from '../social/services.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { announce } from './announce.ts';
import type { EventLog } from './event-log.ts';
import type { TimelineReader } from './timeline-reader.ts';
import type { TimelineName, TimelineStore } from './timeline-store.ts';

export interface WatchParts {
  /** The store itself, not the one that announces: the others' changes are announced here. */
  readonly social: SocialStore;
  readonly events: EventLog;
  readonly store: TimelineStore;
  readonly timelines: TimelineReader;
  readonly clock: Clock;
  readonly log: Logger;
  readonly everyMs?: number;
}

/** Carries what other programs did in the same social store to the timelines of this one. */
export function watchOthers(parts: WatchParts): AsyncDisposable {
  const { board } = parts.social;
  const stop = new AbortController();
  const watching = board === undefined ? Promise.resolve() : watch(() => board.read(), parts, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await watching;
    },
  };
}

async function watch(
  read: () => Promise<readonly Notice[]>,
  parts: WatchParts,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, everyMs = 300 } = parts;
  while (!signal.aborted) {
    try {
      for (const notice of await read()) await heed(notice, parts);
    } catch (error) {
      log.warn('what other programs did could not be read; it is tried again', { error });
    }
    await clock.sleep(everyMs, signal).catch(() => {});
  }
}

async function heed(notice: Notice, { social, events, store, timelines }: WatchParts): Promise<void> {
  if (notice.kind !== 'clear') return announce(notice, social, events);
  for (const timeline of notice.timelines as readonly TimelineName[]) {
    await store.drop(timeline);
    if (notice.rebuild) await timelines.page(timeline, { limit: 1 });
  }
}
