import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { EventNumber } from './cursor.ts';
import { STREAM_HEAD } from './streams.ts';

interface BufferedFrame {
  readonly frame: string;
  readonly mark: EventNumber;
  readonly dropId: string | null;
}

/** Why a stream ended, for the metrics. */
export type StreamEndReason = 'reader' | 'slow' | 'token' | 'stopping';

export interface StreamConnectionOptions {
  readonly reader: string;
  readonly connectionId: string;
  /** Maximum number of buffered bytes. */
  readonly limit: number;
  /** When its token expires. */
  readonly endsAt?: number;
}

/** State of a reader when live events begin. */
export interface LiveStart {
  /** The last event that the reader has: this one and those before it are not sent again. */
  readonly upTo: EventNumber;
  /** New drops that were sent in the backfill. */
  readonly sent?: ReadonlySet<string>;
  /** Epoch before that of `upTo`, whose events may still arrive: the reader has them. */
  readonly outdatedEpoch?: string;
  /** Frame for a reader whose buffer overflowed during the backfill; `null` if there was no backfill. */
  readonly resetFrame: (() => string) | null;
}

/** A reader that accepts no data of a backfill for this long is disconnected. */
const DRAIN_TIMEOUT_MS = 30 * SECOND;
/** Heartbeats after which an event that was sent in the backfill no longer arrives as a live one. */
const DEDUPE_HEARTBEATS = 2;

/**
 * The stream of one reader. Live frames are written at once, into the socket's buffer if the network is slower; a reader
 * with more than `limit` buffered bytes is disconnected (C23). The backfill is written at the reader's own pace: it may be
 * larger than the buffer.
 */
export class StreamConnection {
  readonly reader: string;
  readonly connectionId: string;
  readonly endsAt: number;
  /** Why it ended; `'reader'` unless this side ended it. */
  endReason: StreamEndReason = 'reader';
  /** The response until the head is written, then its connection. */
  #output: ServerResponse | Socket;
  readonly #limit: number;
  /** Live frames that arrive during the backfill. `'overflow'`: more than the limit. */
  #buffered: BufferedFrame[] | 'overflow' | null = [];
  #bufferedBytes = 0;
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

  /** Sends the buffered live frames, without those that the reader has, and from now on each at once. */
  startLive({ upTo, sent, outdatedEpoch, resetFrame }: LiveStart): void {
    const buffered = this.#buffered;
    this.#buffered = null;
    this.#bufferedBytes = 0;
    this.#upTo = upTo;
    this.#outdatedEpoch = outdatedEpoch ?? null;
    this.#sent = sent !== undefined && sent.size > 0 ? sent : null;
    if (resetFrame === null) return;
    if (buffered === 'overflow') this.write(resetFrame());
    else for (const { frame, mark, dropId } of buffered ?? []) this.send(frame, mark, dropId);
  }

  /** `false`: the reader was too slow and has been disconnected. `dropId` is that of a new drop. */
  send(frame: string, mark: EventNumber, dropId: string | null): boolean {
    if (this.#buffered === null) return this.#alreadySent(mark, dropId) || this.write(frame);
    if (this.#buffered === 'overflow') return true;
    this.#buffered.push({ frame, mark, dropId });
    this.#bufferedBytes += frame.length;
    if (this.#bufferedBytes > this.#limit) this.#buffered = 'overflow';
    return true;
  }

  write(frame: string): boolean {
    if (this.closed) return true;
    if (this.#output.writableLength + frame.length > this.#limit) return this.#cutOff();
    this.#output.write(frame);
    return true;
  }

  /** Writes a frame of the backfill, and waits while the buffer is full. `false`: the reader disconnected or timed out. */
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
    // A reader that accepts no data would otherwise delay the shutdown.
    if (this.#output.writableLength > 0) this.#output.destroy();
  }

  #alreadySent({ epoch, number }: EventNumber, dropId: string | null): boolean {
    if (epoch === this.#outdatedEpoch) return true;
    this.#outdatedEpoch = null;
    if (epoch === this.#upTo?.epoch && number <= this.#upTo.number) return true;
    return dropId !== null && this.#sent?.has(dropId) === true;
  }

  /** Resolves when the frame and everything before it are flushed. */
  async #writeThrough(frame: string, clock: Clock): Promise<void> {
    const flushed = new AbortController();
    const stop = (): void => flushed.abort();
    this.#output.once('close', stop);
    this.#output.write(frame, stop);
    try {
      await clock.sleep(DRAIN_TIMEOUT_MS, flushed.signal);
      this.#cutOff();
    } catch {
      // Flushed, or the reader disconnected.
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
 * Detaches the socket of a response whose head is written, and whose body ends with the connection. Node's HTTP server
 * then considers the connection closed and frees request, response and parser: two thirds of the memory of a stream that
 * stays open for hours. `null` over TLS, whose own listeners would see the connection as closed too.
 */
export function detachSocket(response: ServerResponse): Socket | null {
  const { socket } = response;
  if (socket === null || socket instanceof TLSSocket) return null;
  const httpListeners = new Set(socket.listeners('close'));
  // The end of the response would close the connection.
  socket.destroySoon = ignore;
  // Close once the last write has been sent: the client need not end its side.
  socket.on('finish', closeSocket);
  response.once('finish', () => {
    // Without `delete`, here and in the list of listeners: the object would take twice the memory.
    socket.destroySoon = Socket.prototype.destroySoon;
    const ours = socket.listeners('close').filter((listener) => !httpListeners.has(listener));
    socket.removeAllListeners();
    for (const listener of httpListeners) listener.call(socket, false);
    for (const listener of ours) socket.on('close', listener as () => void);
    // An error is followed by 'close'. A client that ends its side has disconnected; what else it sends is discarded.
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
