import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type TraceHeaders, traceHeaders } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, MINUTE, SECOND } from '../../time/duration.ts';
import type { ChangeFeed, ChangeHandler, DropEvent, EventDelivery } from '../../timelines/change-feed.ts';
import type { RedisConnection } from './connection.ts';
import { RedisUnavailableError, script } from './connection.ts';
import { CHANNELS, parseDropEvent, payloadOf } from './drop-event.ts';
import { GroupConsumer } from './group-consumer.ts';

export interface RedisEventLogOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<Events, 'dropEventHandled'>;
  /**
   * The previous version's file of events that could not be appended while Redis was unavailable. They are appended once.
   */
  readonly spoolFile: string;
  /** Called for each valid event from a channel, on every replica that receives it. */
  readonly onEvent?: (event: DropEvent) => Promise<void>;
  /** Entries older than this are trimmed, and those beyond a million. */
  readonly retentionMs?: number;
  /** Entries of a consumer without a heartbeat for this long are claimed by another. */
  readonly claimAfterMs?: number;
  /** Events handled concurrently. */
  readonly concurrency?: number;
}

/** The consumer group of the fan-out. */
const FAN_OUT = 'fan-out';
const MAX_LOG_LENGTH = 1_000_000;
/** Claimed at half of it, the entries of a killed replica are handled again after 12 seconds at the latest. */
const DEFAULT_CLAIM_AFTER_MS = 8 * SECOND;
/** An event that arrives on a channel within this time after it was appended is the same one. */
const DEDUPE_WINDOW_MS = 10 * MINUTE;
/** Retry interval while Redis is unavailable. */
const RETRY_MS = SECOND;

/**
 * KEYS the log, the deduplication key of the event, that of its opposite (which may occur again afterwards). ARGV type,
 * payload, oldest kept, deduplication time, channel ('' for events from the channel itself: appended only if not seen),
 * traceparent ('' for none), the published message. Returns 1 where it was appended.
 */
const APPEND_SCRIPT = script(
  'append',
  `
local new = redis.call('SET', KEYS[2], '1', 'PX', ARGV[4], 'NX')
if ARGV[5] == '' and not new then return 0 end
if KEYS[3] then redis.call('DEL', KEYS[3]) end
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ${MAX_LOG_LENGTH}, '*', 'type', ARGV[1], 'event', ARGV[2], 'traceparent', ARGV[6])
redis.call('XTRIM', KEYS[1], 'MINID', '~', ARGV[3])
if ARGV[5] ~= '' then redis.call('PUBLISH', ARGV[5], ARGV[7]) end
return 1
`,
);

/**
 * The events in a Redis stream, read by consumer groups of any number of replicas (C12), and the channels of the contract
 * beside it (C2): what is appended is published there, and what others publish there is appended once. While Redis is
 * unavailable, changes stay in the feed.
 */
export class RedisEventLog implements EventDelivery {
  readonly #options: RedisEventLogOptions;
  readonly #redis: RedisConnection;
  readonly #stream: string;
  readonly #stop = new AbortController();
  #feed: ChangeFeed | null = null;
  readonly #listener: (message: string, channel: string) => void;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #consumer = `${process.pid}-${randomBytes(6).toString('base64url')}`;

  constructor(options: RedisEventLogOptions) {
    this.#options = options;
    this.#redis = options.connection;
    this.#stream = `${this.#redis.prefix}timeline_log`;
    this.#listener = (message, channel) => {
      const hearing = this.#onMessage(channel.slice(this.#redis.prefix.length), message).finally(() =>
        this.#inFlight.delete(hearing),
      );
      this.#inFlight.add(hearing);
    };
    const channels = CHANNELS.map((name) => this.#redis.prefix + name);
    this.#redis.subscribe(channels, this.#listener).catch((error: unknown) => {
      options.log.error('Failed to subscribe to the channels of drop events', { error });
    });
  }

  async deliver(feed: ChangeFeed, handle: ChangeHandler, signal: AbortSignal): Promise<void> {
    this.#feed = feed;
    await Promise.all([this.#relay(feed, signal), this.consume(FAN_OUT, handle, signal)]);
  }

  /** This replica's consumer of a group. */
  async consume(group: string, handle: ChangeHandler, signal: AbortSignal): Promise<void> {
    const { clock, log, events, claimAfterMs = DEFAULT_CLAIM_AFTER_MS, concurrency = 16 } = this.#options;
    await new GroupConsumer({
      connection: this.#redis,
      stream: this.#stream,
      group,
      consumer: this.#consumer,
      clock,
      log,
      events,
      claimAfterMs,
      concurrency,
    }).run(handle, signal);
  }

  async waiting(group = FAN_OUT): Promise<number> {
    const toRelay = (await this.#feed?.waiting()) ?? 0;
    const groups = await this.#redis
      .send(this.#stream, ['XINFO', 'GROUPS', this.#stream])
      .catch(nullIfMissingKey);
    for (const fields of Array.isArray(groups) ? groups : []) {
      const flat = Array.isArray(fields) ? fields : [];
      const at = (name: string): unknown => flat[flat.indexOf(name) + 1];
      if (at('name') === group) return toRelay + Number(at('pending') ?? 0) + Number(at('lag') ?? 0);
    }
    // The group does not exist yet.
    return toRelay + Number(await this.#redis.send(this.#stream, ['XLEN', this.#stream]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#inFlight);
  }

  async #relay(feed: ChangeFeed, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    await this.#appendSpool(signal);
    await feed.relay(
      {
        durable: true,
        log,
        accept: async ({ change, trace }) => {
          // An operator clears timelines that are in Redis directly.
          if (change.type !== 'clear_timelines') await this.append(change, trace);
        },
      },
      signal,
    );
  }

  /** Appends what the previous version could not append and kept in this file. */
  async #appendSpool(signal: AbortSignal): Promise<void> {
    const { spoolFile, log } = this.#options;
    try {
      for (const line of (await readFile(spoolFile, 'utf8')).split('\n')) {
        const at = line.indexOf(' ');
        const read = parseDropEvent(line.slice(0, at), line.slice(at + 1));
        // A line that a crash cut off was never confirmed.
        if (read.ok) await this.#appendSoon(read.event, false, signal);
      }
      await rm(spoolFile, { force: true });
      log.info('Appended the events that the previous version kept in a file', { file: spoolFile });
    } catch (error) {
      if (signal.aborted || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) return;
      log.error('Failed to append the events that the previous version kept in a file', {
        file: spoolFile,
        error,
      });
    }
  }

  /** Appends as soon as Redis answers. */
  async #appendSoon(event: DropEvent, fromChannel: boolean, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.append(event, {}, fromChannel);
      } catch (error) {
        if (!(error instanceof RedisUnavailableError)) throw error;
        await this.#options.clock.sleep(RETRY_MS, signal);
      }
    }
  }

  /** `fromChannel`: it came from a channel, and is appended only where the log does not have it yet. */
  async append(event: DropEvent, trace: TraceHeaders = traceHeaders(), fromChannel = false): Promise<void> {
    const { clock, retentionMs = 7 * DAY } = this.#options;
    const channel = this.#redis.prefix + event.type;
    const subject = 'drop_id' in event ? event.drop_id : `${event.user_id}:${event.author_id}`;
    const opposite = { followed: 'unfollowed', unfollowed: 'followed' } as const;
    const seen = 'drop_id' in event ? [event.type] : [event.type, opposite[event.type]];
    const tag = this.#stream.includes('{') ? this.#stream : `{${this.#stream}}`;
    await this.#redis.run(
      APPEND_SCRIPT,
      [this.#stream, ...seen.map((type) => `${tag}:seen:${type}:${subject}`)],
      [
        event.type,
        payloadOf(event),
        clock.now() - retentionMs,
        DEDUPE_WINDOW_MS,
        fromChannel ? '' : channel,
        typeof trace.traceparent === 'string' ? trace.traceparent : '',
        fromChannel ? '' : messageOf(event),
      ],
    );
  }

  /** Handles a published message. Our own come back too, and are known already. */
  async #onMessage(type: string, message: string): Promise<void> {
    const read = parseDropEvent(type, message);
    if (!read.ok) {
      const { events } = this.#options;
      events.dropEventHandled({ type, outcome: 'malformed', timelines: 0, ms: 0, detail: read.why });
      return;
    }
    if (isLogged(message)) return;
    const { onEvent = async () => {}, log } = this.#options;
    await onEvent(read.event).catch((error: unknown) => {
      log.error('Failed to store an event from a channel in the data folder', { type, error });
    });
    const { signal } = this.#stop;
    await this.#appendSoon(read.event, true, signal).catch((error: unknown) => {
      log.error('Failed to append an event from a channel', { type, error });
    });
  }
}

/**
 * The channel's message of an event that is in the log. A follow may be undone before its own message comes back, so its
 * message is marked as logged; a drop is created and deleted once.
 */
function messageOf(event: DropEvent): string {
  return 'drop_id' in event
    ? payloadOf(event)
    : JSON.stringify({ ...JSON.parse(payloadOf(event)), logged: true });
}

function isLogged(message: string): boolean {
  return (JSON.parse(message) as { readonly logged?: unknown }).logged === true;
}

function nullIfMissingKey(error: unknown): null {
  if (error instanceof Error && error.message.includes('no such key')) return null;
  throw error;
}
