import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { StreamConnection } from '../timelines/stream-connection.ts';
import { RECONNECT_MS, TokenExpiry } from '../timelines/stream-hub.ts';
import { HEARTBEAT_FRAME, reconnectField, type StreamResult } from '../timelines/streams.ts';
import type { EntryId, EntryStore } from './entry-store.ts';
import type { ReaderEvent, ReaderEvents } from './reader-events.ts';

export interface ReaderStreamsOptions {
  readonly events: ReaderEvents;
  readonly entries: Pick<EntryStore, 'newestId'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Events, 'streamClosed'>;
  readonly heartbeatMs: number;
  /** How many streams one person may have open. */
  readonly maxPerPerson: number;
  readonly maxBufferedBytes: number;
  /**
   * How often the store is asked for new entries while streams are open: another process may have added some. `null`: all processes
   * publish theirs.
   */
  readonly pollIntervalMs: number | null;
}

export interface ReaderStreamRequest {
  /** `null` is a guest. */
  readonly person: string | null;
  /** What the streams are counted by: a person, or the address of a guest. */
  readonly countedAs: string;
  readonly maxStreams?: number;
  readonly headers: OutgoingHttpHeaders;
  /** When the credential expires. */
  readonly endsAt?: number;
  /** Calls the listener when the credential is revoked. Returns a function that removes the listener. */
  readonly onRevoked?: (listener: () => void) => () => void;
}

/** The open event streams of this replica: one per open page of the reader (R6). */
export class ReaderStreams implements AsyncDisposable {
  readonly #options: ReaderStreamsOptions;
  readonly #open = new Set<StreamConnection>();
  readonly #counts = new Map<string, number>();
  readonly #stopping = new AbortController();
  readonly #expiry: TokenExpiry;
  #loop: Promise<void> | null = null;
  #announcedId: EntryId = 0;

  constructor(options: ReaderStreamsOptions) {
    this.#options = options;
    this.#expiry = new TokenExpiry(options.clock, () => this.#open);
  }

  get openCount(): number {
    return this.#open.size;
  }

  /**
   * Takes over a response whose head is not written yet and keeps it open until the page is closed, falls behind, or the program stops.
   * The first event names the newest entry. A refusal is returned before anything is written.
   */
  async connect(request: ReaderStreamRequest, response: ServerResponse): Promise<StreamResult> {
    const { events, entries, clock, maxBufferedBytes, maxPerPerson } = this.#options;
    const { countedAs, maxStreams = maxPerPerson } = request;
    if (this.#stopping.signal.aborted) return { connected: false, why: 'stopping' };
    if (!this.#count(countedAs, maxStreams)) return { connected: false, why: 'too_many' };
    const connection = new StreamConnection(response, {
      reader: countedAs,
      connectionId: randomUUID(),
      limit: maxBufferedBytes,
      ...(request.endsAt !== undefined && { endsAt: request.endsAt }),
    });
    const cleanup = new DisposableStack();
    cleanup.defer(() => this.#uncount(countedAs));
    if (request.onRevoked) cleanup.defer(request.onRevoked(() => connection.end('token')));
    try {
      // First the subscription, then the newest entry: what arrives in between is announced.
      const missed: ReaderEvent[] = [];
      let live = false;
      cleanup.defer(
        await events.subscribe(request.person, {
          onEvent: (event) => {
            if (event.type === 'entries') this.#announcedId = Math.max(this.#announcedId, event.newestId);
            if (live) connection.write(frameOf(event));
            else missed.push(event);
          },
          onGap: () => connection.end('stopping', reconnectField(RECONNECT_MS)),
        }),
      );
      const newestId = await entries.newestId();
      if (this.#stopping.signal.aborted) {
        cleanup.dispose();
        return { connected: false, why: 'stopping' };
      }
      if (connection.closed) {
        cleanup.dispose();
        return { connected: true };
      }
      const began = clock.monotonic();
      connection.begin(response, reconnectField(RECONNECT_MS), request.headers);
      this.#open.add(connection);
      connection.onClose(() => {
        this.#open.delete(connection);
        cleanup.dispose();
        this.#options.telemetry.streamClosed({ cause: connection.endReason, ms: clock.monotonic() - began });
      });
      live = true;
      for (const event of [{ type: 'entries', newestId } as const, ...missed])
        connection.write(frameOf(event));
      this.#announcedId = Math.max(this.#announcedId, newestId);
      this.#expiry.schedule(connection.endsAt);
      if (connection.endsAt <= clock.now()) connection.end('token');
      this.#loop ??= this.#run();
      return { connected: true };
    } catch (error) {
      cleanup.dispose();
      this.#options.log.warn('Failed to open a stream of reader events', { error });
      return { connected: false, why: 'stopping' };
    }
  }

  /** Tells the pages that are connected to this replica. */
  announce(event: ReaderEvent): void {
    for (const connection of this.#open) connection.write(frameOf(event));
  }

  /** Refuses new streams and ends all open ones. */
  async drain(): Promise<void> {
    this.#stopping.abort();
    for (const connection of this.#open) connection.end('stopping', reconnectField(RECONNECT_MS));
    await this.#loop;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
    this.#expiry.stop();
  }

  #count(reader: string, atMost: number): boolean {
    const streams = this.#counts.get(reader) ?? 0;
    if (streams >= atMost) return false;
    this.#counts.set(reader, streams + 1);
    return true;
  }

  #uncount(reader: string): void {
    const left = (this.#counts.get(reader) ?? 1) - 1;
    if (left > 0) this.#counts.set(reader, left);
    else this.#counts.delete(reader);
  }

  /** Heartbeats and polling, while there are streams. */
  async #run(): Promise<void> {
    const { clock, heartbeatMs, pollIntervalMs } = this.#options;
    const { signal } = this.#stopping;
    let beatAt = clock.monotonic();
    while (this.#open.size > 0 && !signal.aborted) {
      await clock.sleep(Math.min(heartbeatMs, pollIntervalMs ?? heartbeatMs), signal).catch(() => {});
      if (signal.aborted) break;
      if (pollIntervalMs !== null) await this.#announceNew();
      if (clock.monotonic() - beatAt < heartbeatMs) continue;
      beatAt = clock.monotonic();
      for (const connection of this.#open) connection.heartbeat(HEARTBEAT_FRAME);
    }
    this.#loop = null;
  }

  async #announceNew(): Promise<void> {
    const { entries, events, log } = this.#options;
    try {
      const newestId = await entries.newestId();
      if (newestId > this.#announcedId) await events.publish(null, { type: 'entries', newestId });
    } catch (error) {
      log.warn('Failed to check for new entries, retrying', { error });
    }
  }
}

function frameOf(event: ReaderEvent): string {
  const data = dataOf(event);
  return `event: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function dataOf(event: ReaderEvent): unknown {
  switch (event.type) {
    case 'entries':
      return { newestId: event.newestId };
    case 'state':
      return event.change;
    case 'stories':
      return { ids: event.ids };
    case 'sources':
      return {};
  }
}
