import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeAccountStore } from '../src/auth/contract/account-store.ts';
import { countsLogContract } from '../src/ledger/contract/counts-log.ts';
import { publishingStoresContract } from '../src/outbox/contract/publishing-stores.ts';
import { pipelineSettingsStoreContract } from '../src/pipelines/contract/pipeline-settings-store.ts';
import { storyEditStoreContract } from '../src/same-story/contract/story-edit-store.ts';
import { leaseStoreContract } from '../src/scheduler/contract/lease-store.ts';
import { runStoreContract } from '../src/scheduler/contract/run-store.ts';
import { describeSocialStore } from '../src/social/contract/social-store.ts';
import { sourceCatalogueContract } from '../src/sources/contract/source-catalogue-store.ts';
import { sourceIconContract } from '../src/sources/contract/source-icon-store.ts';
import { sourceStoreContract } from '../src/sources/contract/source-store.ts';
import { FirestoreAccountStore } from '../src/storage/firestore/account-store.ts';
import { FirestoreConnection } from '../src/storage/firestore/connection.ts';
import { FirestoreCountsLog } from '../src/storage/firestore/counts-log.ts';
import { FirestoreLeaseStore } from '../src/storage/firestore/lease-store.ts';
import { FirestorePipelineSettingsStore } from '../src/storage/firestore/pipeline-settings-store.ts';
import { openFirestorePublishingStores } from '../src/storage/firestore/publishing-stores.ts';
import { FirestoreReceivedDrops } from '../src/storage/firestore/received-drops.ts';
import { FirestoreRelay } from '../src/storage/firestore/relay.fixture.ts';
import { FirestoreRunStore } from '../src/storage/firestore/run-store.ts';
import { FirestoreSocialStore } from '../src/storage/firestore/social-store.ts';
import { FirestoreSourceCatalogueStore } from '../src/storage/firestore/source-catalogue-store.ts';
import { FirestoreSourceIconStore } from '../src/storage/firestore/source-icon-store.ts';
import { FirestoreSourceStore } from '../src/storage/firestore/source-store.ts';
import { FirestoreStoryEditStore } from '../src/storage/firestore/story-edit-store.ts';
import { silentEvents } from '../src/telemetry/events.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { type Clock, systemClock } from '../src/time/clock.ts';
import { MINUTE } from '../src/time/duration.ts';
import { ManualClock } from '../src/time/manual-clock.ts';
import type { Change } from '../src/timelines/change-feed.ts';
import { describeChangeFeed } from '../src/timelines/contract/change-feed-contract.ts';
import { describeReceivedDrops } from '../src/timelines/contract/received-drops.ts';
import { ABORTED_WRITES, type Stores, storesOn } from './aborted-writes.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** The smaller stores on Firestore, together, so that one emulator serves them all. */
requires('gcloud')('on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');
  const connect = (project: string, clock: Clock): FirestoreConnection =>
    new FirestoreConnection({ project, emulator: emulator.host, clock, events: silentEvents });

  runStoreContract('Firestore', async (clock, kept) => {
    const project = freshProject();
    const connections = [connect(project, clock), connect(project, clock)] as const;
    return {
      mine: new FirestoreRunStore(connections[0], clock, kept),
      theirs: new FirestoreRunStore(connections[1], clock, kept),
      dispose: async () => {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  publishingStoresContract('Firestore', async (clock) => {
    const project = freshProject();
    const connections = [connect(project, clock), connect(project, clock)] as const;
    return {
      mine: openFirestorePublishingStores(connections[0], clock),
      theirs: openFirestorePublishingStores(connections[1], clock),
      dispose: async () => {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  describeAccountStore('Firestore', async () => {
    const connection = connect(freshProject(), systemClock);
    const store = new FirestoreAccountStore(connection);
    store[Symbol.asyncDispose] = () => connection[Symbol.asyncDispose]();
    return store;
  });

  countsLogContract('Firestore', async () => {
    const connection = connect(freshProject(), systemClock);
    const log = new FirestoreCountsLog(connection);
    log[Symbol.asyncDispose] = () => connection[Symbol.asyncDispose]();
    return log;
  });

  storyEditStoreContract('Firestore', async () => {
    const project = freshProject();
    const connections = [connect(project, systemClock), connect(project, systemClock)] as const;
    return {
      mine: new FirestoreStoryEditStore(connections[0]),
      theirs: new FirestoreStoryEditStore(connections[1]),
      async [Symbol.asyncDispose]() {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  pipelineSettingsStoreContract('Firestore', async () => {
    const project = freshProject();
    const connections = [connect(project, systemClock), connect(project, systemClock)] as const;
    return {
      mine: new FirestorePipelineSettingsStore(connections[0]),
      theirs: new FirestorePipelineSettingsStore(connections[1]),
      async [Symbol.asyncDispose]() {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  describeSocialStore('Firestore', async (clock) => {
    const connection = connect(freshProject(), systemClock);
    const store = new FirestoreSocialStore({ connection, clock });
    store[Symbol.asyncDispose] = () => connection[Symbol.asyncDispose]();
    return store;
  });

  describeChangeFeed('Firestore', async () => {
    const project = freshProject();
    const clock = new ManualClock();
    const connections: FirestoreConnection[] = [];
    const open = (): FirestoreSocialStore => {
      const connection = connect(project, systemClock);
      connections.push(connection);
      return new FirestoreSocialStore({ connection, clock });
    };
    return {
      feed: open().changes,
      another: async () => open().changes,
      passTime: (ms) => clock.advance(ms),
      async [Symbol.asyncDispose]() {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  describe('the changes of a social store on Firestore', () => {
    let connection: FirestoreConnection;
    let clock: ManualClock;
    let isUnavailable: boolean;
    const stop = { now: async (): Promise<void> => {} };
    beforeEach(() => {
      connection = connect(freshProject(), systemClock);
      clock = new ManualClock();
      isUnavailable = false;
    });
    afterEach(async () => {
      await stop.now();
      await connection[Symbol.asyncDispose]();
    });
    const relay = (store: FirestoreSocialStore): readonly Change[] => {
      const relayed: Change[] = [];
      const stopping = new AbortController();
      const accept = async ({ change }: { readonly change: Change }): Promise<void> => {
        if (isUnavailable) throw new Error('unavailable');
        relayed.push(change);
      };
      const relaying = store.changes.relay({ durable: true, log: silentLogger, accept }, stopping.signal);
      stop.now = async () => {
        stopping.abort();
        await relaying;
      };
      return relayed;
    };

    it('A19 cost nothing but a write and a delete each, also while the sink is unavailable', async () => {
      const store = new FirestoreSocialStore({ connection, clock });
      const relayed = relay(store);
      const { id: userId } = await store.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
      await expect.poll(() => clock.sleeping).toBe(1);
      const before = connection.used;
      isUnavailable = true;
      for (let n = 0; n < 5; n++)
        await store.changes.append({ type: 'drop_deleted', drop_id: `${n}`, user_id: userId });
      for (let n = 0; n < 20; n++) await clock.advance(2_000);
      isUnavailable = false;
      await expect
        .poll(async () => {
          await clock.advance(2_000);
          return relayed.length;
        })
        .toBe(5);
      await stop.now();
      const { reads, writes, deletes } = connection.used;
      expect({
        reads: reads - before.reads,
        writes: writes - before.writes,
        deletes: deletes - before.deletes,
      }).toEqual({ reads: 0, writes: 5, deletes: 5 });
    });

    it('C12 what a killed replica left is relayed by another within five minutes', async () => {
      const killed = new FirestoreSocialStore({ connection, clock });
      const { id: userId } = await killed.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
      const relayed = relay(new FirestoreSocialStore({ connection, clock }));
      await expect.poll(() => clock.sleeping).toBe(1);
      const { drop } = await killed.post({ userId, visibility: 'public', text: 'last words' });
      await clock.advance(5 * MINUTE);
      await expect.poll(() => relayed).toMatchObject([{ type: 'drop_created', drop_id: drop.id }]);
    });

    it('C12 X22 documents of the previous version are relayed, except those of a deleted drop', async () => {
      const store = new FirestoreSocialStore({ connection, clock });
      const { id: userId } = await store.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
      const post = async () => (await store.post({ userId, visibility: 'public', text: 'x' })).drop;
      const [drop, deleted] = [await post(), await post()];
      await store.deleteDrop(deleted.id);
      relay(store);
      await expect.poll(() => clock.sleeping).toBe(1);
      await stop.now();
      const changes = [
        { kind: 'posted', dropId: drop.id },
        { kind: 'posted', dropId: deleted.id },
        { kind: 'deleted', dropId: deleted.id, userId },
        { kind: 'unfollowed', userId, authorId: 'ben' },
      ];
      await connection.commit(
        changes.map((change, n) => ({
          do: 'set',
          at: ['unannounced_changes', `hash-${n}`],
          data: { seq: `0190-${n}`, change: JSON.stringify(change) },
        })),
      );
      const relayed = relay(new FirestoreSocialStore({ connection, clock }));
      await expect
        .poll(() => relayed)
        .toEqual([
          {
            type: 'drop_created',
            drop_id: drop.id,
            user_id: userId,
            visibility: 'public',
            created_at: drop.createdAt,
          },
          { type: 'drop_deleted', drop_id: deleted.id, user_id: userId },
          { type: 'unfollowed', user_id: userId, author_id: 'ben' },
        ]);
    });
  });

  describeReceivedDrops('Firestore', async (cap) => {
    const project = freshProject();
    const open = (): FirestoreReceivedDrops => {
      const connection = connect(project, systemClock);
      const received = new FirestoreReceivedDrops({ connection, clock: systemClock, cap });
      received[Symbol.asyncDispose] = () => connection[Symbol.asyncDispose]();
      return received;
    };
    return { received: open(), reopened: async () => open() };
  });

  leaseStoreContract('Firestore', async (clock) => {
    const project = freshProject();
    const connections = [connect(project, clock), connect(project, clock)] as const;
    return {
      mine: new FirestoreLeaseStore(connections[0], clock),
      theirs: new FirestoreLeaseStore(connections[1], clock),
      dispose: async () => {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  sourceStoreContract('Firestore', async () => {
    const project = freshProject();
    const connections = [connect(project, systemClock)];
    const clock = new ManualClock();
    return {
      store: new FirestoreSourceStore(connections[0] as FirestoreConnection, clock),
      isShared: true,
      clock,
      reopen: async () => {
        const again = connect(project, systemClock);
        connections.push(again);
        return new FirestoreSourceStore(again);
      },
      dispose: async () => {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  sourceCatalogueContract('Firestore', async () => {
    const project = freshProject();
    const connections = [connect(project, systemClock)];
    return {
      store: new FirestoreSourceCatalogueStore(connections[0] as FirestoreConnection),
      reopen: async () => {
        const again = connect(project, systemClock);
        connections.push(again);
        return new FirestoreSourceCatalogueStore(again);
      },
      dispose: async () => {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  sourceIconContract('Firestore', async () => {
    const project = freshProject();
    const connections = [connect(project, systemClock)];
    return {
      store: new FirestoreSourceIconStore(connections[0] as FirestoreConnection),
      reopen: async () => {
        const again = connect(project, systemClock);
        connections.push(again);
        return new FirestoreSourceIconStore(again);
      },
      dispose: async () => {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  describe('when Firestore aborts a commit', () => {
    let relay: FirestoreRelay;
    let mine: Stores;
    let fresh: () => Stores;
    const opened: AsyncDisposable[] = [];
    beforeEach(async () => {
      relay = await new FirestoreRelay(emulator.host).start();
      opened.push(relay);
      const project = freshProject();
      const through = (host: string): Stores => {
        const connection = new FirestoreConnection({
          project,
          emulator: host,
          clock: systemClock,
          events: silentEvents,
        });
        opened.push(connection);
        return storesOn(connection);
      };
      mine = through(relay.address);
      fresh = () => through(emulator.host);
    });
    afterEach(async () => {
      for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    });

    it.each(ABORTED_WRITES)('A12 X2 what is reported as done is stored: $what', async (one) => {
      const before = await one.given?.(mine);
      relay.abortNext('Commit');
      const answer = await one.write(mine, before);
      expect(relay.isAborting, 'a commit was aborted').toBe(false);
      if (one.answers !== undefined) expect(answer).toEqual(one.answers);
      expect(await one.there(fresh(), before)).toEqual(one.is);
    });
  });
});
