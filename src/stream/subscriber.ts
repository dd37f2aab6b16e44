import type { ServerResponse } from 'node:http';

/**
 * One reader. Frames are written at once; what the network does not take stays in the response's own buffer, and a
 * reader for whom more than `limit` bytes have piled up is cut off instead of waited for (C23).
 */
export class Subscriber {
  readonly reader: string;
  readonly #response: ServerResponse;
  readonly #limit: number;
  /** Frames that arrive while the backfill is still being read. */
  #held: { frame: string; dropId: string | null }[] | null = null;

  constructor(reader: string, response: ServerResponse, limit: number) {
    this.reader = reader;
    this.#response = response;
    this.#limit = limit;
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  begin(firstFrames: string): void {
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    this.#response.socket?.setNoDelay(true);
    this.#response.write(firstFrames);
  }

  /** From now until `release`, live frames wait. */
  hold(): void {
    this.#held = [];
  }

  /** Lets the frames go that waited, without the drops that were sent in between. */
  release(alreadySent: ReadonlySet<string>): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const { frame, dropId } of held) if (dropId === null || !alreadySent.has(dropId)) this.write(frame);
  }

  /** `false`: the reader was too slow and has been cut off. `dropId` is that of a new drop. */
  send(frame: string, dropId: string | null): boolean {
    if (this.#held === null) return this.write(frame);
    this.#held.push({ frame, dropId });
    const waiting = this.#held.length * frame.length;
    return waiting <= this.#limit || this.#cutOff();
  }

  write(frame: string): boolean {
    if (this.closed) return true;
    if (this.#response.writableLength + frame.length > this.#limit) return this.#cutOff();
    this.#response.write(frame);
    return true;
  }

  end(lastFrame = ''): void {
    if (this.closed) return;
    this.#response.end(lastFrame);
    // A reader that takes nothing would otherwise hold the program's stop up.
    if (this.#response.writableLength > lastFrame.length) this.#response.destroy();
  }

  #cutOff(): false {
    this.#response.destroy();
    return false;
  }
}
