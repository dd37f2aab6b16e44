import { randomBytes } from 'node:crypto';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import type { EventNumber } from '../../timelines/cursor.ts';
import type {
  NumberedEvent,
  StreamEvent,
  StreamListener,
  StreamLog,
  StreamSubscription,
} from '../../timelines/streams.ts';
import { ownerOf, type TimelineEntry, type TimelineName } from '../../timelines/timeline-store.ts';

export interface MemoryStreamLogOptions {
  readonly clock: Clock;
  /** How many events of each timeline are kept for reconnecting readers. */
  readonly maxEvents?: number;
  /** How long events are kept after the last subscription of a timeline. */
  readonly retentionMs?: number;
  readonly makeEpoch?: () => string;
}

interface TimelineChannel {
  readonly epoch: string;
  readonly listeners: Set<StreamListener>;
  /** IDs of the new drops among the kept events. */
  readonly announced: Set<string>;
  events: NumberedEvent[];
  last: number;
  usedAt: number;
}

/** Whether this drop, of this author, must not be announced to a timeline. */
type IsSuppressed = (dropId: string, timeline: TimelineName, author?: string) => boolean;

/** Stream events of a single process. A restart changes the epochs, so that readers reload. */
export class MemoryStreamLog implements StreamLog {
  readonly #clock: Clock;
  readonly #maxEvents: number;
  readonly #retentionMs: number;
  readonly #makeEpoch: () => string;
  readonly #channels = new Map<TimelineName, TimelineChannel>();
  #isSuppressed: IsSuppressed = () => false;
  #sweptAt = 0;

  constructor({
    clock,
    maxEvents = 1000,
    retentionMs = 15 * MINUTE,
    makeEpoch = () => randomBytes(6).toString('hex'),
  }: MemoryStreamLogOptions) {
    this.#clock = clock;
    this.#maxEvents = maxEvents;
    this.#retentionMs = retentionMs;
    this.#makeEpoch = makeEpoch;
  }

  /** The store, which has the tombstones, decides what must not be announced. */
  setSuppression(isSuppressed: IsSuppressed): void {
    this.#isSuppressed = isSuppressed;
  }

  /** The current event number of a timeline; synchronous, so atomic with other steps of this process. */
  markNow(timeline: TimelineName): EventNumber {
    const { epoch, last } = this.#channel(timeline);
    return { epoch, number: last };
  }

  async after(timeline: TimelineName, mark: EventNumber): Promise<readonly NumberedEvent[] | null> {
    const { epoch, last, events } = this.#channel(timeline);
    const oldest = last - events.length;
    if (mark.epoch !== epoch || mark.number < oldest || mark.number > last) return null;
    return events.slice(mark.number - oldest);
  }

  async subscribe(timeline: TimelineName, listener: StreamListener): Promise<StreamSubscription> {
    const channel = this.#channel(timeline);
    channel.listeners.add(listener);
    return {
      mark: { epoch: channel.epoch, number: channel.last },
      stop: async () => {
        channel.listeners.delete(listener);
        channel.usedAt = this.#clock.monotonic();
      },
    };
  }

  async reset(timelines: readonly TimelineName[]): Promise<void> {
    for (const timeline of timelines) this.record(timeline, { type: 'reset' });
  }

  async announce(
    entries: readonly TimelineEntry[],
    timelines: readonly TimelineName[],
    author?: string,
  ): Promise<void> {
    for (const { id, createdAt } of entries)
      for (const timeline of timelines)
        if (!this.#isSuppressed(id, timeline, author))
          this.record(timeline, { type: 'new_drop', dropId: id, createdAt });
  }

  async subscribedHomes(): Promise<ReadonlySet<string>> {
    return new Set([...this.#channels.keys()].flatMap((timeline) => ownerOf(timeline) ?? []));
  }

  /** Numbers an event and notifies the listeners; skips timelines without subscriptions and drops already announced. */
  record(timeline: TimelineName, event: StreamEvent): void {
    this.#sweep();
    const channel = this.#channels.get(timeline);
    if (channel === undefined) return;
    if (event.type === 'new_drop') {
      if (channel.announced.has(event.dropId)) return;
      channel.announced.add(event.dropId);
    }
    channel.last += 1;
    const numbered = { epoch: channel.epoch, number: channel.last, event };
    channel.events.push(numbered);
    this.#trim(channel);
    for (const listener of channel.listeners) listener.onEvent(numbered);
  }

  isSubscribed(timeline: TimelineName): boolean {
    return this.#channels.has(timeline);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#channels.clear();
  }

  #channel(timeline: TimelineName): TimelineChannel {
    const usedAt = this.#clock.monotonic();
    const known = this.#channels.get(timeline);
    if (known) {
      known.usedAt = usedAt;
      return known;
    }
    const epoch = this.#makeEpoch();
    const made: TimelineChannel = {
      epoch,
      listeners: new Set(),
      announced: new Set(),
      events: [],
      last: 0,
      usedAt,
    };
    this.#channels.set(timeline, made);
    return made;
  }

  #trim(channel: TimelineChannel): void {
    // In batches, so that a full history does not move every event for each new one.
    if (channel.events.length < this.#maxEvents * 2) return;
    for (const { event } of channel.events.slice(0, -this.#maxEvents))
      if (event.type === 'new_drop') channel.announced.delete(event.dropId);
    channel.events = channel.events.slice(-this.#maxEvents);
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    if (now - this.#sweptAt < this.#retentionMs / 4) return;
    this.#sweptAt = now;
    for (const [timeline, { listeners, usedAt }] of this.#channels)
      if (listeners.size === 0 && now - usedAt > this.#retentionMs) this.#channels.delete(timeline);
  }
}
