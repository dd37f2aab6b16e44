import { randomBytes } from 'node:crypto';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { isOlder } from '../../timelines/cursor.ts';
import type { OriginPage } from '../../timelines/origin.ts';
import type { TimelineEntry, TimelineStore } from '../../timelines/timeline-store.ts';
import {
  MAX_REMOVED,
  type ReceivedDrops,
  TimelinesUnavailableError,
} from '../../timelines/timeline-store.ts';
import { type RedisConnection, type RedisReply, script, toArray } from './connection.ts';
import { orUnavailable, parseEntries, timelineKeys } from './timeline-layout.ts';

export interface RedisReceivedDropsOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cap: number;
  /** Contains the window of the global timeline, to which lost drops are added. */
  readonly store: Pick<TimelineStore, 'merge'>;
  /** Durable store beside Redis. */
  readonly durable: ReceivedDrops;
  /** All replicas share one durable store; otherwise each stores what the others received. */
  readonly shared?: boolean;
  readonly intervalMs?: number;
}

/**
 * KEYS the drops, the removed ones, the state. ARGV cap, a new epoch, now, number of drops; then their times and IDs, then
 * the IDs to remove. A set with another number of members than in the state was lost, evicted or flushed: then a new epoch
 * begins, and each replica adds what it has. Returns epoch, version, 1 where an epoch began, the IDs that were removed
 * before, and the server run under which a shared store was loaded.
 */
const CHANGE_SCRIPT = script(
  'received',
  `
local set, removedSet, state = KEYS[1], KEYS[2], KEYS[3]
local cap, epoch, now, n = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
local h = redis.call('HMGET', state, 'e', 'v', 'n', 'g', 'f')
local size, removed = redis.call('ZCARD', set), redis.call('ZCARD', removedSet)
local began = 0
if not h[1] or tonumber(h[3]) ~= size or tonumber(h[4]) ~= removed then
  h[1], h[2], began = epoch, '0', 1
  redis.call('HDEL', state, 'f')
end
local changed = began
local refused = {}
for i = 5 + 2 * n, #ARGV do
  changed = changed + redis.call('ZADD', removedSet, 'NX', now, ARGV[i]) + redis.call('ZREM', set, ARGV[i])
end
for i = 5, 3 + 2 * n, 2 do
  if not redis.call('ZSCORE', removedSet, ARGV[i + 1]) then
    changed = changed + redis.call('ZADD', set, 'NX', ARGV[i], ARGV[i + 1])
  else
    refused[#refused + 1] = ARGV[i + 1]
  end
end
if changed > 0 then
  redis.call('ZREMRANGEBYRANK', set, 0, -cap - 1)
  redis.call('ZREMRANGEBYRANK', removedSet, 0, ${-MAX_REMOVED - 1})
  h[2] = tonumber(h[2]) + 1
  redis.call('HSET', state, 'e', h[1], 'v', h[2], 'n', redis.call('ZCARD', set), 'g', redis.call('ZCARD', removedSet))
end
return { h[1], tostring(h[2]), began, refused, began == 0 and h[5] or '' }
`,
);

interface SyncedState {
  readonly run: string;
  readonly epoch: string;
  readonly version: string;
}

interface ChangeReply extends Omit<SyncedState, 'run'> {
  readonly began: boolean;
  readonly refused: readonly string[];
  readonly filled: string;
}

/** Drops in one script. */
const DROPS_PER_SCRIPT = 1000;

/**
 * Received drops, in Redis beside the global timeline, where all replicas share them, and in a durable store of this
 * replica. What Redis loses is restored from there: at once by the replica that reads, by the others within `intervalMs`.
 */
export class RedisReceivedDrops implements ReceivedDrops {
  readonly #options: RedisReceivedDropsOptions;
  readonly #redis: RedisConnection;
  readonly #keys: readonly [set: string, removed: string, state: string];
  readonly #stop = new AbortController();
  readonly #syncing: Promise<void>;
  /** Last state that this replica has pushed and fetched. */
  #synced: SyncedState | null = null;
  #lock: Promise<void> = Promise.resolve();

  constructor(options: RedisReceivedDropsOptions) {
    this.#options = options;
    this.#redis = options.connection;
    const { received } = timelineKeys(options.connection);
    this.#keys = [received, `${received}:removed`, `${received}:state`];
    this.#syncing = this.#syncRegularly();
  }

  async add(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]> {
    const stored = await this.#options.durable.add(entries);
    const { refused } = await this.#change(stored, []);
    return stored.filter(({ id }) => !refused.includes(id));
  }

  async remove(dropIds: readonly string[]): Promise<void> {
    await this.#options.durable.remove(dropIds);
    await this.#change([], dropIds);
  }

  async newest({ limit, before }: OriginPage): Promise<readonly TimelineEntry[]> {
    await this.#syncExclusively();
    const from = before === undefined ? '+inf' : String(before.createdAt);
    const [set] = this.#keys;
    const found = await orUnavailable(() =>
      this.#redis.send(set, ['ZREVRANGEBYSCORE', set, from, '-inf', 'WITHSCORES']),
    );
    return parseScoredEntries(found)
      .filter((entry) => before === undefined || isOlder(entry, before))
      .slice(0, limit);
  }

  async removedIds(): Promise<readonly string[]> {
    const [, removed] = this.#keys;
    return toArray(await orUnavailable(() => this.#redis.send(removed, ['ZRANGE', removed, '0', '-1']))).map(
      String,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#syncing;
    await this.#options.durable[Symbol.asyncDispose]();
  }

  async #syncRegularly(): Promise<void> {
    const { clock, log, intervalMs = 5 * SECOND } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#syncExclusively().catch((error: unknown) => {
        if (!(error instanceof TimelinesUnavailableError))
          log.warn('Failed to synchronise received drops, retrying', { error });
      });
      await clock.sleep(intervalMs, signal).catch(() => {});
    }
  }

  /** Serialises synchronisations. */
  #syncExclusively(): Promise<void> {
    const done = this.#lock.then(() => this.#synchronise());
    this.#lock = done.catch(() => {});
    return done;
  }

  async #synchronise(): Promise<void> {
    const { durable, shared = false, cap, store } = this.#options;
    const run = await orUnavailable(() => this.#redis.runOf(this.#keys[0]));
    let now = await this.#change([], []);
    const known = this.#synced;
    const isMissing = shared ? now.filled !== run : known?.run !== run || known.epoch !== now.epoch;
    if (isMissing) {
      const entries = [
        ...(await durable.newest({ limit: cap })),
        ...(now.began ? await this.#unrecorded() : []),
      ];
      now = await this.#change(entries, await durable.removedIds());
      const [set, , state] = this.#keys;
      if (shared) await orUnavailable(() => this.#redis.send(set, ['HSET', state, 'f', run]));
      const all = parseScoredEntries(await this.#all());
      if (all.length > 0) await store.merge('timeline:global', { entries: all, floor: null });
    }
    if (!shared && (known?.epoch !== now.epoch || known.version !== now.version)) {
      await durable.remove(await this.removedIds());
      await durable.add(parseScoredEntries(await this.#all()));
    }
    this.#synced = { run, epoch: now.epoch, version: now.version };
  }

  /** What an earlier version stored only in the global timeline: everything that is not local. */
  async #unrecorded(): Promise<readonly TimelineEntry[]> {
    const keys = timelineKeys(this.#redis);
    const [global, local] = [keys.timeline('timeline:global'), keys.timeline('timeline:local')];
    const ofLocal = await orUnavailable(() => this.#redis.send(local, ['ZRANGE', local, '0', '-1']));
    const ofGlobal = await orUnavailable(() =>
      this.#redis.send(global, ['ZRANGE', global, '0', '-1', 'WITHSCORES']),
    );
    const localIds = new Set(toArray(ofLocal).map(String));
    return parseScoredEntries(ofGlobal).filter(({ id }) => !localIds.has(id));
  }

  #all(): Promise<RedisReply> {
    const [set] = this.#keys;
    return orUnavailable(() => this.#redis.send(set, ['ZRANGE', set, '0', '-1', 'WITHSCORES']));
  }

  async #change(entries: readonly TimelineEntry[], removed: readonly string[]): Promise<ChangeReply> {
    const { cap, clock } = this.#options;
    let answer: ChangeReply = { epoch: '', version: '', began: false, refused: [], filled: '' };
    for (let n = 0; n === 0 || n < entries.length || n < removed.length; n += DROPS_PER_SCRIPT) {
      const some = entries.slice(n, n + DROPS_PER_SCRIPT);
      const args = [
        cap,
        randomBytes(6).toString('hex'),
        clock.now(),
        some.length,
        ...some.flatMap(({ createdAt, id }) => [createdAt, id]),
        ...removed.slice(n, n + DROPS_PER_SCRIPT),
      ];
      const [epoch, version, began, refused, filled] = toArray(
        await orUnavailable(() => this.#redis.run(CHANGE_SCRIPT, this.#keys, args)),
      );
      answer = {
        epoch: String(epoch),
        version: String(version),
        began: answer.began || began === 1,
        refused: [...answer.refused, ...toArray(refused).map(String)],
        filled: String(filled),
      };
    }
    return answer;
  }
}

function parseScoredEntries(reply: RedisReply): readonly TimelineEntry[] {
  return parseEntries(toArray(reply).map(String));
}
