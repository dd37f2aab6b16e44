import type { SocialStore } from '../social/services.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { announcing } from '../timeline/announcing-store.ts';
import type { EventLog } from '../timeline/event-log.ts';
import { fanOut } from '../timeline/fan-out.ts';
import { originOf } from '../timeline/origin.ts';
import { TimelinePages } from '../timeline/paging.ts';
import { Rebuilds } from '../timeline/rebuild.ts';
import type { TimelineReader } from '../timeline/timeline-reader.ts';
import { DEFAULT_CAP, type TimelineStore } from '../timeline/timeline-store.ts';
import { StreamHub, type StreamHubOptions } from './stream-hub.ts';
import type { TimelineStreams } from './timeline-streams.ts';

export interface TimelineServiceParts {
  readonly social: SocialStore;
  readonly store: TimelineStore;
  /** Has the group `FAN_OUT`. */
  readonly events: EventLog;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many of the newest the store's timelines hold; the same as the store's own setting. */
  readonly cap?: number;
  readonly stream?: Omit<Partial<StreamHubOptions>, 'clock' | 'log' | 'reader'>;
}

/** The timelines at work. Post, delete and follow through its `social`, and everybody sees it. */
export interface TimelineService extends AsyncDisposable {
  readonly social: SocialStore;
  readonly timelines: TimelineReader;
  readonly streams: TimelineStreams;
}

/** The consumer group of the fan-out. */
export const FAN_OUT = 'fan-out';

/** Puts the timeline's parts together and starts the fan-out. Disposing stops both and leaves the given parts open. */
export async function startTimelines(parts: TimelineServiceParts): Promise<TimelineService> {
  const { social, store, events, clock, log, cap = DEFAULT_CAP } = parts;
  const origin = originOf(social, social, social);
  const rebuilds = new Rebuilds(store, origin, cap);
  const hub = new StreamHub({ ...parts.stream, clock, log, reader: () => timelines });
  const timelines: TimelineReader = new TimelinePages({
    store,
    origin,
    rebuilds,
    mark: (timeline) => hub.mark(timeline),
  });
  // Before the first event, so that both know what was posted before this start.
  await Promise.all([rebuilds.rebuild('timeline:local'), rebuilds.rebuild('timeline:global')]);
  hub.mark('timeline:local');
  hub.mark('timeline:global');

  const stop = new AbortController();
  const fanningOut = events.consume(
    FAN_OUT,
    (event) => fanOut(event, { store, users: social, origin, audience: hub, cap }),
    stop.signal,
  );
  return {
    social: announcing(social, events),
    timelines,
    streams: hub,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all([fanningOut, hub[Symbol.asyncDispose]()]);
    },
  };
}
