import { describe, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../../test/emulators.ts';
import { requires } from '../../../../test/requirements.ts';
import { newEntry, T0 } from '../../../reader/contract/entry-store-subject.ts';
import { UNDO_WITHIN_MS } from '../../../reader/entry-store.ts';
import { silentEvents } from '../../../telemetry/events.ts';
import { systemClock } from '../../../time/clock.ts';
import { DAY, SECOND } from '../../../time/duration.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { type Committed, FirestoreConnection, type Write } from '../connection.ts';
import { measureUsage, type Usage } from '../usage.ts';
import { HEADS_AT, indexAt } from './documents.ts';
import { FirestoreEntryStore } from './entry-store.ts';
import { IndexCache } from './index-cache.ts';
import { MAX_SOURCE_ENTRIES } from './source-index.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Loses the reply of a commit: the caller sees a conflict, as it does after an own earlier attempt. */
class UnreliableConnection extends FirestoreConnection {
  losesNext = false;

  override async commit(writes: readonly Write[]): Promise<Committed> {
    const committed = await super.commit(writes);
    if (!this.losesNext || writes.length === 0) return committed;
    this.losesNext = false;
    return 'conflict';
  }
}

requires('gcloud')('replicas with one entry store on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');
  const clock = new ManualClock(T0);

  function connect(project: string): UnreliableConnection {
    return new UnreliableConnection({
      project,
      emulator: emulator.host,
      clock: systemClock,
      events: silentEvents,
    });
  }

  /** Runs a test with a store for each replica. */
  async function withReplicas(
    count: number,
    test: (
      stores: FirestoreEntryStore[],
      connections: UnreliableConnection[],
      project: string,
    ) => Promise<void>,
  ): Promise<void> {
    const project = freshProject();
    const connections = Array.from({ length: count }, () => connect(project));
    try {
      const stores = connections.map((connection) => new FirestoreEntryStore({ connection, clock }));
      await test(stores, connections, project);
    } finally {
      for (const connection of connections) await connection[Symbol.asyncDispose]();
    }
  }

  const cost = async (work: () => Promise<unknown>): Promise<Usage> => (await measureUsage(work)).used;

  it('R1 the same article added by several at the same time is one entry, with all of their sources', async () => {
    await withReplicas(3, async (stores) => {
      const sources = ['a', 'b', 'c'];
      const added = await Promise.all(
        stores.map((store, nth) =>
          store.add(
            ['one', 'two'].map((title) => newEntry(title, { sourceId: sources[nth] ?? 'a' })),
            T0,
            () => null,
          ),
        ),
      );
      for (const nth of [0, 1]) {
        const answers = added.map((all) => all[nth]);
        expect(new Set(answers.map((one) => one?.entry.id)).size).toBe(1);
        expect(answers.map((one) => one?.outcome).toSorted()).toEqual(['carried', 'carried', 'new']);
      }
      const [entry] = await (stores[0] as FirestoreEntryStore).recent(0, 1);
      await clock.advance(6 * SECOND);
      for (const store of stores) {
        expect((await store.get(entry?.id ?? 0))?.sourceIds.toSorted()).toEqual(sources);
        const page = await store.list('ann', {}, { order: 'newest', limit: 10 });
        expect(page.entries.map((one) => one.entry.title).toSorted()).toEqual(['one', 'two']);
      }
    });
  });

  it('R1 R8 IDs of several replicas are distinct, and visible in their order', async () => {
    await withReplicas(3, async (stores) => {
      const seen: number[] = [];
      const adding = stores.map(async (store, nth) => {
        for (let n = 0; n < 8; n++) {
          const [added] = await store.add([newEntry(`${nth}-${n}`, { sourceId: `s${nth}` })], T0, () => null);
          seen.push(added?.entry.id ?? 0);
        }
      });
      const watching = (async () => {
        const connection = stores[0] as FirestoreEntryStore;
        for (let last = 0, n = 0; n < 20; n++) {
          const newest = await connection.newestId();
          expect(newest).toBeGreaterThanOrEqual(last);
          last = newest;
        }
      })();
      await Promise.all([...adding, watching]);
      expect(new Set(seen).size).toBe(24);
      await clock.advance(6 * SECOND);
      expect((await stores[1]?.unreadCounts('ann', ['s0', 's1', 's2']))?.all).toBe(24);
    });
  });

  it('R6 changes by several replicas at the same time are all kept, and seen by all at once', async () => {
    await withReplicas(3, async (stores) => {
      const [first] = stores as [FirestoreEntryStore];
      const titles = Array.from({ length: 12 }, (_, n) => newEntry(`n${n}`));
      const ids = (await first.add(titles, T0, () => null)).map(({ entry }) => entry.id);
      await Promise.all(
        ids.map((id, nth) => stores[nth % 3]?.change('ann', { kind: 'read', ids: [id] }, T0 + nth)),
      );
      for (const store of stores) expect((await store.unreadCounts('ann', ['a'])).all).toBe(0);
    });
  });

  it('R11 what another replica adds is shown after five seconds at the latest, and at once with newestId', async () => {
    await withReplicas(2, async (stores) => {
      const [mine, theirs] = stores as [FirestoreEntryStore, FirestoreEntryStore];
      const count = async (): Promise<number> => (await mine.unreadCounts('ann', ['a'])).all;
      await mine.add([newEntry('one')], T0, () => null);
      expect(await count()).toBe(1);
      await theirs.add([newEntry('two')], T0, () => null);
      await clock.advance(6 * SECOND);
      expect(await count()).toBe(2);
      await theirs.add([newEntry('three')], T0, () => null);
      await mine.newestId();
      expect(await count()).toBe(3);
    });
  });

  it('R1 R8 a lost reply changes neither the answer nor what is stored', async () => {
    await withReplicas(1, async (stores, connections) => {
      const [store] = stores as [FirestoreEntryStore];
      const [connection] = connections as [UnreliableConnection];
      connection.losesNext = true;
      const added = await store.add([newEntry('one'), newEntry('two')], T0, () => null);
      expect(added.map(({ outcome }) => outcome)).toEqual(['new', 'new']);
      const [id = 0] = added.map(({ entry }) => entry.id);
      connection.losesNext = true;
      const { undoToken } = await store.change('ann', { kind: 'read', ids: [id] }, T0);
      expect(undoToken).toEqual(expect.any(String));
      expect((await store.unreadCounts('ann', ['a'])).all).toBe(1);
      connection.losesNext = true;
      expect(await store.undo('ann', undoToken ?? '', T0)).toBe(true);
      expect((await store.unreadCounts('ann', ['a'])).all).toBe(2);
    });
  });

  it('R6 R8 old changes are folded into other documents, and count in every replica', async () => {
    await withReplicas(2, async (stores) => {
      const [mine, theirs] = stores as [FirestoreEntryStore, FirestoreEntryStore];
      const titles = Array.from({ length: 120 }, (_, n) => newEntry(`n${n}`));
      const ids = (await mine.add(titles, T0, () => null)).map(({ entry }) => entry.id);
      const later = T0 + UNDO_WITHIN_MS + 1;
      for (const id of ids.slice(0, 110)) await mine.change('ann', { kind: 'read', ids: [id] }, T0);
      await mine.change('ann', { kind: 'star', ids: ids.slice(0, 1) }, T0);
      const used = await cost(() => mine.change('ann', { kind: 'read', ids: ids.slice(110, 111) }, later));
      // The head, and a chunk.
      expect(used).toMatchObject({ writes: 2 });
      expect(await cost(() => mine.change('ann', { kind: 'read', ids: ids.slice(111, 112) }, later))).toEqual(
        {
          reads: 1,
          writes: 1,
          deletes: 0,
        },
      );
      for (const store of [mine, theirs]) {
        expect((await store.unreadCounts('ann', ['a'])).all).toBe(8);
        const states = await store.statesOf('ann', ids.slice(0, 1));
        expect([...states.values()]).toEqual([{ read: true, starredAt: T0, laterAt: null }]);
      }
      await theirs.removePerson('ann');
      expect((await mine.unreadCounts('ann', ['a'])).all).toBe(120);
    });
  });

  it('R15 a source keeps its newest entries; what is starred stays, and the others do not come back', async () => {
    await withReplicas(2, async (stores, connections) => {
      const [store, other] = stores as [FirestoreEntryStore, FirestoreEntryStore];
      const [connection] = connections as [UnreliableConnection];
      const titles = ['starred', 'shared', 'oldest'].map((title) => newEntry(title));
      const ids = (await store.add(titles, T0, () => null)).map(({ entry }) => entry.id);
      await store.change('ann', { kind: 'star', ids: ids.slice(0, 1) }, T0);
      await store.add([newEntry('shared', { sourceId: 'b' })], T0, () => null);
      await fillSource(connection, 'a', MAX_SOURCE_ENTRIES - 3);
      await clock.advance(6 * SECOND);
      await store.add(
        ['x', 'y', 'z'].map((title) => newEntry(title)),
        T0 + DAY,
        () => null,
      );
      await clock.advance(6 * SECOND);
      for (const one of [store, other]) {
        expect(await Promise.all(ids.map(async (id) => (await one.get(id))?.sourceIds))).toEqual([
          [],
          ['b'],
          undefined,
        ]);
        const starred = await one.list('ann', { starred: true }, { order: 'newest', limit: 5 });
        expect(starred.entries.map(({ entry }) => entry.title)).toEqual(['starred']);
      }
      const again = await store.add([newEntry('oldest'), newEntry('z')], T0 + DAY, () => null);
      expect(again.map(({ entry, outcome }) => [entry.title, outcome])).toEqual([['z', 'known']]);
    });
  });

  describe('cost', () => {
    const SOURCES = Array.from({ length: 100 }, (_, n) => `s${n}`);

    it('R16 of opening the reader, of lists and of changes', async () => {
      await withReplicas(3, async (stores) => {
        const [writer, reader, other] = stores as [
          FirestoreEntryStore,
          FirestoreEntryStore,
          FirestoreEntryStore,
        ];
        const ids: number[] = [];
        for (const sourceId of SOURCES) {
          const titles = ['one', 'two', 'three'].map((title) =>
            newEntry(`${sourceId} ${title}`, { sourceId }),
          );
          const added = await writer.add(titles, T0, () => null);
          ids.push(...added.map(({ entry }) => entry.id));
        }
        const overview = async (store: FirestoreEntryStore): Promise<void> => {
          await store.newestId();
          expect((await store.unreadCounts('ann', SOURCES)).all).toBeGreaterThan(0);
        };
        expect(await cost(() => overview(reader))).toEqual({ reads: 102, writes: 0, deletes: 0 });
        expect(await cost(() => overview(reader))).toEqual({ reads: 2, writes: 0, deletes: 0 });
        const list = (): Promise<unknown> =>
          reader.list('ann', { unread: true }, { order: 'newest', limit: 50 });
        // The documents of the page, then only the state of the person.
        expect(await cost(list)).toEqual({ reads: 51, writes: 0, deletes: 0 });
        expect(await cost(list)).toEqual({ reads: 1, writes: 0, deletes: 0 });
        const read = (id = 0): Promise<unknown> => reader.change('ann', { kind: 'read', ids: [id] }, T0);
        expect(await cost(() => read(ids[0]))).toEqual({ reads: 1, writes: 1, deletes: 0 });
        const readAll = async (): Promise<unknown> =>
          reader.change(
            'ann',
            { kind: 'readAll', sourceIds: SOURCES.slice(0, 50), upTo: ids.at(-1) ?? 0 },
            T0,
          );
        expect(await cost(readAll)).toEqual({ reads: 2, writes: 1, deletes: 0 });
        const star = (): Promise<unknown> => reader.change('ann', { kind: 'star', ids: ids.slice(1, 2) }, T0);
        expect(await cost(star)).toEqual({ reads: 2, writes: 2, deletes: 0 });
        // Another replica reads the index of the source that changed, and no other.
        await writer.add([newEntry('new', { sourceId: 's7' })], T0, () => null);
        expect(await cost(() => overview(reader))).toEqual({ reads: 3, writes: 0, deletes: 0 });
        expect(await cost(() => overview(other))).toEqual({ reads: 102, writes: 0, deletes: 0 });
      });
    });

    it('R16 of reading a source: nothing while it shows nothing new', async () => {
      await withReplicas(2, async (stores) => {
        const [store, restarted] = stores as [FirestoreEntryStore, FirestoreEntryStore];
        const titles = Array.from({ length: 30 }, (_, n) => newEntry(`n${n}`, { content: `<p>${n}</p>` }));
        const add = (to: FirestoreEntryStore, entries: typeof titles): Promise<Usage> =>
          cost(() => to.add(entries, T0, () => null));
        // Heads twice, the unknown keys; entries, texts, the index and the heads.
        expect(await add(store, titles)).toEqual({ reads: 32, writes: 62, deletes: 0 });
        expect(await add(store, titles)).toEqual({ reads: 0, writes: 0, deletes: 0 });
        // After a restart the heads and the index.
        expect(await add(restarted, titles)).toEqual({ reads: 2, writes: 0, deletes: 0 });
        expect(await add(store, [newEntry('new'), ...titles])).toEqual({ reads: 2, writes: 3, deletes: 0 });
      });
    });
  });

  /** Adds rows to the index of a source that have no documents, newer than all others. */
  async function fillSource(connection: FirestoreConnection, sourceId: string, count: number): Promise<void> {
    const cache = new IndexCache(connection, systemClock, () => {});
    await cache.refresh();
    await cache.change(async (draft) => {
      const rows = draft.rowsOf(sourceId);
      for (let n = 0; n < count; n++) {
        const id = ++draft.newest;
        const facts = { publishedAt: T0 - DAY, arrivedAt: T0, version: draft.version };
        rows.set(id, { id, storyId: id, ...facts, keyHash: id, fingerprint: 0, isGone: false });
      }
      return { value: null, writes: [] };
    });
    expect((await connection.get(indexAt(sourceId))).exists).toBe(true);
    expect((await connection.get(HEADS_AT)).get('newest')).toBe(cache.heads.newest);
  }
});
