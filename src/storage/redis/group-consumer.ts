import pLimit from 'p-limit';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { TraceHeaders } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { HOUR, SECOND } from '../../time/duration.ts';
import { backoff } from '../../time/retry.ts';
import type { ChangeHandler, DropEvent } from '../../timelines/change-feed.ts';
import { AuthorOrder, blocksLaterEvents, orderKey, type Turn } from '../../timelines/event-log.ts';
import type { BlockingLane, RedisConnection, RedisReply } from './connection.ts';
import { isUnavailable, script, toArray } from './connection.ts';
import { parseDropEvent } from './drop-event.ts';

export interface GroupConsumerOptions {
  readonly connection: RedisConnection;
  readonly stream: string;
  readonly group: string;
  readonly consumer: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<Events, 'dropEventHandled'>;
  readonly claimAfterMs: number;
  readonly concurrency: number;
}

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly payload: string;
  /** When it was appended, from its ID. */
  readonly at: number;
  readonly trace: TraceHeaders;
}

const BLOCK_MS = SECOND;
const BATCH_SIZE = 64;
/** Deferred parts of events that are handled concurrently. */
const DEFERRED_CONCURRENCY = 2;
const RETRY = { baseMs: 100, capMs: 5 * SECOND };
/** A consumer reads every second; one that has not read for this long is dead. */
const DEAD_CONSUMER_AFTER_MS = HOUR;
/** Events that may wait here for a retry before no more are fetched. */
const MAX_RETRYING = 1000;
/** Events that may wait here for earlier ones of their authors before no more are fetched. */
const MAX_WAITING_IN_ORDER = 256;
/** Heartbeats for entries in progress within `claimAfterMs`. */
const HEARTBEATS_PER_CLAIM = 4;
/** Poll interval while another replica handles an earlier event. */
const POLL_BACKOFF_MS = { min: 2, max: 50 };
/** An event that fails this often while others succeed goes to the dead-letter stream. */
const MAX_ATTEMPTS = 50;

/** KEYS the log. ARGV group, consumer, and the IDs in progress. Resets the idle time of those that are still its own. */
const HEARTBEAT_SCRIPT = script(
  'beat',
  `
for i = 3, #ARGV do
  local mine = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1, ARGV[2])
  if #mine > 0 then redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID') end
end
return 1
`,
);

/**
 * KEYS the log. ARGV group, consumer, an ID. Returns the pending new drops below this ID of other consumers: authors and
 * IDs.
 */
const PENDING_ELSEWHERE_SCRIPT = script(
  'elsewhere',
  `
local found = {}
for _, about in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local of = {}
  for i = 1, #about, 2 do of[about[i]] = about[i + 1] end
  if of.name ~= ARGV[2] and of.pending > 0 then
    for _, pending in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '(' .. ARGV[3], ${MAX_RETRYING}, of.name)) do
      local entry = redis.call('XRANGE', KEYS[1], pending[1], pending[1])[1]
      local fields = {}
      for i = 1, entry and #entry[2] or 0, 2 do fields[entry[2][i]] = entry[2][i + 1] end
      if fields.type == 'drop_created' then
        local ok, event = pcall(cjson.decode, fields.event)
        if ok and type(event) == 'table' and type(event.user_id) == 'string' then
          found[#found + 1] = event.user_id
          found[#found + 1] = pending[1]
        end
      end
    end
  end
end
return found
`,
);

/**
 * One replica's consumer of a group. Reading, handling and retrying run concurrently: an event that fails waits for its retry
 * without blocking others, and the deferred part of an event has a concurrency limit of its own. Entries of a dead consumer
 * are claimed after `claimAfterMs`; a live one sends heartbeats. Malformed events are counted, logged and dropped.
 *
 * New drops of one author are handled in order, also across replicas: the pending entries of the group show which earlier ones
 * another replica has.
 */
export class GroupConsumer {
  readonly #options: GroupConsumerOptions;
  readonly #deferred = pLimit(DEFERRED_CONCURRENCY);
  readonly #inFlight = new Set<Promise<void>>();
  readonly #claimed = new Set<string>();
  readonly #order = new AuthorOrder();
  /** Pending new drops of other replicas that an entry here waits for, and since when. */
  readonly #awaited = new Map<string, number>();
  #retrying = 0;
  #succeeded = 0;

  constructor(options: GroupConsumerOptions) {
    this.#options = options;
  }

  async run(handle: ChangeHandler, signal: AbortSignal): Promise<void> {
    const lane = this.#options.connection.blockingLane();
    // Ends a blocking read at shutdown.
    signal.addEventListener('abort', () => void lane.close(), { once: true });
    const slots = pLimit(this.#options.concurrency);
    const heartbeats = this.#heartbeat(signal);
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
        const elsewhere = await this.#pendingElsewhere(entries.at(-1)?.id).catch(() => null);
        for (const entry of entries) this.#start(entry, elsewhere, handle, slots, signal);
        while (this.#isFull(slots.pendingCount)) await this.#waitForCapacity();
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        await this.#backOff(error, failures, signal);
      }
    }
    await lane.close();
    await Promise.all([...this.#inFlight, heartbeats]);
    await this.#deregister().catch(() => {});
  }

  #isFull(pending: number): boolean {
    return (
      pending > 0 ||
      this.#retrying >= MAX_RETRYING ||
      this.#order.waiting >= (this.#retrying > 0 ? MAX_RETRYING : MAX_WAITING_IN_ORDER)
    );
  }

  /** Keeps entries in progress from being claimed by another replica while this one lives. */
  async #heartbeat(signal: AbortSignal): Promise<void> {
    const { connection, stream, group, consumer, clock, claimAfterMs } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(claimAfterMs / HEARTBEATS_PER_CLAIM, signal).catch(() => {});
      const claimed = [...this.#claimed];
      if (claimed.length > 0 && !signal.aborted)
        await connection.run(HEARTBEAT_SCRIPT, [stream], [group, consumer, ...claimed]).catch(() => {});
    }
  }

  /** Pending new drops below this entry at other replicas, by author. */
  async #pendingElsewhere(below: string | undefined): Promise<PendingElsewhere> {
    const { connection, stream, group, consumer } = this.#options;
    const found: PendingElsewhere = new Map();
    if (below === undefined) return found;
    const flat = toArray(
      await connection.run(PENDING_ELSEWHERE_SCRIPT, [stream], [group, consumer, below]),
    ).map(String);
    for (let n = 0; n + 1 < flat.length; n += 2) {
      const [author = '', id = ''] = flat.slice(n, n + 2);
      found.set(author, [...(found.get(author) ?? []), id]);
    }
    return found;
  }

  /** Deletes this consumer if it has no pending entries; one that died with some stays until they are claimed. */
  async #deregister(): Promise<void> {
    const { connection, stream, group, consumer } = this.#options;
    const pending = await connection.send(stream, ['XPENDING', stream, group, '-', '+', '1', consumer]);
    if (toArray(pending).length === 0)
      await connection.send(stream, ['XGROUP', 'DELCONSUMER', stream, group, consumer]);
  }

  /** Deletes dead consumers whose entries were claimed. */
  async #removeDeadConsumers(): Promise<void> {
    const { connection, stream, group } = this.#options;
    for (const info of toArray(await connection.send(stream, ['XINFO', 'CONSUMERS', stream, group]))) {
      const flat = toArray(info).map(String);
      const at = (name: string): string => flat[flat.indexOf(name) + 1] ?? '';
      if (at('pending') === '0' && Number(at('idle')) > DEAD_CONSUMER_AFTER_MS)
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

  async #read(lane: BlockingLane, busy: number): Promise<readonly Entry[]> {
    const { connection, stream, group, consumer } = this.#options;
    const wait = busy > 0 ? BLOCK_MS / 10 : BLOCK_MS;
    const args = ['XREADGROUP', 'GROUP', group, consumer, 'COUNT', `${BATCH_SIZE}`, 'BLOCK', `${wait}`];
    const reply = await connection.sendBlocking(stream, [...args, 'STREAMS', stream, '>'], wait, lane);
    const [first] = toArray(reply);
    return parseStreamEntries(toArray(first)[1]);
  }

  /** Claims the pending entries of dead consumers, and our own that were never acknowledged. */
  async #claim(): Promise<readonly Entry[]> {
    const { connection, stream, group, consumer, claimAfterMs } = this.#options;
    await this.#removeDeadConsumers();
    const claimed: Entry[] = [];
    for (let cursor = '0-0'; ; ) {
      const args = [
        'XAUTOCLAIM',
        stream,
        group,
        consumer,
        `${claimAfterMs}`,
        cursor,
        'COUNT',
        `${BATCH_SIZE}`,
      ];
      const [next, entries] = toArray(await connection.send(stream, args));
      claimed.push(...parseStreamEntries(entries));
      cursor = String(next);
      if (cursor === '0-0' || claimed.length >= MAX_RETRYING) return claimed;
    }
  }

  #start(
    entry: Entry,
    elsewhere: PendingElsewhere | null,
    handle: ChangeHandler,
    slots: ReturnType<typeof pLimit>,
    signal: AbortSignal,
  ): void {
    if (this.#claimed.has(entry.id)) return;
    this.#claimed.add(entry.id);
    const work = this.#work(entry, elsewhere, handle, slots, signal).finally(() => {
      this.#claimed.delete(entry.id);
      this.#inFlight.delete(work);
    });
    this.#inFlight.add(work);
  }

  async #work(
    entry: Entry,
    elsewhere: PendingElsewhere | null,
    handle: ChangeHandler,
    slots: ReturnType<typeof pLimit>,
    signal: AbortSignal,
  ): Promise<void> {
    const { log, clock, events } = this.#options;
    const read = parseDropEvent(entry.type, entry.payload);
    if (!read.ok) {
      const type = entry.type.slice(0, 40);
      events.dropEventHandled({ type, outcome: 'malformed', timelines: 0, ms: 0, detail: read.why });
      return this.#acknowledge(entry, signal);
    }
    const acquired = this.#turn(entry, read.event, elsewhere, signal);
    const turn = acquired instanceof Promise ? await acquired : acquired;
    const succeededBefore = this.#succeeded;
    try {
      for (let tries = 1; !signal.aborted; tries++) {
        try {
          const deferred = await slots(() => handle(read.event, { at: entry.at, trace: entry.trace }));
          if (deferred) await this.#deferred(deferred);
          this.#succeeded += 1;
          return await this.#acknowledge(entry, signal);
        } catch (error) {
          if (signal.aborted) return;
          if (tries >= MAX_ATTEMPTS && this.#succeeded > succeededBefore + MAX_ATTEMPTS)
            return await this.#deadLetter(entry, error, signal);
          if (!blocksLaterEvents(error)) turn?.end();
          const waitMs = backoff(tries, RETRY);
          log.warn('Failed to handle an event, retrying', { event: entry.type, tries, waitMs, error });
          this.#retrying += 1;
          await clock.sleep(waitMs, signal).catch(() => {});
          this.#retrying -= 1;
        }
      }
    } finally {
      turn?.end();
    }
  }

  /** Waits for the earlier drops of the same author, here and at other replicas. `null` where the order does not matter. */
  #turn(
    entry: Entry,
    event: DropEvent,
    elsewhere: PendingElsewhere | null,
    signal: AbortSignal,
  ): Turn | null | Promise<Turn> {
    const author = orderKey(event);
    if (author === null) return null;
    const position = positionOf(entry.id);
    const turn = this.#order.turn(author, position);
    const earlier = elsewhere && (elsewhere.get(author) ?? []).filter((id) => positionOf(id) < position);
    return earlier?.length === 0 ? turn : this.#afterOthers(entry, author, turn, signal);
  }

  /** Polls until other replicas have no earlier drop of the author, also where the first query failed. */
  async #afterOthers(
    entry: Entry,
    author: string,
    acquired: Turn | Promise<Turn>,
    signal: AbortSignal,
  ): Promise<Turn> {
    const { clock, claimAfterMs } = this.#options;
    const position = positionOf(entry.id);
    // One that failed, or that a dead replica had, is claimed within this time; after it no other event waits for it.
    const timeoutMs = 2 * claimAfterMs;
    let turn = await acquired;
    let answeredAt = clock.monotonic();
    for (
      let delayMs = POLL_BACKOFF_MS.min;
      !signal.aborted;
      delayMs = Math.min(delayMs * 2, POLL_BACKOFF_MS.max)
    ) {
      await clock.sleep(delayMs, signal).catch(() => {});
      if (turn.overtaken()) {
        turn.end();
        turn = await this.#order.turn(author, position);
      }
      const left = await this.#pendingElsewhere(entry.id).catch(() => null);
      const now = clock.monotonic();
      if (left === null) {
        if (now - answeredAt > timeoutMs) return turn;
        continue;
      }
      answeredAt = now;
      const earlier = left.get(author) ?? [];
      for (const id of earlier) this.#awaited.set(id, this.#awaited.get(id) ?? now);
      for (const [id, since] of this.#awaited) if (now - since > 10 * timeoutMs) this.#awaited.delete(id);
      if (earlier.every((id) => now - (this.#awaited.get(id) ?? now) >= timeoutMs)) return turn;
    }
    return turn;
  }

  /** Retries until acknowledged; handling an event twice changes nothing. */
  async #acknowledge({ id }: Entry, signal: AbortSignal): Promise<void> {
    const { connection, stream, group, clock } = this.#options;
    for (let tries = 0; ; tries++) {
      try {
        await connection.send(stream, ['XACK', stream, group, id]);
        return;
      } catch {
        if (signal.aborted) return;
        await clock.sleep(backoff(tries + 1, RETRY), signal).catch(() => {});
      }
    }
  }

  async #deadLetter(entry: Entry, error: unknown, signal: AbortSignal): Promise<void> {
    const { connection, stream, log, events } = this.#options;
    // Named by an earlier version.
    const deadLetters = stream.includes('{') ? `${stream}:aside` : `{${stream}}:aside`;
    const fields = ['type', entry.type, 'event', entry.payload];
    await connection.send(deadLetters, ['XADD', deadLetters, 'MAXLEN', '~', '10000', '*', ...fields]);
    log.error('Failed to handle an event too often; moved it to the dead-letter stream', {
      event: entry.type,
      id: entry.id,
      error,
    });
    events.dropEventHandled({
      type: entry.type,
      outcome: 'failed',
      timelines: 0,
      ms: 0,
      detail: 'moved to the dead-letter stream',
    });
    await this.#acknowledge(entry, signal);
  }

  async #waitForCapacity(): Promise<void> {
    await Promise.race(this.#inFlight);
  }

  async #backOff(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#options;
    if (failures === 1 && !isUnavailable(error)) log.warn('Failed to read events, retrying', { error });
    await clock.sleep(backoff(failures, { ...RETRY, capMs: 2 * SECOND }), signal).catch(() => {});
  }
}

/** Authors and the IDs of their entries. */
type PendingElsewhere = Map<string, readonly string[]>;

/** The ID of an entry as a string that sorts in the order of the log. */
function positionOf(id: string): string {
  const [ms = '', seq = ''] = id.split('-');
  return `${ms.padStart(20, '0')}-${seq.padStart(20, '0')}`;
}

/** `[[id, [field, value, …]], …]`; an entry that was trimmed meanwhile has no fields. */
function parseStreamEntries(reply: RedisReply | undefined): readonly Entry[] {
  return toArray(reply).map((entry) => {
    const [id, fields] = toArray(entry);
    const flat = toArray(fields).map(String);
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
