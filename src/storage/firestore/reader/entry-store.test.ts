import { vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../../test/emulators.ts';
import { requires } from '../../../../test/requirements.ts';
import { entryStoreContract } from '../../../reader/contract/entry-store.ts';
import { silentEvents } from '../../../telemetry/events.ts';
import { systemClock } from '../../../time/clock.ts';
import { FirestoreConnection } from '../connection.ts';
import { FirestoreEntryStore } from './entry-store.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('gcloud')('entries on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');

  entryStoreContract('Firestore', async () => {
    const project = freshProject();
    const connections: FirestoreConnection[] = [];
    const open = async (): Promise<FirestoreEntryStore> => {
      const options = { project, emulator: emulator.host, clock: systemClock, events: silentEvents };
      const connection = new FirestoreConnection(options);
      connections.push(connection);
      return new FirestoreEntryStore({ connection, clock: systemClock, maxAgeMs: 0 });
    };
    return {
      store: await open(),
      reopen: open,
      dispose: async () => {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });
});
