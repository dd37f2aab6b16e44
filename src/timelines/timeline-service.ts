import { ServiceUnavailableError } from '../social/rules.ts';
import type { SocialStore } from '../social/social-store.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { DAY } from '../time/duration.ts';
import type { ChangeFeed, EventDelivery } from './change-feed.ts';
import type { FanOutThresholds } from './fan-out.ts';
import { createFanOutHandler } from './fan-out.ts';
import { FollowChecks } from './follow-checks.ts';
import { createPublicDrops, createTimelineOrigin } from './origin.ts';
import { TimelinePager } from './paging.ts';
import { TimelineRebuilder } from './rebuild.ts';
import { StreamHub, type StreamHubOptions } from './stream-hub.ts';
import type { ConnectionRegistry, StreamLog, TimelineStreams } from './streams.ts';
import type { PullAuthors, ReceivedDrops, TimelineReader } from './timeline-store.ts';
import {
  DEFAULT_CAP,
  type TimelineName,
  type TimelineStore,
  TimelinesUnavailableError,
} from './timeline-store.ts';

/** Storage of the timelines: all in this process, or all in Redis. */
export interface TimelineBackend extends AsyncDisposable {
  readonly store: TimelineStore;
  readonly eventLog: EventDelivery;
  readonly streams: StreamLog;
  readonly pullAuthors: PullAuthors;
  readonly received: ReceivedDrops;
  /** Counts the streams of one user over several replicas. */
  readonly registry?: ConnectionRegistry;
}

export interface TimelineServiceDependencies {
  readonly social: SocialStore;
  /** The changes of `social`. */
  readonly changes: ChangeFeed;
  readonly backend: Omit<TimelineBackend, keyof AsyncDisposable>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry?: Pick<Events, 'dropEventHandled' | 'timelineRead' | 'streamClosed'>;
  /** Maximum entries of a timeline in the store; the same as the store's own setting. */
  readonly cap?: number;
  readonly thresholds?: FanOutThresholds;
  /** Interval of the follow checks, if follows may change without an event. */
  readonly followCheckIntervalMs?: number;
  readonly stream?: Partial<
    Pick<
      StreamHubOptions,
      'heartbeatMs' | 'maxPerReader' | 'maxBufferedBytes' | 'maxMissed' | 'drainMs' | 'touchIntervalMs'
    >
  >;
}

/** The running timelines. */
export interface TimelineService extends AsyncDisposable {
  readonly timelines: TimelineReader;
  readonly streams: TimelineStreams;
}

export const DEFAULT_THRESHOLDS: FanOutThresholds = {
  activeOnlyAbove: 10_000,
  mergeAbove: 100_000,
  activeWithinMs: 7 * DAY,
};

/** Assembles the timelines and starts the fan-out. Disposing stops both and leaves the given parts open. */
export async function startTimelines(deps: TimelineServiceDependencies): Promise<TimelineService> {
  const { social, changes, clock, log, telemetry = silentEvents, cap = DEFAULT_CAP } = deps;
  const { store, eventLog, streams, pullAuthors, received, registry } = deps.backend;
  const origin = createTimelineOrigin(social, social, createPublicDrops(social, store, log), received);
  const rebuilds = new TimelineRebuilder({ store, origin, pullAuthors, clock, cap });
  const { followCheckIntervalMs: intervalMs } = deps;
  const follows = intervalMs && new FollowChecks({ store, origin, streams, clock, log, intervalMs });
  const timelines = new TimelinePager({
    store,
    posts: social,
    origin,
    rebuilds,
    ...(follows && { follows }),
    onRead: (timeline, outcome) => {
      const kind = kindOf(timeline);
      if (kind !== 'author') telemetry.timelineRead({ timeline: kind, outcome });
    },
  });
  // First, because a failure here must not leave anything open.
  await buildSharedTimelines(store, rebuilds, log);
  const hub = new StreamHub({
    ...deps.stream,
    clock,
    log,
    events: telemetry,
    streams,
    reader: timelines,
    touch: (open) => store.touch(open),
    ...(registry && { registry }),
  });

  const stop = new AbortController();
  const { thresholds = DEFAULT_THRESHOLDS } = deps;
  const fan = {
    store,
    users: social,
    origin,
    rebuilds,
    pullAuthors,
    streams,
    received,
    clock,
    cap,
    thresholds,
  };
  const fanningOut = eventLog.deliver(changes, createFanOutHandler(fan, telemetry), stop.signal);
  const checked = follows ? follows.run(stop.signal) : undefined;
  return {
    timelines,
    streams: hub,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all([fanningOut, checked, hub[Symbol.asyncDispose]()]);
    },
  };
}

/** Runs before the first event, so that both contain what was posted before this start. */
async function buildSharedTimelines(
  store: TimelineStore,
  rebuilds: TimelineRebuilder,
  log: Logger,
): Promise<void> {
  for (const timeline of ['timeline:local', 'timeline:global'] as const) {
    try {
      if ((await store.page(timeline, { limit: 1 })) === null) await rebuilds.rebuild(timeline);
    } catch (error) {
      if (!(error instanceof TimelinesUnavailableError || error instanceof ServiceUnavailableError))
        throw error;
      log.warn('Failed to build a shared timeline, retrying on the next read', { timeline, error });
    }
  }
}

function kindOf(timeline: TimelineName): 'home' | 'local' | 'global' | 'author' {
  if (timeline === 'timeline:local') return 'local';
  if (timeline === 'timeline:global') return 'global';
  return timeline.startsWith('timeline:home:') ? 'home' : 'author';
}
