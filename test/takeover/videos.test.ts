import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FieldValue, Firestore, Timestamp } from '@google-cloud/firestore';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type App, type AppOptions, openApp } from '../../src/app/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { ItemKey } from '../../src/item/item.ts';
import { videoIdOf, videoKey } from '../../src/item/video.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Pipeline } from '../../src/pipelines/pipeline.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { FirestoreConnection } from '../../src/storage/firestore/connection.ts';
import { createEvents } from '../../src/telemetry/events.ts';
import { type LogFields, silentLogger } from '../../src/telemetry/logger.ts';
import { silentMetrics } from '../../src/telemetry/metrics.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/time/duration.ts';
import { skewedClock } from '../crash/skewed-clock.ts';
import { emulatorForThisFile, freshProject } from '../emulators.ts';
import { Program } from '../program.ts';
import { requires } from '../requirements.ts';
import { FirestoreRest, SERVER_TIME } from './firestore-rest.ts';
import {
  CHANNEL,
  COLLECTION,
  FORMS,
  feedOf,
  idsOf,
  PubSubRest,
  recorded,
  updated,
  videoData,
} from './videos.fixture.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const POLL = { timeout: 100_000, interval: 50 };
const NEVER = new AbortController().signal;
const TOPIC = 'kawaraban-videos';

/** The video tracker on what the original programs left, and still write, in one project. */
requires('gcloud')('videos of the original tracker', () => {
  const firestore = emulatorForThisFile('firestore');
  const pubsub = emulatorForThisFile('pubsub');
  let folder: string;
  let project: string;
  let original: FirestoreRest;
  let messages: PubSubRest;
  /** How far the clock of our program is ahead of Firestore's. */
  let offsetMs: number;
  /** The videos that the channel lists. */
  let shows: { readonly id: string; readonly at: number }[];
  let reads: number;
  let counted: Map<string, number>;
  /** Outcome of each delivery of the queue: an ID and `done` or `later`. */
  let handled: string[];
  let logged: { readonly text: string; readonly fields: LogFields }[];
  const open: AsyncDisposable[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-takeover-videos-'));
    project = freshProject();
    original = new FirestoreRest(firestore.host, project);
    messages = new PubSubRest(pubsub.host, project);
    offsetMs = 0;
    shows = [];
    reads = 0;
    counted = new Map();
    handled = [];
    logged = [];
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Settings {
    readonly queue?: 'ledger' | 'pubsub';
    readonly command?: readonly string[];
    readonly retryLimit?: number;
    readonly lease?: string;
  }

  function textOf({ queue = 'ledger', command, retryLimit = 3, lease = '2m' }: Settings): string {
    const log = join(folder, 'processed.txt');
    return JSON.stringify({
      engine: {
        kind: 'distributed',
        project,
        firestore: { emulator: firestore.host },
        pubsub: { emulator: pubsub.host },
      },
      timelines: { store: 'memory' },
      data: folder,
      server: { port: 0 },
      sources: { channel: { youtube: CHANNEL, every: '1s', look_back: '100h' } },
      retention: { enabled: true },
      pipelines: {
        videos: {
          kind: 'process',
          sources: ['channel'],
          queue,
          first_contact: { newest: 1000 },
          publish: [],
          processor: {
            command: command ?? ['sh', '-c', `line=$(cat); printf '%s\\n' "$line" >> ${log}`],
            concurrency: 2,
          },
          retention: { completed: '365d', failed: '90d' },
          retry_limit: retryLimit,
          lease,
          backoff: { first: '1s', factor: 1, most: '1s' },
        },
      },
    });
  }

  async function start(settings: Settings, more: Partial<AppOptions> = {}): Promise<App> {
    const loaded = parseConfig(textOf(settings), join(folder, 'kawaraban.yaml'), {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const log = (text: string, fields: LogFields = {}): void => void logged.push({ text, fields });
    const events = createEvents(
      { ...silentLogger, error: log },
      {
        ...silentMetrics,
        add(name, n, labels) {
          counted.set(name, (counted.get(name) ?? 0) + n);
          if (name === 'firestore_reads_total' && labels?.collection?.startsWith(COLLECTION)) reads += n;
        },
      },
    );
    const app = await openApp(loaded.config, {
      telemetry: { ...silentTelemetry, events },
      version: '0',
      clock: skewedClock(() => offsetMs),
      interpose: (infrastructure) => ({
        ...infrastructure,
        engine: Object.assign(Object.create(infrastructure.engine) as typeof infrastructure.engine, {
          queueFor: async (...args: Parameters<typeof infrastructure.engine.queueFor>): Promise<Queue> => {
            const queue = await infrastructure.engine.queueFor(...args);
            return {
              abilities: queue.abilities,
              enqueue: (items) => queue.enqueue(items),
              consume: (handle, options) =>
                queue.consume(async (delivery) => {
                  const outcome = await handle(delivery);
                  handled.push(`${videoIdOf(delivery.key)} ${outcome}`);
                  return outcome;
                }, options),
              [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
            };
          },
        }),
        // YouTube itself.
        fetcher: {
          fetch: async ({ url }) => ({
            outcome: 'response',
            status: 200,
            headers: {},
            body: Buffer.from(feedOf(shows)),
            url,
            movedTo: null,
            retryAt: null,
          }),
          async [Symbol.asyncDispose]() {},
        },
      }),
      ...more,
    });
    open.push(app);
    return app;
  }

  const now = (): number => Date.now() + offsetMs;
  const show = (...ids: readonly string[]): void => {
    shows = [...ids.map((id) => ({ id, at: now() - MINUTE })), ...shows];
  };
  const videosOf = (app: App): Pipeline => app.pipelines.get('videos') ?? expect.fail('no pipeline');
  /** IDs in the order in which the command got them. */
  const processed = (): string[] => {
    const log = join(folder, 'processed.txt');
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
    return lines
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { videoId: string }).videoId);
  };
  const status = async (id: string): Promise<unknown> => (await original.get(COLLECTION, id))?.data.status;
  const keyOf = (id: string): ItemKey => videoKey(id) ?? expect.fail('no key');

  /** Works until the condition holds. */
  async function workUntil(app: App, holds: () => Promise<void> | void): Promise<void> {
    const stop = new AbortController();
    const running = videosOf(app).runBackgroundWork(stop.signal);
    try {
      await vi.waitFor(holds, POLL);
    } finally {
      stop.abort();
      await running;
    }
  }

  async function run(app: App): Promise<void> {
    // The channel is due again.
    offsetMs += 10 * SECOND;
    expect(await videosOf(app).run(NEVER)).toMatchObject({ ran: true });
  }

  async function listed(app: App): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    let cursor: string | null = null;
    do {
      const page = await videosOf(app).ledger.list({ limit: 7, ...(cursor !== null && { cursor }) });
      for (const item of page.items) {
        const id = item.video?.videoId ?? item.key;
        expect(found[id]).toBeUndefined();
        found[id] = item.state;
      }
      cursor = page.next;
    } while (cursor !== null);
    return found;
  }

  async function recordMany(many: number, more: Readonly<Record<string, unknown>>): Promise<void> {
    const ids = Array.from({ length: many }, (_, n) => `v${String(n).padStart(10, '0')}`);
    for (let from = 0; from < many; from += 50)
      await Promise.all(
        ids.slice(from, from + 50).map((id) => original.set(COLLECTION, id, recorded(id, more))),
      );
  }

  it.each(['ledger', 'pubsub'] as const)(
    'X22 D1 D2 D3 D6 D9 D13 every form is known, processed, listed and swept as the original does it (queue: %s)',
    async (queue) => {
      for (const { id, data } of FORMS) await original.set(COLLECTION, id, data);
      const before = new Map((await original.list(COLLECTION)).map((found) => [found.id, found]));
      show(...FORMS.map(({ id }) => id).filter((id) => /^[\w-]{11}$/.test(id)), 'brandNew000');

      const first = await start({ queue });
      await run(first);
      const soon = [...idsOf('processed'), 'brandNew000'];
      await workUntil(first, async () => {
        expect(processed().toSorted()).toEqual(soon.toSorted());
        for (const id of soon) expect(await status(id)).toBe('completed');
      });
      const states = await listed(first);
      expect(Object.keys(states).toSorted()).toEqual([...before.keys(), 'brandNew000'].toSorted());
      for (const id of [...soon, ...idsOf('completed')]) expect([id, states[id]]).toEqual([id, 'published']);
      for (const id of idsOf('failed')) expect([id, states[id]]).toEqual([id, 'failed']);
      expect(states.workerLives).toBe('waiting');
      const dead = await videosOf(first).ledger.list({ states: ['failed'], limit: 100 });
      const details = Object.fromEntries(dead.items.map((item) => [item.video?.videoId, item.detail]));
      expect(details).toMatchObject({
        failedWords: 'no chapters',
        failedSnake: 'no subtitles',
        failedMute0: null,
        statusOther: 'unknown status: paused',
      });
      expect((await videosOf(first).ledger.counts()).byState).toMatchObject({
        waiting: 1,
        failed: idsOf('failed').length,
        published: soon.length + idsOf('completed').length,
      });

      // A second run over known videos, and one after a restart, read each video of the channel and no more.
      const lookUps = 2 * (shows.length + 1);
      for (const app of [first, await start({ queue })]) {
        show(app === first ? 'secondRound' : 'thirdRound0');
        reads = 0;
        await run(app);
        expect(reads).toBeLessThan(lookUps + 25);
        const id = app === first ? 'secondRound' : 'thirdRound0';
        await workUntil(app, async () => expect(await status(id)).toBe('completed'));
      }
      expect(processed()).toHaveLength(soon.length + 2);

      // The worker of the original may be at work for two hours; after that it counts as dead.
      offsetMs += 3 * HOUR;
      const later = await start({ queue });
      await run(later);
      await workUntil(later, async () => expect(await status('workerLives')).toBe('completed'));
      const all = [...soon, 'secondRound', 'thirdRound0', 'workerLives'];
      expect(processed().toSorted()).toEqual(all.toSorted());

      // What the original programs read of it: every field, in its type, and nothing that they wrote changed.
      for (const { id, data, types } of await original.list(COLLECTION)) {
        const { data: written = {}, types: writtenTypes = {} } = before.get(id) ?? {};
        const { status: _, updatedAt: __, ...lasting } = written;
        expect(data).toMatchObject(lasting);
        if (!all.includes(id)) {
          expect([id, data.status, data.updatedAt]).toEqual([id, written.status, written.updatedAt]);
          continue;
        }
        expect([id, data.status]).toEqual([id, 'completed']);
        expect([id, types]).toMatchObject([
          id,
          {
            videoId: 'stringValue',
            title: 'stringValue',
            channelId: 'stringValue',
            channelTitle: 'stringValue',
            publishedAt: 'stringValue',
            queuedAt: writtenTypes.queuedAt ?? 'timestampValue',
            updatedAt: 'timestampValue',
          },
        ]);
        expect(Date.parse(String(data.publishedAt))).not.toBeNaN();
      }

      // Completed after a year, failed after three months; neither is news again.
      offsetMs += 100 * DAY;
      const sweeping = await start({ queue });
      await sweeping.retention.sweep({ dryRun: false }, NEVER);
      const left = (await original.list(COLLECTION)).map(({ id }) => id);
      const old = ['queuedText0', 'workerDied0', 'completedTx'];
      expect(left.filter((id) => idsOf('failed').includes(id))).toEqual([]);
      expect(left).not.toContain('completedTx');
      expect(left).toEqual(expect.arrayContaining(idsOf('processed').filter((id) => !old.includes(id))));
      offsetMs += 300 * DAY;
      await sweeping.retention.sweep({ dryRun: false }, NEVER);
      expect(await original.list(COLLECTION)).toEqual([]);
      shows = FORMS.map(({ id }) => ({ id, at: now() - MINUTE })).filter(({ id }) => /^[\w-]{11}$/.test(id));
      await run(sweeping);
      expect(await original.list(COLLECTION)).toEqual([]);
      expect(processed()).toHaveLength(all.length);
    },
  );

  it('A19 D14 what the original records beside us is found without reading everything', async () => {
    await recordMany(340, updated('completed'));
    const app = await start({});
    reads = 0;
    await run(app);
    expect(reads).toBeLessThan(20);
    await original.set(COLLECTION, 'byOriginal0', recorded('byOriginal0'));
    reads = 0;
    await run(app);
    expect(reads).toBeLessThan(90);
    expect((await listed(app)).byOriginal0).toBe('waiting');
  });

  it('X22 a start that takes over many documents ends at once when it is stopped', async () => {
    await recordMany(310, {});
    const stop = new AbortController();
    const query = FirestoreConnection.prototype.query;
    let pages = 0;
    vi.spyOn(FirestoreConnection.prototype, 'query').mockImplementation(async function (
      this: FirestoreConnection,
      form,
      values,
    ) {
      if (form.collection === COLLECTION && ++pages === 1) stop.abort(new Error('stopped by SIGINT'));
      return query.call(this, form, values);
    });
    await expect(start({}, { signal: stop.signal })).rejects.toThrow('stopped by SIGINT');
    expect(pages).toBe(1);
  });

  it('X22 D10 the program from the command line processes them, and one Ctrl-C ends it', async () => {
    for (const { id, data } of FORMS) await original.set(COLLECTION, id, data);
    writeFileSync(join(folder, 'kawaraban.yaml'), textOf({}));
    const env = { METADATA_SERVER_DETECTION: 'none' };
    const program = new Program(['start'], env, folder);
    open.push({ [Symbol.asyncDispose]: () => program.kill() });
    await program.waitForOutput(/Ctrl-C stops it/);
    await vi.waitFor(() => expect(processed().toSorted()).toEqual(idsOf('processed').toSorted()), POLL);
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(0);
    const { out } = await new Program(['items', '--json', '--limit', '100'], env, folder).ended;
    for (const { id } of FORMS) expect(out).toContain(id);
  });

  describe('that another program changes', () => {
    it.each(['ledger', 'pubsub'] as const)(
      'X22 D2 D6 completed counts at any moment (queue: %s)',
      async (queue) => {
        show('whileQueued', 'asClaimed00', 'byUsOnly000');
        await original.set(COLLECTION, 'adopted0000', recorded('adopted0000'));
        const app = await start({ queue });
        await run(app);
        for (const id of ['whileQueued', 'adopted0000'])
          await original.update(COLLECTION, id, updated('completed'));
        const commit = FirestoreConnection.prototype.commit;
        let interfered = false;
        vi.spyOn(FirestoreConnection.prototype, 'commit').mockImplementation(async function (
          this: FirestoreConnection,
          writes,
        ) {
          const claimed = writes.find(({ at, do: does }) => at[1] === 'asClaimed00' && does === 'replace');
          if (
            !interfered &&
            claimed !== undefined &&
            'data' in claimed &&
            claimed.data.status === 'processing'
          ) {
            interfered = true;
            await original.update(COLLECTION, 'asClaimed00', updated('completed'));
          }
          return commit.call(this, writes);
        });
        await workUntil(app, async () => {
          expect(await status('byUsOnly000')).toBe('completed');
          expect(interfered).toBe(true);
          const states = await listed(app);
          expect(Object.values(states)).toEqual(['published', 'published', 'published', 'published']);
          if (queue === 'pubsub')
            for (const id of Object.keys(states)) expect(handled).toContain(`${id} done`);
        });
        expect(processed()).toEqual(['byUsOnly000']);
        for (const id of ['whileQueued', 'asClaimed00', 'adopted0000'])
          expect((await original.get(COLLECTION, id))?.types.updatedAt).toBe('timestampValue');
        if (queue === 'pubsub') expect(await messages.pull(TOPIC)).toEqual([]);
      },
    );

    it('X22 D2 D6 completed while our own worker processes ends the work, and stays', async () => {
      show('beingWorked');
      const command = ['sh', '-c', `cat > /dev/null; echo x >> ${folder}/started; exec sleep 600`];
      const app = await start({ command, lease: '6s' });
      await run(app);
      const beginnings = (): string =>
        existsSync(join(folder, 'started')) ? readFileSync(join(folder, 'started'), 'utf8') : '';
      await workUntil(app, async () => {
        expect(beginnings()).toBe('x\n');
        if ((await status('beingWorked')) === 'processing')
          await original.update(COLLECTION, 'beingWorked', updated('completed'));
        expect(counted.get('kawaraban_claims_lost_total')).toBe(1);
        expect(await listed(app)).toEqual({ beingWorked: 'published' });
      });
      expect(await status('beingWorked')).toBe('completed');
      await run(app);
      expect(beginnings()).toBe('x\n');
    });

    it.each(['ledger', 'pubsub'] as const)(
      'X22 D6 D8 D9 processing and failed, as the original’s worker writes them, are continued (queue: %s)',
      async (queue) => {
        show('byTheirs000');
        await original.set(COLLECTION, 'failedThere', recorded('failedThere', updated('failed')));
        const app = await start({ queue });
        await run(app);
        expect(await status('byTheirs000')).toBe('queued');
        await original.update(COLLECTION, 'byTheirs000', updated('processing'));
        await run(app);
        const ledger = videosOf(app).ledger as Ledger;
        expect(await ledger.claim(keyOf('byTheirs000'), { owner: 'us', leaseMs: 1000 })).toBeNull();
        expect(await status('byTheirs000')).toBe('processing');
        await original.update(COLLECTION, 'byTheirs000', updated('failed', 'no chapters'));
        await run(app);
        const dead = await ledger.list({ states: ['failed'], limit: 9 });
        expect(dead.items.map(({ attempts, detail, reason }) => [attempts, detail, reason])).toEqual([
          [1, 'no chapters', 'processor_failed'],
          [1, null, 'processor_failed'],
        ]);
        for (const { key } of dead.items)
          expect(await videosOf(app).retryItem(key, 'owner')).toMatchObject({ done: true });
        await workUntil(app, async () => {
          for (const id of ['byTheirs000', 'failedThere']) expect(await status(id)).toBe('completed');
        });
        expect(processed().toSorted()).toEqual(['byTheirs000', 'failedThere']);
      },
    );
  });

  describe('as messages of Pub/Sub', () => {
    it('X22 D1 D3 the original’s worker can read what we publish', async () => {
      show('ourMessage0');
      const app = await start({ queue: 'pubsub' });
      await run(app);
      const bodies = await messages.pull(TOPIC);
      expect(bodies).toHaveLength(1);
      const body = JSON.parse(bodies[0] ?? '') as Record<string, unknown>;
      expect(body).toEqual({
        videoId: 'ourMessage0',
        title: 'Video ourMessage0',
        channelId: CHANNEL,
        channelTitle: 'A channel',
        publishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
        status: 'queued',
        queuedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      });
      expect(body.publishedAt).toBe((await original.get(COLLECTION, 'ourMessage0'))?.data.publishedAt);
    });

    it('X22 D6 D9 the original’s messages are accepted, and completed videos are skipped', async () => {
      await original.set(COLLECTION, 'queuedMsg00', recorded('queuedMsg00'));
      await original.set(COLLECTION, 'doneMsg0000', recorded('doneMsg0000', updated('completed')));
      await original.set(
        COLLECTION,
        'failedMsg00',
        recorded('failedMsg00', updated('failed', 'no chapters')),
      );
      const app = await start({ queue: 'pubsub' });
      // Topic and subscription are created on first use.
      await run(app);
      const body = (videoId: string): object => ({ videoId, ...videoData(videoId) });
      await messages.publish(
        TOPIC,
        body('queuedMsg00'),
        body('doneMsg0000'),
        body('failedMsg00'),
        { ...body('moreFields0'), duration: 12, tags: ['a'], key: 'x', nested: { videoId: 'no' } },
        { videoId: 'onlyTheId00' },
        { videoId: 'test' },
        body('twiceSent00'),
        body('twiceSent00'),
      );
      const expected = ['queuedMsg00', 'failedMsg00', 'moreFields0', 'onlyTheId00', 'test', 'twiceSent00'];
      await workUntil(app, async () => {
        expect(processed().toSorted()).toEqual(expected.toSorted());
        for (const id of expected) expect(await status(id)).toBe('completed');
        expect(handled).toContain('doneMsg0000 done');
        // A second message that arrives while the first one is processed is redelivered, and skipped then.
        for (const twice of ['twiceSent00 done', 'queuedMsg00 done'])
          expect(handled.filter((line) => line === twice)).toHaveLength(2);
      });
      expect(await messages.pull(TOPIC)).toEqual([]);
      const { data, types } = (await original.get(COLLECTION, 'moreFields0')) ?? expect.fail('no document');
      expect(data).toMatchObject({ videoId: 'moreFields0', ...videoData('moreFields0') });
      expect(types).toMatchObject({ publishedAt: 'stringValue', queuedAt: 'timestampValue' });
    });

    it('X22 D7 messages of our own earlier versions are accepted', async () => {
      await original.set(COLLECTION, 'earlierOne0', recorded('earlierOne0'));
      const app = await start({ queue: 'pubsub' });
      await run(app);
      await messages.pull(TOPIC);
      await messages.publish(TOPIC, 'https://www.youtube.com/watch?v=earlierOne0');
      await workUntil(app, async () => expect(await status('earlierOne0')).toBe('completed'));
      expect(processed()).toEqual(['earlierOne0']);
      expect(await messages.pull(`${TOPIC}-dead`)).toEqual([]);
    });

    it('D9 X15 a message that names no video is dead-lettered once, logged and counted', async () => {
      show('makesTopic0');
      const app = await start({ queue: 'pubsub' });
      await run(app);
      const bad = ['nonsense', '[1]', '"x"', '{}', '{"videoId":7}', '{"videoId":"a/b"}', '{"video_id":"x"}'];
      await messages.publish(TOPIC, ...bad, { videoId: 'goodOne0000' });
      const dead: string[] = [];
      await workUntil(app, async () => {
        dead.push(...(await messages.pull(`${TOPIC}-dead`)));
        expect(dead.toSorted()).toEqual(bad.toSorted());
        for (const id of ['goodOne0000', 'makesTopic0']) expect(await status(id)).toBe('completed');
      });
      expect(counted.get('kawaraban_malformed_messages_total')).toBe(bad.length);
      const warnings = logged.filter(({ text }) => text.startsWith('Malformed queue message'));
      expect(new Set(warnings.map(({ fields }) => fields.detail))).toEqual(
        new Set([
          'the body is not a JSON object',
          'the body has no videoId',
          'no video can have the videoId "a/b"',
        ]),
      );
      expect(await messages.pull(TOPIC)).toEqual([]);
    });
  });

  describe('and their times', () => {
    it('X22 D1 queuedAt and updatedAt are Firestore’s, every change moves updatedAt, publishedAt is a text', async () => {
      // Our clock is wrong by a hundred days.
      offsetMs = 100 * DAY;
      shows = [{ id: 'timesOfIt00', at: Date.UTC(2026, 0, 1, 10) }];
      const gate = join(folder, 'gate');
      const command = [
        'sh',
        '-c',
        `cat > /dev/null; until test -e ${gate}; do sleep 0.05; done; exit $(cat ${gate})`,
      ];
      const config = { command, retryLimit: 0 };
      offsetMs = Date.UTC(2026, 0, 1, 11) - Date.now();
      const app = await start(config);
      const began = Date.now();
      const seen: Record<string, unknown>[] = [];
      const checkReads = async (): Promise<void> => {
        const found = (await original.get(COLLECTION, 'timesOfIt00')) ?? expect.fail('no document');
        expect(found.types).toMatchObject({
          publishedAt: 'stringValue',
          queuedAt: 'timestampValue',
          updatedAt: 'timestampValue',
        });
        seen.push(found.data);
      };
      await run(app);
      await checkReads();
      expect(seen[0]).toMatchObject({ status: 'queued', publishedAt: '2026-01-01T10:00:00Z' });
      await workUntil(app, async () => {
        if ((await status('timesOfIt00')) === 'processing' && seen.length === 1) {
          await checkReads();
          writeFileSync(gate, '1');
        }
        expect(await status('timesOfIt00')).toBe('failed');
      });
      await checkReads();
      rmSync(gate);
      writeFileSync(gate, '0');
      await videosOf(app).retryItem(keyOf('timesOfIt00'), 'owner');
      await checkReads();
      const next = await start(config);
      await workUntil(next, async () => expect(await status('timesOfIt00')).toBe('completed'));
      await checkReads();
      expect(seen.map((data) => data.status)).toEqual([
        'queued',
        'processing',
        'failed',
        'queued',
        'completed',
      ]);
      const times = seen.map((data) => Date.parse(String(data.updatedAt)));
      expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
      expect(new Set(seen.map((data) => data.queuedAt)).size).toBe(1);
      for (const time of [...times, Date.parse(String(seen[0]?.queuedAt))])
        expect(Math.abs(time - began)).toBeLessThan(DAY);
      expect(seen[2]).toMatchObject({ errorMessage: expect.stringContaining('exit code 1'), attempts: 1 });
    });

    it('X22 documents of our own earlier versions keep working', async () => {
      show('earlier0000', 'earlierDone');
      const app = await start({});
      await run(app);
      // As an earlier version wrote them: a timestamp of publication, times of our own clock, no record of what was written.
      const db = new Firestore({ projectId: project, host: firestore.host, ssl: false });
      open.push({ [Symbol.asyncDispose]: () => db.terminate() });
      for (const id of ['earlier0000', 'earlierDone'])
        await db
          .collection(COLLECTION)
          .doc(id)
          .update({
            publishedAt: Timestamp.fromMillis(Date.UTC(2026, 0, 1)),
            queuedAt: Timestamp.fromMillis(now()),
            updatedAt: Timestamp.fromMillis(now()),
            'ledger.wrote': FieldValue.delete(),
          });
      await original.update(COLLECTION, 'earlierDone', { status: 'completed', updatedAt: SERVER_TIME });
      const next = await start({});
      expect((await listed(next)).earlierDone).toBe('published');
      await workUntil(next, async () => expect(await status('earlier0000')).toBe('completed'));
      expect(processed()).toEqual(['earlier0000']);
      const read = await original.get(COLLECTION, 'earlier0000');
      expect(read?.types).toMatchObject({ publishedAt: 'stringValue', queuedAt: 'timestampValue' });
    });
  });
});
