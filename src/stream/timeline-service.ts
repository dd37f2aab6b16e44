import { ServiceUnavailableError } from '../social/refusals.ts';
import type { SocialStore } from '../social/services.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { DAY } from '../time/duration.ts';
import type { AsideAuthors } from '../timeline/aside-authors.ts';
import type { Thresholds } from '../timeline/fan-out.ts';
import { FollowChecks } from '../timeline/follow-checks.ts';
import { fanOutHandler } from '../timeline/handle-event.ts';
import { originOf } from '../timeline/origin.ts';
import { TimelinePages } from '../timeline/paging.ts';
import { publicDropsOf } from '../timeline/public-drops.ts';
import { Rebuilds } from '../timeline/rebuild.ts';
import type { ReceivedDrops } from '../timeline/received-drops.ts';
import type { StreamLog } from '../timeline/stream-log.ts';
import type { TimelineReader } from '../timeline/timeline-reader.ts';
import { DEFAULT_CAP, type TimelineName, type TimelineStore } from '../timeline/timeline-store.ts';
import { TimelinesUnavailableError } from '../timeline/unavailable.ts';
import type { ChangeFeed, EventDelivery } from '../timelines/change-feed.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import { StreamHub, type StreamHubOptions } from './stream-hub.ts';
import type { TimelineStreams } from './timeline-streams.ts';

/** Where the timelines are kept: all of it in this process, or all of it in Redis. */
export interface TimelineKeeping extends AsyncDisposable {
  readonly store: TimelineStore;
  readonly events: EventDelivery;
  readonly streams: StreamLog;
  readonly aside: AsideAuthors;
  readonly received: ReceivedDrops;
  /** Where several copies count the streams of one user. */
  readonly registry?: ConnectionRegistry;
}

export interface TimelineServiceParts {
  readonly social: SocialStore;
  /** What is changed in `social`. */
  readonly changes: ChangeFeed;
  readonly keeping: Omit<TimelineKeeping, keyof AsyncDisposable>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telling?: Pick<Events, 'dropEventHandled' | 'timelineRead' | 'streamClosed'>;
  /** How many of the newest the store's timelines hold; the same as the store's own setting. */
  readonly cap?: number;
  readonly thresholds?: Thresholds;
  /** Where follows may change without an event: after how long they are asked for again. */
  readonly recheckFollowsMs?: number;
  readonly stream?: Partial<
    Pick<
      StreamHubOptions,
      'heartbeatMs' | 'perReader' | 'bufferBytes' | 'mostMissed' | 'drainMs' | 'touchEveryMs'
    >
  >;
}

/** The timelines at work. */
export interface TimelineService extends AsyncDisposable {
  readonly timelines: TimelineReader;
  readonly streams: TimelineStreams;
}

export const USUAL_THRESHOLDS: Thresholds = {
  activeOnlyAbove: 10_000,
  mergeAbove: 100_000,
  activeWithinMs: 7 * DAY,
};

/** Puts the timeline's parts together and starts the fan-out. Disposing stops both and leaves the given parts open. */
export async function startTimelines(parts: TimelineServiceParts): Promise<TimelineService> {
  const { social, changes, clock, log, telling = silentEvents, cap = DEFAULT_CAP } = parts;
  const { store, events, streams, aside, received, registry } = parts.keeping;
  const origin = originOf(social, social, publicDropsOf(social, store, log), received);
  const rebuilds = new Rebuilds({ store, origin, aside, clock, cap });
  const { recheckFollowsMs: everyMs } = parts;
  const follows = everyMs && new FollowChecks({ store, origin, streams, clock, log, everyMs });
  const timelines = new TimelinePages({
    store,
    posts: social,
    origin,
    rebuilds,
    ...(follows && { follows }),
    onRead: (timeline, outcome) => {
      const kind = kindOf(timeline);
      if (kind !== 'author') telling.timelineRead({ timeline: kind, outcome });
    },
  });
  // Before anything is open that a failure here would leave open.
  await buildShared(store, rebuilds, log);
  const hub = new StreamHub({
    ...parts.stream,
    clock,
    log,
    events: telling,
    streams,
    reader: timelines,
    touch: (open) => store.touch(open),
    ...(registry && { registry }),
  });

  const stop = new AbortController();
  const { thresholds = USUAL_THRESHOLDS } = parts;
  const fan = { store, users: social, origin, rebuilds, aside, streams, received, clock, cap, thresholds };
  const fanningOut = events.deliver(changes, fanOutHandler(fan, telling), stop.signal);
  const checked = follows ? follows.keepChecking(stop.signal) : undefined;
  return {
    timelines,
    streams: hub,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all([fanningOut, checked, hub[Symbol.asyncDispose]()]);
    },
  };
}

/** Before the first event, so that both know what was posted before this start. */
async function buildShared(store: TimelineStore, rebuilds: Rebuilds, log: Logger): Promise<void> {
  for (const timeline of ['timeline:local', 'timeline:global'] as const) {
    try {
      if ((await store.page(timeline, { limit: 1 })) === null) await rebuilds.rebuild(timeline);
    } catch (error) {
      if (!(error instanceof TimelinesUnavailableError || error instanceof ServiceUnavailableError))
        throw error;
      log.warn('a timeline cannot be built yet; it is built when somebody reads it', { timeline, error });
    }
  }
}

function kindOf(timeline: TimelineName): 'home' | 'local' | 'global' | 'author' {
  if (timeline === 'timeline:local') return 'local';
  if (timeline === 'timeline:global') return 'global';
  return timeline.startsWith('timeline:home:') ? 'home' : 'author';
}
