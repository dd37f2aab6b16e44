import type { ServerResponse } from 'node:http';

interface Held {
  readonly frame: string;
  readonly number: number;
  readonly dropId: string | null;
}

/** Why a stream ended, for the metrics. */
export type StreamEnd = 'reader' | 'slow' | 'token' | 'stopping';

export interface SubscriberOptions {
  readonly reader: string;
  readonly connectionId: string;
  /** Bytes that may pile up. */
  readonly limit: number;
  /** When its token runs out. */
  readonly endsAt?: number;
}

const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/**
 * One reader. Frames are written at once; what the network does not take stays in the response's own buffer, and a
 * reader for whom more than `limit` bytes have piled up is cut off instead of waited for (C23).
 */
export class Subscriber {
  readonly reader: string;
  readonly connectionId: string;
  readonly endsAt: number;
  /** Why it ended, where it was not the reader who left. */
  cause: StreamEnd = 'reader';
  readonly #response: ServerResponse;
  readonly #limit: number;
  /** Frames that arrive while the backfill is still being read. */
  #held: Held[] | null = [];
  #heldBytes = 0;

  constructor(response: ServerResponse, options: SubscriberOptions) {
    this.reader = options.reader;
    this.connectionId = options.connectionId;
    this.endsAt = options.endsAt ?? Number.POSITIVE_INFINITY;
    this.#response = response;
    this.#limit = options.limit;
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  begin(firstFrames: string): void {
    this.#response.writeHead(200, HEAD);
    this.#response.socket?.setNoDelay(true);
    this.#response.write(firstFrames);
  }

  /** Lets live frames go: those that waited, without what was sent in between, and from now on each at once. */
  release(upTo: number, alreadySent: ReadonlySet<string>): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const { frame, number, dropId } of held)
      if (number > upTo && (dropId === null || !alreadySent.has(dropId))) this.write(frame);
  }

  /** `false`: the reader was too slow and has been cut off. `dropId` is that of a new drop. */
  send(frame: string, number: number, dropId: string | null): boolean {
    if (this.#held === null) return this.write(frame);
    this.#held.push({ frame, number, dropId });
    this.#heldBytes += frame.length;
    return this.#heldBytes <= this.#limit || this.#cutOff();
  }

  write(frame: string): boolean {
    if (this.closed) return true;
    if (this.#response.writableLength + frame.length > this.#limit) return this.#cutOff();
    this.#response.write(frame);
    return true;
  }

  end(cause: StreamEnd): void {
    if (this.closed) return;
    this.cause = cause;
    this.#response.end();
    // A reader that takes nothing would otherwise hold the program's stop up.
    if (this.#response.writableLength > 0) this.#response.destroy();
  }

  #cutOff(): false {
    this.cause = 'slow';
    this.#response.destroy();
    return false;
  }
}
