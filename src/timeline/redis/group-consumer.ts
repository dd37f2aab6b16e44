import pLimit from 'p-limit';
import type { RedisConnection, Reply, WaitingLane } from '../../redis/connection.ts';
import { meansAway } from '../../redis/errors.ts';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { TraceHeaders } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { HOUR, SECOND } from '../../time/duration.ts';
import type { EventHandler } from '../event-log.ts';
import { readDropEvent } from './drop-event.ts';

export interface GroupConsumerOptions {
  readonly connection: RedisConnection;
  readonly stream: string;
  readonly group: string;
  readonly consumer: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<Events, 'dropEventHandled'>;
  readonly claimAfterMs: number;
  readonly parallel: number;
}

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly payload: string;
  /** When it was appended, which its ID says. */
  readonly at: number;
  readonly trace: TraceHeaders;
}

const WAIT = SECOND;
const BATCH = 64;
/** Long rests that are worked on at the same time. */
const RESTS = 2;
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 30 * SECOND;
/** A consumer asks every second; one that has not asked for so long is gone. */
const DEAD_AFTER = HOUR;
/** So many events may wait here for another try before no more are fetched. */
const MOST_AGAIN = 1000;
/** An event that fails so often while others succeed is put aside for a person. */
const MOST_TRIES = 50;

/**
 * One copy's part of a consumer group. Reading, working and trying again go on beside each other: an event that fails
 * waits for its next try without holding up others, and one whose rest takes long goes to a lane of its own. Entries of
 * a consumer that died are claimed after their time. What makes no sense is counted, logged and dropped.
 */
export class GroupConsumer {
  readonly #options: GroupConsumerOptions;
  readonly #rests = pLimit(RESTS);
  readonly #going = new Set<Promise<void>>();
  readonly #mine = new Set<string>();
  #again = 0;
  #succeeded = 0;

  constructor(options: GroupConsumerOptions) {
    this.#options = options;
  }

  async run(handle: EventHandler, signal: AbortSignal): Promise<void> {
    const lane = this.#options.connection.lane();
    // A read that waits on the server ends with the program.
    signal.addEventListener('abort', () => void lane.close(), { once: true });
    const slots = pLimit(this.#options.parallel);
    let claimedAt = Number.NEGATIVE_INFINITY;
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (failures > 0 || claimedAt === Number.NEGATIVE_INFINITY) await this.#makeGroup();
        const now = this.#options.clock.monotonic();
        const claims = now - claimedAt > this.#options.claimAfterMs / 2;
        if (claims) claimedAt = now;
        const entries = claims
          ? await this.#claim()
          : await this.#read(lane, slots.activeCount + slots.pendingCount);
        failures = 0;
        for (const entry of entries) this.#start(entry, handle, slots, signal);
        if (slots.pendingCount > 0 || this.#again >= MOST_AGAIN) await this.#room();
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        await this.#trouble(error, failures, signal);
      }
    }
    await lane.close();
    await Promise.all(this.#going);
    await this.#leave().catch(() => {});
  }

  /** Who has nothing left to answer need not stay on the list; who died with something does, until it is claimed. */
  async #leave(): Promise<void> {
    const { connection, stream, group, consumer } = this.#options;
    const pending = await connection.send(stream, ['XPENDING', stream, group, '-', '+', '1', consumer]);
    if (list(pending).length === 0)
      await connection.send(stream, ['XGROUP', 'DELCONSUMER', stream, group, consumer]);
  }

  /** Consumers that died and whose events were claimed. */
  async #forgetTheDead(): Promise<void> {
    const { connection, stream, group } = this.#options;
    for (const about of list(await connection.send(stream, ['XINFO', 'CONSUMERS', stream, group]))) {
      const flat = list(about).map(String);
      const at = (name: string): string => flat[flat.indexOf(name) + 1] ?? '';
      if (at('pending') === '0' && Number(at('idle')) > DEAD_AFTER)
        await connection.send(stream, ['XGROUP', 'DELCONSUMER', stream, group, at('name')]);
    }
  }

  async #makeGroup(): Promise<void> {
    const { connection, stream, group } = this.#options;
    try {
      await connection.send(stream, ['XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM']);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('BUSYGROUP')) throw error;
    }
  }

  async #read(lane: WaitingLane, busy: number): Promise<readonly Entry[]> {
    const { connection, stream, group, consumer } = this.#options;
    const wait = busy > 0 ? WAIT / 10 : WAIT;
    const args = ['XREADGROUP', 'GROUP', group, consumer, 'COUNT', `${BATCH}`, 'BLOCK', `${wait}`];
    const reply = await connection.sendWaiting(stream, [...args, 'STREAMS', stream, '>'], wait, lane);
    const [first] = list(reply);
    return entriesOf(list(first)[1]);
  }

  /** What a consumer that died had begun, and our own that were never answered. */
  async #claim(): Promise<readonly Entry[]> {
    const { connection, stream, group, consumer, claimAfterMs } = this.#options;
    await this.#forgetTheDead();
    const args = ['XAUTOCLAIM', stream, group, consumer, `${claimAfterMs}`, '0-0', 'COUNT', `${BATCH}`];
    return entriesOf(list(await connection.send(stream, args))[1]);
  }

  #start(entry: Entry, handle: EventHandler, slots: ReturnType<typeof pLimit>, signal: AbortSignal): void {
    if (this.#mine.has(entry.id)) return;
    this.#mine.add(entry.id);
    const going = this.#work(entry, handle, slots, signal).finally(() => {
      this.#mine.delete(entry.id);
      this.#going.delete(going);
    });
    this.#going.add(going);
  }

  async #work(
    entry: Entry,
    handle: EventHandler,
    slots: ReturnType<typeof pLimit>,
    signal: AbortSignal,
  ): Promise<void> {
    const { log, clock, events } = this.#options;
    const read = readDropEvent(entry.type, entry.payload);
    if (!read.ok) {
      const type = entry.type.slice(0, 40);
      events.dropEventHandled({ type, outcome: 'malformed', timelines: 0, ms: 0, detail: read.why });
      return this.#acknowledge(entry, signal);
    }
    const othersBefore = this.#succeeded;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        const rest = await slots(() => handle(read.event, { at: entry.at, trace: entry.trace }));
        if (rest) await this.#rests(rest);
        this.#succeeded += 1;
        return await this.#acknowledge(entry, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (tries >= MOST_TRIES && this.#succeeded > othersBefore + MOST_TRIES)
          return this.#putAside(entry, error, signal);
        const waitMs = Math.min(FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE);
        const told = { event: entry.type, tries, waitMs, error };
        log.warn('an event could not be handled and is tried again', told);
        this.#again += 1;
        await clock.sleep(waitMs, signal).catch(() => {});
        this.#again -= 1;
      }
    }
  }

  /** Where it cannot be said now, it is said later; handling an event twice changes nothing. */
  async #acknowledge({ id }: Entry, signal: AbortSignal): Promise<void> {
    const { connection, stream, group, clock } = this.#options;
    for (let tries = 0; ; tries++) {
      try {
        await connection.send(stream, ['XACK', stream, group, id]);
        return;
      } catch {
        if (signal.aborted) return;
        await clock.sleep(Math.min(FIRST_PAUSE * 2 ** tries, LONGEST_PAUSE), signal).catch(() => {});
      }
    }
  }

  async #putAside(entry: Entry, error: unknown, signal: AbortSignal): Promise<void> {
    const { connection, stream, log, events } = this.#options;
    const aside = stream.includes('{') ? `${stream}:aside` : `{${stream}}:aside`;
    const fields = ['type', entry.type, 'event', entry.payload];
    await connection.send(aside, ['XADD', aside, 'MAXLEN', '~', '10000', '*', ...fields]);
    log.error('an event failed again and again; it was put aside', {
      event: entry.type,
      id: entry.id,
      error,
    });
    events.dropEventHandled({
      type: entry.type,
      outcome: 'failed',
      timelines: 0,
      ms: 0,
      detail: 'put aside',
    });
    await this.#acknowledge(entry, signal);
  }

  async #room(): Promise<void> {
    await Promise.race(this.#going);
  }

  async #trouble(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#options;
    if (failures === 1 && !meansAway(error)) log.warn('events cannot be read now', { error });
    await clock.sleep(Math.min(FIRST_PAUSE * 2 ** (failures - 1), 2 * SECOND), signal).catch(() => {});
  }
}

function list(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? (reply as readonly Reply[]) : [];
}

/** `[[id, [field, value, …]], …]`; an entry that was trimmed meanwhile has no fields. */
function entriesOf(reply: Reply | undefined): readonly Entry[] {
  return list(reply).map((entry) => {
    const [id, fields] = list(entry);
    const flat = list(fields).map(String);
    const field = (name: string): string => {
      const at = flat.findIndex((text, n) => n % 2 === 0 && text === name);
      return at < 0 ? '' : (flat[at + 1] ?? '');
    };
    const text = String(id);
    const traceparent = field('traceparent');
    return {
      id: text,
      type: field('type'),
      payload: field('event'),
      at: Number.parseInt(text, 10),
      trace: traceparent === '' ? {} : { traceparent },
    };
  });
}
