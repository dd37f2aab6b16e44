import { vi } from 'vitest';
import { describeAccountStore } from '../src/auth/contract/account-store-contract.ts';
import { FirestoreAccountStore } from '../src/auth/firestore/firestore-account-store.ts';
import { FirestoreConnection } from '../src/firestore/connection.ts';
import { describeCountsLog } from '../src/pipelines/contract/counts-log-contract.ts';
import { leaseStoreContract } from '../src/pipelines/contract/lease-store-contract.ts';
import { runStoreContract } from '../src/pipelines/contract/run-store-contract.ts';
import { FirestoreCountsLog } from '../src/pipelines/firestore/counts-log.ts';
import { FirestoreLeaseStore } from '../src/pipelines/firestore/lease-store.ts';
import { FirestoreRunStore } from '../src/pipelines/firestore/run-store.ts';
import { pressMemoryContract } from '../src/press/contract/press-memory-contract.ts';
import { openFirestorePressMemory } from '../src/press/firestore/open.ts';
import { describeSocialStore } from '../src/social/contract/social-store-contract.ts';
import { FirestoreSocialStore } from '../src/social/firestore/firestore-social-store.ts';
import { sourceStoreContract } from '../src/sources/contract/source-store-contract.ts';
import { FirestoreSourceStore } from '../src/sources/firestore/firestore-source-store.ts';
import { silentEvents } from '../src/telemetry/events.ts';
import { type Clock, systemClock } from '../src/time/clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

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

  pressMemoryContract('Firestore', async (clock) => {
    const project = freshProject();
    const connections = [connect(project, clock), connect(project, clock)] as const;
    return {
      mine: openFirestorePressMemory(connections[0], clock),
      theirs: openFirestorePressMemory(connections[1], clock),
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

  describeCountsLog('Firestore', async () => {
    const connection = connect(freshProject(), systemClock);
    const log = new FirestoreCountsLog(connection);
    log[Symbol.asyncDispose] = () => connection[Symbol.asyncDispose]();
    return log;
  });

  describeSocialStore('Firestore', async (clock) => {
    const connection = connect(freshProject(), systemClock);
    const store = new FirestoreSocialStore({ connection, clock });
    store[Symbol.asyncDispose] = () => connection[Symbol.asyncDispose]();
    return store;
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
    return {
      store: new FirestoreSourceStore(connections[0] as FirestoreConnection),
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
});
