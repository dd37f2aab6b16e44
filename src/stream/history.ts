import { BEGINNING, type EventNumber, encodeCursor, isOlder } from '../timeline/cursor.ts';
import type { TimelineEntry } from '../timeline/timeline-store.ts';
import { frameOf, type StreamEvent } from './frame.ts';

export interface RecordedEvent {
  readonly number: number;
  readonly event: StreamEvent;
  readonly frame: string;
}

/**
 * The last events of one timeline's stream, numbered, so that a reader who was away gets exactly what it missed. The
 * epoch names this run of numbers: after a restart the numbers begin anew under another name.
 */
export class StreamHistory {
  readonly epoch: string;
  readonly #size: number;
  #events: RecordedEvent[] = [];
  #last = 0;
  #top: TimelineEntry = BEGINNING;
  /** IDs of the new drops among the events that are kept. */
  readonly #announced = new Set<string>();

  constructor(epoch: string, size: number) {
    this.epoch = epoch;
    this.#size = size;
  }

  get mark(): EventNumber {
    return { epoch: this.epoch, number: this.#last };
  }

  /** The newest position so far, with the place in the events. */
  get cursor(): string {
    return encodeCursor(this.#top, this.mark);
  }

  /** A timeline's newest entry, told by whoever has just read it. */
  raise(top: TimelineEntry): void {
    if (isOlder(this.#top, top)) this.#top = top;
  }

  /** `null`: this drop was announced already. */
  record(event: StreamEvent, position?: TimelineEntry): RecordedEvent | null {
    if (event.type === 'new_drop') {
      if (this.#announced.has(event.dropId)) return null;
      this.#announced.add(event.dropId);
    }
    if (position) this.raise(position);
    this.#last += 1;
    const recorded = { number: this.#last, event, frame: frameOf(event, this.cursor) };
    this.#events.push(recorded);
    this.#forget();
    return recorded;
  }

  /** What came after this event; `null` where that is no longer known. */
  after(mark: EventNumber): readonly RecordedEvent[] | null {
    const oldest = this.#last - this.#events.length;
    if (mark.epoch !== this.epoch || mark.number < oldest || mark.number > this.#last) return null;
    return this.#events.slice(mark.number - oldest);
  }

  #forget(): void {
    // In batches, so that a full history does not move every entry for each new one.
    if (this.#events.length < this.#size * 2) return;
    const kept = this.#events.slice(-this.#size);
    for (const { event } of this.#events.slice(0, -this.#size))
      if (event.type === 'new_drop') this.#announced.delete(event.dropId);
    this.#events = kept;
  }
}
