import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { forThisFile, startRedis } from '../../../test/redis.ts';
import { requires } from '../../../test/requirements.ts';
import { type Events, silentEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import type { Change, DropEvent } from '../../timelines/change-feed.ts';
import { describeEventDelivery } from '../../timelines/contract/event-delivery-contract.ts';
import { TimelinesUnavailableError } from '../../timelines/timeline-store.ts';
import { MemoryChangeFeed } from '../memory/change-feed.ts';
import { RedisConnection, RedisUnavailableError } from './connection.ts';
import { RedisEventLog } from './event-log.ts';

requires('redis-server')('the event log in Redis', () => {
  const redis = forThisFile(() => startRedis());
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-log-'));
  const opened: AsyncDisposable[] = [];
  let prefixes = 0;
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  type Malformed = Parameters<Events['dropEventHandled']>[0];
  async function open(
    prefix: string,
    options: { claimAfterMs?: number; reported?: Malformed[]; clock?: Clock } = {},
  ) {
    const { reported = [], clock = systemClock, ...rest } = options;
    const log = silentLogger;
    const connection = await RedisConnection.open({
      nodes: [redis().address],
      prefix,
      clock,
      log,
      events: silentEvents,
      timeoutMs: 1500,
    });
    opened.push(connection);
    const events = { dropEventHandled: (event: Malformed) => void reported.push(event) };
    const spool = join(folder, `${prefix}-${opened.length}.jsonl`);
    const made = new RedisEventLog({ connection, clock, log, events, spoolFile: spool, ...rest });
    opened.push(made);
    return Object.assign(made, { spoolFile: spool });
  }
  const fresh = (): string => `p${++prefixes}:`;

  describeEventDelivery('Redis', async () => {
    const prefix = fresh();
    const replica = async () => ({ events: await open(prefix), feed: new MemoryChangeFeed(systemClock) });
    return { ...(await replica()), other: await replica(), passTime: (ms) => systemClock.sleep(ms) };
  });

  function collect(log: RedisEventLog): { events: Change[]; stop(): Promise<void> } {
    const events: Change[] = [];
    const stop = new AbortController();
    const reading = log.consume(
      'g',
      async (event) => {
        events.push(event);
        return undefined;
      },
      stop.signal,
    );
    return {
      events,
      async stop() {
        stop.abort();
        await reading;
      },
    };
  }
  const POLL = { timeout: 60_000, interval: 20 };
  const listeners = async (prefix: string): Promise<number> => {
    const [, count] = (await redis().command('PUBSUB', 'NUMSUB', `${prefix}drop_created`)) as [
      string,
      number,
    ];
    return Number(count);
  };
  const created = (id: string): DropEvent => ({
    type: 'drop_created',
    drop_id: id,
    user_id: 'u',
    visibility: 'public',
    created_at: 7,
  });

  it('C2 an appended event is published on its channel, in the format of the contract', async () => {
    const log = await open('');
    const received: string[] = [];
    const listener = await RedisConnection.open({
      nodes: [redis().address],
      clock: systemClock,
      log: silentLogger,
      events: silentEvents,
    });
    opened.push(listener);
    const channels = ['drop_created', 'drop_deleted', 'ap_drop_received', 'followed', 'unfollowed'];
    await listener.subscribe(channels, (message, channel) => {
      received.push(`${channel} ${message}`);
    });
    await log.append(created('d1'));
    await log.append({ type: 'drop_deleted', drop_id: 'd1', user_id: 'u' });
    await log.append({ type: 'ap_drop_received', drop_id: 'r1', created_at: 9 });
    await log.append({ type: 'followed', user_id: 'u', author_id: 'v' });
    await expect
      .poll(() => received, POLL)
      .toEqual([
        'drop_created {"drop_id":"d1","user_id":"u","visibility":"public","created_at":7}',
        'drop_deleted {"drop_id":"d1","user_id":"u"}',
        'ap_drop_received {"drop_id":"r1","created_at":9}',
        'followed {"user_id":"u","author_id":"v","logged":true}',
      ]);
  });

  it('C2 an event that another program publishes is handled once, however many replicas receive it', async () => {
    const prefix = fresh();
    const [one, two] = [await open(prefix), await open(prefix)];
    const [first, second] = [collect(one), collect(two)];
    await expect.poll(() => listeners(prefix), POLL).toBe(2);
    await redis().command(
      'PUBLISH',
      `${prefix}drop_created`,
      JSON.stringify({ ...created('x'), type: undefined }),
    );
    await redis().command('PUBLISH', `${prefix}drop_deleted`, '{"drop_id":"x","user_id":"u","more":[1]}');
    await redis().command(
      'PUBLISH',
      `${prefix}ap_drop_received`,
      '{"drop_id":"r","created_at":"2026-01-01T00:00:00Z"}',
    );
    const all = (): string[] => [...first.events, ...second.events].map((event) => event.type).toSorted();
    await expect.poll(all, POLL).toEqual(['ap_drop_received', 'drop_created', 'drop_deleted']);
    await one.append(created('y'));
    await expect.poll(() => all().length, POLL).toBe(4);
    // A duplicate would have been handled before this event.
    await one.append(created('z'));
    await expect.poll(() => all().length, POLL).toBeGreaterThanOrEqual(5);
    expect(all()).toHaveLength(5);
    await Promise.all([first.stop(), second.stop()]);
  });

  const MALFORMED = [
    ['not JSON', 'drop_created', 'hello'],
    ['truncated JSON', 'drop_created', '{"drop_id":"d"'],
    ['a list', 'drop_created', '[]'],
    ['an empty payload', 'drop_deleted', ''],
    ['null', 'drop_deleted', 'null'],
    ['a missing field', 'drop_created', '{"drop_id":"d","user_id":"u","visibility":"public"}'],
    ['a wrong visibility', 'drop_created', '{"drop_id":"d","user_id":"u","visibility":"all","created_at":1}'],
    ['an invalid time', 'ap_drop_received', '{"drop_id":"d","created_at":"soon"}'],
    ['a negative time', 'ap_drop_received', '{"drop_id":"d","created_at":-5}'],
    ['an ID that is no string', 'drop_deleted', '{"drop_id":{"a":1},"user_id":"u"}'],
    ['an ID with spaces', 'drop_deleted', '{"drop_id":"a b","user_id":"u"}'],
    ['an empty ID', 'drop_deleted', '{"drop_id":"","user_id":"u"}'],
    ['an ID that is too long', 'drop_deleted', `{"drop_id":"${'d'.repeat(5000)}","user_id":"u"}`],
    ['an unknown type', 'drop_eaten', '{"drop_id":"d"}'],
    ['a property of Object', 'constructor', '{"drop_id":"d"}'],
    ['broken characters', 'drop_created', '\ud800\u0000'],
  ] as const;

  it('C2 a malformed event of every kind is counted and dropped, in the log and on the channels', async () => {
    const prefix = fresh();
    const reported: Malformed[] = [];
    const log = await open(prefix, { reported });
    const { events, stop } = collect(log);
    await expect.poll(() => listeners(prefix), POLL).toBe(1);
    for (const [, type, payload] of MALFORMED)
      await redis().command('XADD', `${prefix}timeline_log`, '*', 'type', type, 'event', payload);
    await redis().command('XADD', `${prefix}timeline_log`, '*', 'quite', 'another entry');
    const overChannels = MALFORMED.filter(([, type]) => /^drop_(created|deleted)$|^ap_/.test(type));
    for (const [, type, payload] of overChannels)
      await redis().command('PUBLISH', `${prefix}${type}`, payload);
    await log.append(created('good'));
    const expected = MALFORMED.length + 1 + overChannels.length;
    await expect
      .poll(() => reported.filter(({ outcome }) => outcome === 'malformed').length, POLL)
      .toBe(expected);
    await expect.poll(() => events, POLL).toEqual([created('good')]);
    await expect.poll(() => log.waiting('g'), POLL).toBe(0);
    await stop();
  });

  it('C12 the events of a dead replica are claimed by another', async () => {
    const prefix = fresh();
    const claimAfterMs = 300;
    const dying = await open(prefix, { claimAfterMs });
    const dead = new AbortController();
    let began = 0;
    // Never resolves, as in a killed process.
    const never = dying.consume(
      'g',
      () => {
        began += 1;
        return new Promise(() => {});
      },
      dead.signal,
    );
    for (let n = 0; n < 5; n++) await dying.append({ ...created(`${n}`), user_id: `u${n}` } as DropEvent);
    await expect.poll(() => began, POLL).toBe(5);
    dead.abort();
    const successor = collect(await open(prefix, { claimAfterMs }));
    await expect
      .poll(() => successor.events.map((e) => ('drop_id' in e ? e.drop_id : '')).toSorted(), POLL)
      .toEqual(['0', '1', '2', '3', '4']);
    await successor.stop();
    void never;
  });

  it('C12 a replica with a long-running event sends heartbeats and keeps its events', async () => {
    const prefix = fresh();
    const claimAfterMs = 20_000;
    const busy = await open(prefix, { claimAfterMs });
    const stop = new AbortController();
    let finish = (): void => {};
    const long = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const done: string[] = [];
    const reading = busy.consume(
      'g',
      async (event) => async () => {
        await long;
        done.push('drop_id' in event ? event.drop_id : '');
      },
      stop.signal,
    );
    await busy.append(created('long'));
    await expect.poll(() => busy.waiting('g'), POLL).toBe(1);
    const pending = async (): Promise<number> => {
      const command = ['XPENDING', `${prefix}timeline_log`, 'g', '-', '+', '1'];
      const [entry] = (await redis().command(...command)) as [string, string, number, number][];
      return entry?.[2] ?? 0;
    };
    // Its idle time grows, until the heartbeat resets it.
    await expect.poll(pending, POLL).toBeGreaterThan(500);
    await expect.poll(pending, { timeout: 15_000, interval: 5 }).toBeLessThan(500);
    finish();
    await expect.poll(() => done, POLL).toEqual(['long']);
    await expect.poll(() => busy.waiting('g'), POLL).toBe(0);
    stop.abort();
    await reading;
  });

  it('C12 unfinished events of a killed replica are claimed well within a minute', async () => {
    const prefix = fresh();
    const log = await open(prefix);
    const stream = `${prefix}timeline_log`;
    await redis().command('XGROUP', 'CREATE', stream, 'g', '0', 'MKSTREAM');
    await log.append(created('unfinished'));
    const read = ['XREADGROUP', 'GROUP', 'g', 'dead', 'COUNT', '1', 'STREAMS', stream, '>'];
    const [[, [[id]]]] = (await redis().command(...read)) as [[string, [[string]]]];
    // Simulates that it has been idle for 9 seconds.
    await redis().command('XCLAIM', stream, 'g', 'dead', '0', id, 'IDLE', '9000', 'JUSTID');
    const { events, stop } = collect(log);
    await expect.poll(() => events, { ...POLL, timeout: 40_000 }).toEqual([created('unfinished')]);
    await stop();
  }, 120_000);

  it('C20 a drop waits for the earlier one of another replica, also where Redis does not answer at first', async () => {
    const prefix = fresh();
    const stream = `${prefix}timeline_log`;
    const log = await open(prefix);
    await redis().command('XGROUP', 'CREATE', stream, 'g', '0', 'MKSTREAM');
    await log.append(created('1'));
    const read = ['XREADGROUP', 'GROUP', 'g', 'other', 'COUNT', '1', 'STREAMS', stream, '>'];
    const [[, [[id]]]] = (await redis().command(...read)) as [[string, [[string]]]];
    await log.append(created('2'));
    const [connection] = opened as [RedisConnection];
    const run = connection.run.bind(connection);
    let queries = 0;
    vi.spyOn(connection, 'run').mockImplementation(async (script, ...rest) => {
      if (script.name !== 'elsewhere') return run(script, ...rest);
      queries += 1;
      if (queries <= 3) throw new RedisUnavailableError('EVALSHA', 'timed out');
      return run(script, ...rest);
    });
    const { events, stop } = collect(log);
    await expect.poll(() => queries, POLL).toBeGreaterThan(5);
    expect(events).toEqual([]);
    await redis().command('XACK', stream, 'g', id);
    await expect.poll(() => events, POLL).toEqual([created('2')]);
    await stop();
  });

  it('C12 an event that fails is retried within 20 seconds, however often it failed', async () => {
    const slept: number[] = [];
    const sleep: Clock['sleep'] = (ms, signal) => {
      slept.push(ms);
      return systemClock.sleep(Math.min(ms, 5), signal);
    };
    const log = await open(fresh(), { clock: { ...systemClock, sleep } });
    const stop = new AbortController();
    let tries = 0;
    const reading = log.consume(
      'g',
      async () => {
        tries += 1;
        throw new TimelinesUnavailableError();
      },
      stop.signal,
    );
    await log.append(created('x'));
    await expect.poll(() => tries, POLL).toBeGreaterThan(20);
    expect(Math.max(...slept)).toBeLessThanOrEqual(20_000);
    stop.abort();
    await reading;
  });

  /** Relays a feed and handles what is in the log. */
  function deliver(log: RedisEventLog) {
    const feed = new MemoryChangeFeed(systemClock);
    const ids: string[] = [];
    const stop = new AbortController();
    const delivering = log.deliver(
      feed,
      async (event) => {
        ids.push('drop_id' in event ? event.drop_id : event.type);
        return undefined;
      },
      stop.signal,
    );
    return {
      feed,
      // Events in progress when Redis died may be delivered twice; that does not change the order.
      ids: () => [...new Set(ids)],
      async stop() {
        stop.abort();
        await delivering;
      },
    };
  }

  it('C12 changes made while Redis is down stay in the feed and are delivered afterwards, in order', async () => {
    const { feed, ids, stop } = deliver(await open(fresh()));
    await feed.append(created('before'));
    await expect.poll(ids, POLL).toEqual(['before']);
    await redis().kill();
    for (let n = 0; n < 20; n++) await feed.append(created(`down${n}`));
    expect(await feed.waiting()).toBe(20);
    await redis().start();
    await expect.poll(ids, POLL).toEqual(['before', ...Array.from({ length: 20 }, (_, n) => `down${n}`)]);
    await stop();
  }, 240_000);

  it('C12 X22 the file of events of the previous version is appended once, before later changes, and removed', async () => {
    const log = await open(fresh());
    const lines = ['1', '2', '3'].map((id) => {
      const { type, ...payload } = created(id);
      return `${type} ${JSON.stringify(payload)}`;
    });
    mkdirSync(folder, { recursive: true });
    writeFileSync(log.spoolFile, `${lines.join('\n')}\ndrop_created {"drop_id":"cut o`);
    const { feed, ids, stop } = deliver(log);
    await feed.append(created('4'));
    await expect.poll(ids, POLL).toEqual(['1', '2', '3', '4']);
    expect(existsSync(log.spoolFile)).toBe(false);
    await stop();
  });

  it('C12 a consumer that is 3,000 events behind catches up without losing any', async () => {
    const prefix = fresh();
    const log = await open(prefix);
    for (let n = 0; n < 3_000; n += 500)
      await Promise.all(Array.from({ length: 500 }, (_, i) => log.append(created(`${n + i}`))));
    const other = collect(log);
    const ids = (): Set<string> =>
      new Set(other.events.map((event) => ('drop_id' in event ? event.drop_id : '')));
    await expect.poll(() => ids().size, { timeout: 110_000, interval: 200 }).toBe(3_000);
    await expect.poll(() => log.waiting('g'), POLL).toBe(0);
    await other.stop();
  }, 240_000);
});
