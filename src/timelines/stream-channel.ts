import type { Logger } from '../telemetry/logger.ts';
import { BEGINNING, type EventNumber, encodeCursor, isOlder } from './cursor.ts';
import type { StreamConnection } from './stream-connection.ts';
import type { NumberedEvent, StreamLog, StreamSubscription } from './streams.ts';
import { eventFrame } from './streams.ts';
import type { TimelineEntry, TimelineName } from './timeline-store.ts';

/** This replica's subscription to one timeline, shared by all connections to it. */
export class StreamChannel {
  readonly timeline: TimelineName;
  readonly connections = new Set<StreamConnection>();
  /** Resolves once events arrive. */
  readonly ready: Promise<void>;
  readonly #log: Logger;
  readonly #subscription: Promise<StreamSubscription>;
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
    this.#subscription = streams.subscribe(timeline, {
      onEvent: (event) => this.#onEvent(event),
      onGap: (mark) => this.#onGap(mark),
    });
    this.ready = this.#begin(readTop);
    // Every connection awaits it and handles the failure; without connections it is not an error.
    this.ready.catch(() => {});
  }

  /** The last event that was sent. */
  get mark(): EventNumber {
    return this.#mark;
  }

  /** The newest position so far, with the event number. */
  get cursor(): string {
    return encodeCursor(this.#top, this.#mark);
  }

  raiseTop(top: TimelineEntry): void {
    if (isOlder(this.#top, top)) this.#top = top;
  }

  async close(): Promise<void> {
    const subscription = await this.#subscription.catch(() => null);
    await subscription?.stop();
  }

  async #begin(readTop: () => Promise<TimelineEntry>): Promise<void> {
    const { mark } = await this.#subscription;
    if (this.#mark.epoch === '') this.#mark = mark;
    this.raiseTop(await readTop());
  }

  #onEvent({ epoch, number, event }: NumberedEvent): void {
    this.#mark = { epoch, number };
    if (event.type === 'new_drop') this.raiseTop({ id: event.dropId, createdAt: event.createdAt });
    this.#send(eventFrame(event, this.cursor), this.#mark, event.type === 'new_drop' ? event.dropId : null);
  }

  #onGap(mark: EventNumber): void {
    this.#mark = mark;
    this.#send(eventFrame({ type: 'reset' }, this.cursor), mark, null);
  }

  #send(frame: string, mark: EventNumber, dropId: string | null): void {
    for (const connection of this.connections)
      if (!connection.send(frame, mark, dropId))
        this.#log.info('Disconnected a stream whose reader is too slow', { timeline: this.timeline });
  }
}
