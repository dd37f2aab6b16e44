import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { EventNumber } from './cursor.ts';
import { STREAM_HEAD } from './streams.ts';

interface HeldFrame {
  readonly frame: string;
  readonly mark: EventNumber;
  readonly dropId: string | null;
}

/** Why a stream ended, for the metrics. */
export type StreamEndReason = 'reader' | 'slow' | 'token' | 'stopping';

export interface StreamConnectionOptions {
  readonly reader: string;
  readonly connectionId: string;
  /** Bytes that may pile up. */
  readonly limit: number;
  /** When its token runs out. */
  readonly endsAt?: number;
}

/** What a subscriber has when live events begin. */
export interface LiveStart {
  /** The last event that it has: this one and those before it are not sent again. */
  readonly upTo: EventNumber;
  /** New drops that were sent as part of what it missed. */
  readonly sent?: ReadonlySet<string>;
  /** Epoch whose events come before those of `upTo`, and may still arrive: the reader has them. */
  readonly outdatedEpoch?: string;
  /** Frame for a reader who missed more meanwhile than the buffer holds; `null` where nothing was missed meanwhile. */
  readonly resetFrame: (() => string) | null;
}

/** A reader of a backfill that takes nothing for so long is cut off. */
const DRAIN_TIMEOUT_MS = 30 * SECOND;
/** Heartbeats after which an event that was sent in the backfill no longer arrives as a live one. */
const DEDUPE_HEARTBEATS = 2;

/**
 * One reader. Live frames are written at once; what the network does not take stays in the connection's own buffer, and a
 * reader for whom more than `limit` bytes have piled up is cut off instead of waited for (C23). The backfill is written at
 * the reader's own pace: it may be larger than the buffer.
 */
export class StreamConnection {
  readonly reader: string;
  readonly connectionId: string;
  readonly endsAt: number;
  /** Why it ended, where it was not the reader who left. */
  endReason: StreamEndReason = 'reader';
  /** The response until the head is written, then its connection. */
  #output: ServerResponse | Socket;
  readonly #limit: number;
  /** Live frames that arrive while the backfill is still being written. `'overflow'`: more than the buffer holds. */
  #held: HeldFrame[] | 'overflow' | null = [];
  #heldBytes = 0;
  #upTo: EventNumber | null = null;
  #outdatedEpoch: string | null = null;
  #sent: ReadonlySet<string> | null = null;
  #heartbeats = 0;

  constructor(response: ServerResponse, options: StreamConnectionOptions) {
    this.reader = options.reader;
    this.connectionId = options.connectionId;
    this.endsAt = options.endsAt ?? Number.POSITIVE_INFINITY;
    this.#output = response;
    this.#limit = options.limit;
  }

  get closed(): boolean {
    return this.#output.destroyed || this.#output.writableEnded;
  }

  /** Writes the head to the response, and from then on to its connection: the body ends with it. */
  begin(response: ServerResponse, firstFrames: string, headers: OutgoingHttpHeaders = {}): void {
    response.removeHeader('transfer-encoding');
    response.writeHead(200, { ...headers, ...STREAM_HEAD, connection: 'close' });
    response.socket?.setNoDelay(true);
    response.write(firstFrames);
    this.#output = detachSocket(response) ?? response;
  }

  onClose(listener: () => void): void {
    this.#output.on('close', listener);
  }

  /** Sends the live frames that waited, without those that the reader has, and from now on each at once. */
  startLive({ upTo, sent, outdatedEpoch, resetFrame }: LiveStart): void {
    const held = this.#held;
    this.#held = null;
    this.#heldBytes = 0;
    this.#upTo = upTo;
    this.#outdatedEpoch = outdatedEpoch ?? null;
    this.#sent = sent !== undefined && sent.size > 0 ? sent : null;
    if (resetFrame === null) return;
    if (held === 'overflow') this.write(resetFrame());
    else for (const { frame, mark, dropId } of held ?? []) this.send(frame, mark, dropId);
  }

  /** `false`: the reader was too slow and has been cut off. `dropId` is that of a new drop. */
  send(frame: string, mark: EventNumber, dropId: string | null): boolean {
    if (this.#held === null) return this.#alreadySent(mark, dropId) || this.write(frame);
    if (this.#held === 'overflow') return true;
    this.#held.push({ frame, mark, dropId });
    this.#heldBytes += frame.length;
    if (this.#heldBytes > this.#limit) this.#held = 'overflow';
    return true;
  }

  write(frame: string): boolean {
    if (this.closed) return true;
    if (this.#output.writableLength + frame.length > this.#limit) return this.#cutOff();
    this.#output.write(frame);
    return true;
  }

  /** Writes a frame of the backfill, and waits while the buffer is full. `false`: the reader is gone, or took nothing in time. */
  async writeAndWait(frame: string, clock: Clock): Promise<boolean> {
    if (this.closed) return false;
    if (this.#output.writableLength + frame.length <= this.#limit) this.#output.write(frame);
    else await this.#writeThrough(frame, clock);
    return !this.closed;
  }

  heartbeat(frame: string): void {
    this.write(frame);
    if (this.#sent !== null && ++this.#heartbeats >= DEDUPE_HEARTBEATS) this.#sent = null;
  }

  end(cause: StreamEndReason, lastFrame?: string): void {
    if (this.closed) return;
    this.endReason = cause;
    if (lastFrame !== undefined) this.#output.write(lastFrame);
    this.#output.end();
    // A reader that takes nothing would otherwise hold the program's stop up.
    if (this.#output.writableLength > 0) this.#output.destroy();
  }

  #alreadySent({ epoch, number }: EventNumber, dropId: string | null): boolean {
    if (epoch === this.#outdatedEpoch) return true;
    this.#outdatedEpoch = null;
    if (epoch === this.#upTo?.epoch && number <= this.#upTo.number) return true;
    return dropId !== null && this.#sent?.has(dropId) === true;
  }

  /** Resolves when the network has taken the frame and everything before it. */
  async #writeThrough(frame: string, clock: Clock): Promise<void> {
    const taken = new AbortController();
    const stop = (): void => taken.abort();
    this.#output.once('close', stop);
    this.#output.write(frame, stop);
    try {
      await clock.sleep(DRAIN_TIMEOUT_MS, taken.signal);
      this.#cutOff();
    } catch {
      // There is room again, or the reader left.
    } finally {
      this.#output.off('close', stop);
    }
  }

  #cutOff(): false {
    this.endReason = 'slow';
    this.#output.destroy();
    return false;
  }
}

/**
 * Takes the connection of a response whose head is written, and whose body ends with the connection. For Node's HTTP
 * server the request is answered and the connection closed from then on, so that it frees request, response and parser:
 * two thirds of the memory of a stream that stays open for hours.
 */
export function detachSocket(response: ServerResponse): Socket | null {
  const { socket } = response;
  if (socket === null) return null;
  const ofHttp = new Set(socket.listeners('close'));
  // The end of the response would close the connection.
  socket.destroySoon = ignore;
  // It is closed when what was written last has been sent: the client need not end its side.
  socket.on('finish', closeSocket);
  response.once('finish', () => {
    // Without `delete`, here and in the list of listeners: the object would take twice the memory.
    socket.destroySoon = Socket.prototype.destroySoon;
    const ours = socket.listeners('close').filter((listener) => !ofHttp.has(listener));
    socket.removeAllListeners();
    for (const listener of ofHttp) listener.call(socket, false);
    for (const listener of ours) socket.on('close', listener as () => void);
    // An error is followed by 'close'. A client that ends its side has left; what else it sends is discarded.
    socket.on('error', ignore);
    socket.on('end', closeSocket);
    socket.on('finish', closeSocket);
    socket.resume();
  });
  response.end();
  return socket;
}

function ignore(): void {}

function closeSocket(this: Socket): void {
  this.destroy();
}
