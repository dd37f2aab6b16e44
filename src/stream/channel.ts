import type { Logger } from '../telemetry/logger.ts';
import { BEGINNING, type EventNumber, encodeCursor, isOlder } from '../timeline/cursor.ts';
import type { NumberedEvent, StreamLog, Watch } from '../timeline/stream-log.ts';
import type { TimelineEntry, TimelineName } from '../timeline/timeline-store.ts';
import { frameOf } from './frame.ts';
import type { Subscriber } from './subscriber.ts';

/** One timeline as this copy watches it, for all who are connected to it here. */
export class Channel {
  readonly timeline: TimelineName;
  readonly subscribers = new Set<Subscriber>();
  /** Resolves once events arrive. */
  readonly ready: Promise<void>;
  readonly #log: Logger;
  readonly #watching: Promise<Watch>;
  #mark: EventNumber = { epoch: '', number: 0 };
  #top: TimelineEntry = BEGINNING;

  constructor(
    timeline: TimelineName,
    streams: StreamLog,
    readTop: () => Promise<TimelineEntry>,
    log: Logger,
  ) {
    this.timeline = timeline;
    this.#log = log;
    this.#watching = streams.watch(timeline, {
      happened: (event) => this.#happened(event),
      lost: (mark) => this.#lost(mark),
    });
    this.ready = this.#begin(readTop);
    // Whoever connects waits for it and hears of it; with nobody there it is no news.
    this.ready.catch(() => {});
  }

  /** The last event that was told. */
  get mark(): EventNumber {
    return this.#mark;
  }

  /** The newest position so far, with the place in the events. */
  get cursor(): string {
    return encodeCursor(this.#top, this.#mark);
  }

  raise(top: TimelineEntry): void {
    if (isOlder(this.#top, top)) this.#top = top;
  }

  async close(): Promise<void> {
    const watch = await this.#watching.catch(() => null);
    await watch?.stop();
  }

  async #begin(readTop: () => Promise<TimelineEntry>): Promise<void> {
    const { mark } = await this.#watching;
    if (this.#mark.epoch === '') this.#mark = mark;
    this.raise(await readTop());
  }

  #happened({ epoch, number, event }: NumberedEvent): void {
    this.#mark = { epoch, number };
    if (event.type === 'new_drop') this.raise({ id: event.dropId, createdAt: event.createdAt });
    this.#send(frameOf(event, this.cursor), this.#mark, event.type === 'new_drop' ? event.dropId : null);
  }

  #lost(mark: EventNumber): void {
    this.#mark = mark;
    this.#send(frameOf({ type: 'reset' }, this.cursor), mark, null);
  }

  #send(frame: string, mark: EventNumber, dropId: string | null): void {
    for (const subscriber of this.subscribers)
      if (!subscriber.send(frame, mark, dropId))
        this.#log.info('a stream was cut off because its reader is too slow', { timeline: this.timeline });
  }
}
