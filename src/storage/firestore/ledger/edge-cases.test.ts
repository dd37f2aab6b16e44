import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../../test/emulators.ts';
import { requires } from '../../../../test/requirements.ts';
import type { ItemKey, Sighting } from '../../../item/item.ts';
import {
  keyOf,
  LEASE_MS,
  POLICY,
  present,
  sighting,
  transition,
  verdict,
} from '../../../ledger/contract/subject.ts';
import { MAX_HISTORY } from '../../../ledger/item-record.ts';
import { queueContract } from '../../../queue/contract/queue.ts';
import { LedgerQueue } from '../../../queue/ledger-queue.ts';
import { StalledLeaseDetector } from '../../../scheduler/lease.ts';
import { silentEvents } from '../../../telemetry/events.ts';
import { type Clock, systemClock } from '../../../time/clock.ts';
import { SECOND } from '../../../time/duration.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { FirestoreConnection } from '../connection.ts';
import { FirestoreRelay } from '../relay.fixture.ts';
import { FOREIGN_WORKER_MS, idOfVideo } from './layouts.ts';
import { openFirestoreLedger } from './open-ledger.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('gcloud')('the Firestore ledger in hard cases', () => {
  const emulator = emulatorForThisFile('firestore');
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  });

  function open(layout: 'items' | 'videos', clock: Clock, project = freshProject(), host = emulator.host) {
    return openOn(
      layout,
      clock,
      new FirestoreConnection({ project, emulator: host, clock, events: silentEvents }),
    );
  }

  function openOn(layout: 'items' | 'videos', clock: Clock, connection: FirestoreConnection) {
    opened.push(connection);
    return { ...openFirestoreLedger({ connection, layout, clock, policy: POLICY }), connection };
  }

  it('X21 many workers that finish at the same moment do not block each other', async () => {
    const project = freshProject();
    const workers = [open('videos', systemClock, project), open('videos', systemClock, project)];
    const [{ ledger, outbox }] = workers as [(typeof workers)[0]];
    const names = Array.from({ length: 24 }, (_, n) => `v${n}`);
    await ledger.admit(
      names.map((name) => sighting(name)),
      {},
    );
    const finish = async (name: string, nth: number): Promise<string> => {
      const worker = present(workers[nth % 2] ?? null).ledger;
      const claim = present(await worker.claim(keyOf(name), { owner: `w${nth}`, leaseMs: 10 * SECOND }));
      const publish = transition(claim.item, { type: 'publish' }, systemClock.now());
      const messages = [{ key: name, itemKeys: [keyOf(name)], destination: 'd', body: 'b' }];
      return worker.record(claim, publish, { messages });
    };
    expect(new Set(await Promise.all(names.map(finish)))).toEqual(new Set(['recorded']));
    expect((await outbox.counts()).intended).toBe(24);
  });

  describe('when a call was applied and its reply was lost', () => {
    let relay: FirestoreRelay;
    let clock: ManualClock;
    let stores: ReturnType<typeof open>;
    beforeEach(async () => {
      relay = await new FirestoreRelay(emulator.host).start();
      opened.push(relay);
      clock = new ManualClock();
      stores = open('items', clock, freshProject(), relay.address);
    });

    /** Runs, loses the reply of the commit, and lets the five seconds pass. */
    async function losing<T>(
      run: () => Promise<T>,
      method: 'Commit' | 'BatchGetDocuments' = 'Commit',
    ): Promise<T> {
      relay.loseNext(method);
      const running = run();
      await vi.waitFor(() => expect(clock.sleeping).toBe(1), { timeout: 60_000 });
      await clock.advance(5 * SECOND);
      return running;
    }
    const ask = { owner: 'w', leaseMs: LEASE_MS };

    it('X2 D3 the retried admission reports the item as new', async () => {
      const asked = [sighting('a'), sighting('b')];
      expect(await losing(() => stores.ledger.admit(asked, {}))).toEqual(['new', 'new']);
      expect(await stores.ledger.admit(asked, {})).toEqual(['known', 'known']);
    });

    it('X2 a read whose reply was lost is retried', async () => {
      expect(await losing(() => stores.ledger.known([keyOf('a')]), 'BatchGetDocuments')).toEqual(new Set());
    });

    it('X2 our own claim is recognised as ours', async () => {
      await stores.ledger.admit([sighting('a')], {});
      const claim = present(await losing(() => stores.ledger.claimNext(ask)));
      expect(claim).toMatchObject({ owner: 'w', token: 1 });
      const publish = transition(claim.item, { type: 'publish' }, clock.now());
      expect(await stores.ledger.record(claim, publish)).toBe('recorded');
    });

    it('X2 so are a claim by key, a renewal and a release', async () => {
      await stores.ledger.admit([sighting('a')], {});
      const claim = present(await losing(() => stores.ledger.claim(keyOf('a'), ask)));
      const renewed = present(await losing(() => stores.ledger.renew(claim, LEASE_MS)));
      expect(renewed.token).toBe(claim.token);
      await losing(() => stores.ledger.release(claim));
      expect((await stores.ledger.claimNext(ask))?.token).toBe(claim.token + 1);
    });

    it('A12 a step is stored once, with its message', async () => {
      await stores.ledger.admit([sighting('a'), sighting('b')], {});
      const messages = [{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }];
      for (const [name, step] of [
        ['b', {}],
        ['a', { messages }],
      ] as const) {
        const claim = present(await stores.ledger.claim(keyOf(name), ask));
        const accept = transition(claim.item, { type: 'accept' }, clock.now());
        expect(await losing(() => stores.ledger.record(claim, accept, step))).toBe('recorded');
        expect((await stores.ledger.history(keyOf(name))).map(({ event }) => event)).toEqual([
          'admit',
          'accept',
        ]);
      }
      expect(await stores.outbox.ofItem(keyOf('a'))).toHaveLength(1);
    });

    it('X2 a message is enqueued, claimed, marked and finished once', async () => {
      const messages = [{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }];
      expect(await losing(() => stores.outbox.enqueue(messages))).toBe('there');
      const claim = present(await losing(() => stores.outbox.claimNext('d', 'w', LEASE_MS)));
      expect(claim.token).toBe(1);
      expect(await losing(() => stores.outbox.markSending(claim))).toBe('marked');
      expect(await losing(() => stores.outbox.finish(claim, { state: 'sent', remoteId: '5' }))).toBe(
        'finished',
      );
      expect(await stores.outbox.ofItem(keyOf('a'))).toMatchObject([{ attempts: 1, state: 'sent' }]);
    });

    it('D9 a person’s decision is applied once and reported as applied, on an item and on a message', async () => {
      await stores.ledger.admit([sighting('a')], {});
      const park = { type: 'park', reason: 'by_person' } as const;
      const parked = await losing(() => stores.ledger.intervene(keyOf('a'), park, 'maria'));
      expect(parked).toMatchObject({ done: true, item: { state: 'parked' } });
      const again = await losing(() => stores.ledger.intervene(keyOf('a'), { type: 'requeue' }, 'maria'));
      expect(again).toMatchObject({ done: true, item: { state: 'waiting' } });
      expect((await stores.ledger.history(keyOf('a'))).map(({ event }) => event)).toEqual([
        'admit',
        'park',
        'requeue',
      ]);
      await stores.outbox.enqueue([{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }]);
      const claim = present(await stores.outbox.claimNext('d', 'w', LEASE_MS));
      await stores.outbox.finish(claim, { state: 'refused', detail: 'no' });
      expect(await losing(() => stores.outbox.decide('k', 'again', 'maria'))).toBe(true);
      expect(await stores.outbox.ofItem(keyOf('a'))).toMatchObject([{ state: 'intended' }]);
    });

    it('D7 items that were handed over are marked', async () => {
      await stores.ledger.admit([sighting('a')], { handOver: true });
      await losing(() => stores.ledger.markHandedOver([keyOf('a')]));
      expect(await stores.ledger.pendingHandOver({ limit: 9 })).toEqual([]);
    });

    it('X14 loaded records count as loaded, and are stored once', async () => {
      const other = open('items', clock);
      await other.ledger.admit([sighting('a'), sighting('b')], {});
      await other.outbox.enqueue([{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }]);
      const records = await all(other.ledger.dump());
      expect(await losing(() => stores.ledger.load(records))).toEqual(['loaded', 'loaded', 'loaded']);
      expect(await stores.ledger.load(records)).toEqual(['there', 'there', 'there']);
      expect(await all(stores.ledger.dump())).toEqual(records);
    });

    it('A14 a sweep continues, and no swept item becomes new', async () => {
      await stores.ledger.admit([sighting('a')], {});
      const claim = present(await stores.ledger.claimNext(ask));
      await stores.ledger.record(claim, transition(claim.item, { type: 'publish' }, clock.now()));
      await clock.advance(LEASE_MS);
      const plan = { keep: { published: SECOND }, keepTombstones: 1e12, dryRun: false };
      await losing(() => stores.ledger.sweep(plan));
      expect(await stores.ledger.admit([sighting('a')], {})).toEqual(['swept']);
    });
  });

  describe('as its own queue', () => {
    queueContract(async () => {
      const { ledger } = open('videos', systemClock);
      const queue = new LedgerQueue({ ledger, clock: systemClock, pollMs: 50, retryDelayMs: 5 });
      return {
        queue,
        async enqueueNew(...names) {
          const sightings = names.map((name) => sighting(name));
          await ledger.admit(sightings, {});
          await queue.enqueue((await ledger.list({ limit: 100 })).items);
          return sightings.map(({ key }) => key);
        },
        async finish(key) {
          const claim = await ledger.claim(key, { owner: 'w', leaseMs: LEASE_MS });
          if (claim === null) return;
          await ledger.record(claim, transition(claim.item, { type: 'publish' }, systemClock.now()));
        },
        [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
      };
    });
  });

  describe('where every write conflicts', () => {
    const ask = { owner: 'w', leaseMs: LEASE_MS };
    const messages = [{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }];
    type Stores = ReturnType<typeof open>;
    const openWithoutPauses = (): Stores => {
      const clock = new ManualClock();
      const where = { project: freshProject(), emulator: emulator.host };
      const pause = async (): Promise<void> => {};
      return openOn(
        'items',
        clock,
        new FirestoreConnection({ ...where, clock, events: silentEvents, pause }),
      );
    };
    const operations: Record<string, (stores: Stores) => Promise<() => Promise<unknown>>> = {
      admit:
        async ({ ledger }) =>
        () =>
          ledger.admit([sighting('b')], {}),
      claimNext:
        async ({ ledger }) =>
        () =>
          ledger.claimNext(ask),
      record: async ({ ledger }) => {
        const claim = present(await ledger.claimNext(ask));
        return () => ledger.record(claim, transition(claim.item, { type: 'accept' }, 1), { messages });
      },
      claimMessage: async ({ outbox }) => {
        await outbox.enqueue(messages);
        return () => outbox.claimNext('d', 'w', LEASE_MS);
      },
      load: async ({ ledger }) => {
        const records = await all(ledger.dump());
        const item = records.map((record) =>
          record.kind === 'item' ? { ...record, item: { ...record.item, key: keyOf('c') } } : record,
        );
        return () => ledger.load(item);
      },
    };

    it.each(Object.keys(operations))('A16 %s throws after repeated conflicts', async (name) => {
      const stores = openWithoutPauses();
      await stores.ledger.admit([sighting('a')], {});
      const operation = await present(operations[name])(stores);
      stores.connection.commit = async () => 'conflict';
      await expect(operation()).rejects.toThrow(
        /Failed to write to items\w*: .* changed the same document 60 times/,
      );
    });

    it('A16 a document that a query finds and no worker can claim does not block a worker', async () => {
      const { ledger, connection } = open('items', new ManualClock());
      await ledger.admit([sighting('a')], {});
      await ledger.claimNext(ask);
      const [found] = await connection.query({ collection: 'items', where: [], orderBy: [] }, { where: [] });
      const at = ['items', present(found).id] as const;
      await connection.commit([{ do: 'patch', at, data: { 'ledger.ready_at': 0 } }]);
      await expect(ledger.claimNext({ ...ask, owner: 'v' })).rejects.toThrow(/60 times/);
    });
  });

  it('B14 four clients that claim 200 items at once get 200 distinct claims', async () => {
    const project = freshProject();
    const all = Array.from({ length: 200 }, (_, index) => sighting(`n${index}`));
    await open('items', systemClock, project).ledger.admit(all, {});
    const clients = ['a', 'b', 'c', 'd'].map(async (owner) => {
      const { ledger } = open('items', systemClock, project);
      const mine: string[] = [];
      for (;;) {
        const claim = await ledger.claimNext({ owner, leaseMs: 600 * SECOND });
        if (claim === null) return mine;
        expect(claim).toMatchObject({ owner, token: 1 });
        mine.push(claim.item.key);
      }
    });
    const claimed = (await Promise.all(clients)).flat();
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed).size).toBe(200);
  });

  it('B1 B3 B4 an item has the fields of the table', async () => {
    const clock = new ManualClock();
    const { ledger, connection } = open('items', clock);
    await ledger.admit([sighting('a')], {});
    const claim = present(await ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS }));
    await ledger.record(claim, transition(claim.item, { type: 'defer', reason: 'too_large' }, clock.now()));
    const [found] = await connection.query(
      { collection: 'items', where: [['status', '==']], orderBy: [] },
      { where: [1] },
    );
    const { ledger: _, ...fields } = present(found).data();
    expect(fields).toMatchObject({ url: keyOf('a'), title: 'About a', status: 1, reason: 4, retry_count: 1 });
    expect(Object.keys(fields).toSorted()).toEqual([
      'created_at',
      'last_checked_at',
      'published_at',
      'reason',
      'retry_count',
      'status',
      'title',
      'url',
    ]);
  });

  it('D1 D2 a video has the fields of the contract, and every move that can be seen is allowed', async () => {
    const clock = new ManualClock();
    const { ledger, connection } = open('videos', clock);
    const key = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' as ItemKey;
    const video: Sighting = sighting('v', {
      key,
      url: key,
      video: { videoId: 'dQw4w9WgXcQ', channelId: 'UC1', channelTitle: 'A channel' },
    });
    const seen: string[] = [];
    const readStatus = async (): Promise<Record<string, unknown>> => {
      const data = present((await connection.get(['processed_videos', 'dQw4w9WgXcQ'])).data());
      if (seen.at(-1) !== data.status) seen.push(String(data.status));
      return data;
    };
    const commit = connection.commit.bind(connection);
    connection.commit = async (writes) => {
      const done = await commit(writes);
      await readStatus();
      return done;
    };
    await ledger.admit([video], { handOver: true });
    expect(await readStatus()).toMatchObject({
      videoId: 'dQw4w9WgXcQ',
      channelId: 'UC1',
      channelTitle: 'A channel',
      status: 'queued',
    });
    const ask = { owner: 'w', leaseMs: LEASE_MS };
    const first = present(await ledger.claim(key, ask));
    await ledger.record(
      first,
      transition(first.item, { type: 'defer', reason: 'processor_failed', detail: 'exit 1' }, clock.now()),
    );
    expect(await readStatus()).toMatchObject({ status: 'failed', errorMessage: 'exit 1', attempts: 1 });
    await clock.advance(POLICY.backoff(1));
    const second = present(await ledger.claim(key, ask));
    await ledger.record(second, transition(second.item, { type: 'publish' }, clock.now()));
    expect(seen).toEqual(['queued', 'processing', 'failed', 'queued', 'processing', 'completed']);
  });

  it('X22 D7 D8 D9 another program’s videos are handed over, those under way after a grace period', async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const { ledger, connection, adopt } = open('videos', clock);
    const keyOfVideo = (id: string): ItemKey => `https://www.youtube.com/watch?v=${id}` as ItemKey;
    const data = {
      title: 'T',
      channelId: 'UC1',
      queuedAt: '2025-12-31T23:00:00Z',
      updatedAt: new Date(clock.now()),
    };
    for (const status of ['queued', 'processing', 'completed', 'failed', 'paused'])
      await connection.commit([
        { do: 'set', at: ['processed_videos', `${status}-000`], data: { ...data, status } },
      ]);
    // Not the ID of a video: known, and listed.
    const other = keyOf('other');
    await connection.commit([{ do: 'set', at: ['processed_videos', idOfVideo(other)], data }]);
    expect(
      await ledger.admit([sighting('other'), sighting('q', { key: keyOfVideo('queued-000') })], {}),
    ).toEqual(['known', 'known']);
    expect(await adopt()).toBe(4);
    expect(await adopt()).toBe(0);
    expect(await ledger.pendingHandOver({ limit: 9 })).toEqual([keyOfVideo('queued-000')]);
    expect((await ledger.counts()).byState).toMatchObject({ waiting: 2, published: 1, failed: 3 });
    const dead = await ledger.list({ states: ['failed'], limit: 9 });
    expect(dead.items.map(({ detail }) => detail).toSorted()).toEqual(
      [null, 'unknown status: paused', 'unknown status: undefined'].toSorted(),
    );
    for (const { key } of dead.items)
      expect(await ledger.intervene(key, { type: 'requeue' }, 'ann')).toMatchObject({ done: true });
    // Its worker renews nothing, and must not count as dead with a clock that was ahead.
    const leases = new StalledLeaseDetector(clock);
    for (const _ of [1, 2, 3]) {
      expect(await ledger.expireStalledClaims(LEASE_MS, leases)).toEqual({ corrected: 0, watched: 0 });
      await clock.advance(2 * LEASE_MS);
    }
    expect(await ledger.claim(keyOfVideo('processing-000'), { owner: 'w', leaseMs: LEASE_MS })).toBeNull();
    await clock.advance(FOREIGN_WORKER_MS);
    expect(await ledger.pendingHandOver({ limit: 9 })).toContain(keyOfVideo('processing-000'));
    expect(
      await ledger.claim(keyOfVideo('processing-000'), { owner: 'w', leaseMs: LEASE_MS }),
    ).not.toBeNull();
  });

  it('X22 D13 a failed video that another program completed is not swept as failed', async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const { ledger, connection, adopt } = open('videos', clock);
    const at = ['processed_videos', 'failedFirst'] as const;
    const data = { videoId: 'failedFirst', status: 'failed', updatedAt: new Date(clock.now()) };
    await connection.commit([{ do: 'set', at, data }]);
    expect(await adopt()).toBe(1);
    await clock.advance(1e9);
    const completed = { status: 'completed', updatedAt: new Date(clock.now()) };
    await connection.commit([{ do: 'patch', at, data: completed }]);
    const plan = { keep: { failed: 1e8, published: 1e10 }, keepTombstones: 1e12, dryRun: false };
    expect(await ledger.sweep(plan)).toMatchObject({ swept: {} });
    expect(await adopt()).toBe(1);
    expect(await ledger.sweep(plan)).toMatchObject({ swept: {} });
    await clock.advance(1e10 + 1);
    expect(await ledger.sweep(plan)).toMatchObject({ swept: { published: 1 } });
  });

  it('D1 only the canonical address of a video has its ID', () => {
    expect(idOfVideo('https://www.youtube.com/watch?v=abc_-123456' as ItemKey)).toBe('abc_-123456');
    expect(idOfVideo('https://www.youtube.com/watch?v=__abcdefg__' as ItemKey)).toMatch(
      /^__abcdefg__~[0-9a-f]{16}$/,
    );
    expect(idOfVideo('https://www.youtube.com/watch?v=abc&t=1' as ItemKey)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('X4 a long history keeps its beginning and its end, and a document stays within its size', async () => {
    const clock = new ManualClock();
    const { ledger } = open('items', clock);
    await ledger.admit([sighting('a')], {});
    for (let round = 0; round < MAX_HISTORY + 5; round++) {
      const claim = present(await ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS }));
      const wait = transition(
        claim.item,
        { type: 'postpone', until: clock.now(), reason: 'over_limit', detail: String(round) },
        clock.now(),
      );
      await ledger.record(claim, wait, { verdict: verdict({ summary: '瓦'.repeat(2000) }) });
    }
    const history = await ledger.history(keyOf('a'));
    expect(history).toHaveLength(MAX_HISTORY);
    expect(history[0]?.event).toBe('admit');
    expect(history.at(-1)?.detail).toBe(String(MAX_HISTORY + 4));
  });

  it('X4 a history that exceeds the document size loses its middle, and the step is recorded', async () => {
    const clock = new ManualClock();
    const { ledger } = open('items', clock);
    await ledger.admit([sighting('a')], {});
    // Letters that compress badly.
    let seed = 1;
    const noise = (): string =>
      Array.from({ length: 260_000 }, () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return String.fromCharCode(33 + (seed % 90));
      }).join('');
    for (let round = 0; round < 6; round++) {
      const claim = present(await ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS }));
      const wait = {
        type: 'postpone',
        until: clock.now(),
        reason: 'over_limit',
        detail: `${round}`,
      } as const;
      const step = { notes: { text: noise() } };
      expect(await ledger.record(claim, transition(claim.item, wait, clock.now()), step)).toBe('recorded');
    }
    const history = await ledger.history(keyOf('a'));
    expect(history[0]?.event).toBe('admit');
    expect(history.at(-1)?.detail).toBe('5');
    expect(history.length).toBeLessThan(7);
  });
});

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of from) found.push(one);
  return found;
}
