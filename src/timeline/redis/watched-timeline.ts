import type { EventNumber } from '../cursor.ts';
import type { NumberedEvent, Watcher } from '../stream-log.ts';
import { eventOf } from './event-line.ts';

export interface WatchedParts {
  readonly mark: () => Promise<EventNumber>;
  readonly after: (mark: EventNumber) => Promise<readonly NumberedEvent[] | null>;
}

/** New drops that are remembered, so that one that was announced twice is told once. */
const REMEMBERED = 1000;

/**
 * One timeline's events as this copy hears them. Numbers say what was told: the next one is passed on, an old one is
 * not, and a gap is fetched before anything above it is told.
 */
export class WatchedTimeline {
  readonly watchers = new Set<Watcher>();
  begun: Promise<void> = Promise.resolve();
  readonly #parts: WatchedParts;
  #told: Set<string> | null = null;
  #ready: Promise<EventNumber> | null = null;
  #last: EventNumber | null = null;
  /** What was heard while a gap is fetched. */
  #held: NumberedEvent[] | null = null;
  #fetching: Promise<void> | null = null;

  constructor(parts: WatchedParts) {
    this.#parts = parts;
  }

  /** The mark from which on events are told. */
  async ready(): Promise<EventNumber> {
    this.#ready ??= this.#begin();
    await this.#ready;
    return this.#last ?? this.#ready;
  }

  /** `epoch number line` */
  heard(message: string): void {
    const [epoch = '', number = '', ...line] = message.split(' ');
    const event = eventOf(line.join(' '));
    if (event !== null) this.#take({ epoch, number: Number(number), event });
  }

  /** Fetches whatever was not heard, and says that it is still watched. */
  async catchUp(): Promise<void> {
    if (this.#last === null) return;
    const mark = await this.#parts.mark();
    if (mark.epoch !== this.#last.epoch) this.#lose(mark);
    else if (mark.number > this.#last.number) await this.#fetch();
  }

  async #begin(): Promise<EventNumber> {
    this.#held ??= [];
    try {
      this.#last = await this.#parts.mark();
    } catch (error) {
      this.#ready = null;
      throw error;
    }
    this.#releaseHeld();
    return this.#last;
  }

  #take(event: NumberedEvent): void {
    if (this.#held !== null) {
      this.#held.push(event);
      return;
    }
    const last = this.#last;
    if (last === null) return;
    if (event.epoch !== last.epoch) {
      // The numbers began anew; this one may not be the first of them.
      this.#lose({ epoch: event.epoch, number: event.number });
    } else if (event.number === last.number + 1) this.#tell(event);
    else if (event.number > last.number) {
      this.#held = [event];
      void this.#fetch();
    }
  }

  #fetch(): Promise<void> {
    this.#fetching ??= this.#close().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #close(): Promise<void> {
    this.#held ??= [];
    const last = this.#last;
    try {
      const missed = last && (await this.#parts.after(last));
      if (missed) for (const event of missed) this.#tell(event);
      else this.#lose(await this.#parts.mark());
    } catch {
      // It is away again. What was heard is forgotten, so that the gap shows at the next event or pulse.
      this.#held = null;
      return;
    }
    this.#releaseHeld();
  }

  #releaseHeld(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const event of held) this.#take(event);
  }

  #tell(event: NumberedEvent): void {
    const { epoch, number } = event;
    this.#last = { epoch, number };
    if (event.event.type === 'new_drop' && this.#toldAlready(event.event.dropId)) return;
    for (const watcher of this.watchers) watcher.happened(event);
  }

  #lose(mark: EventNumber): void {
    this.#last = mark;
    this.#told = null;
    for (const watcher of this.watchers) watcher.lost(mark);
  }

  #toldAlready(dropId: string): boolean {
    this.#told ??= new Set();
    if (this.#told.has(dropId)) return true;
    this.#told.add(dropId);
    if (this.#told.size > REMEMBERED) for (const oldest of this.#told) return !this.#told.delete(oldest);
    return false;
  }
}
