import { vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { requires } from '../../../test/requirements.ts';
import { reactionStoreContract } from '../../learning/contract/reaction-store.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { systemClock } from '../../time/clock.ts';
import { FirestoreConnection } from './connection.ts';
import { FirestoreReactionStore } from './reaction-store.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('gcloud')('reactions on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');

  reactionStoreContract('Firestore', async () => {
    const project = freshProject();
    const connections: FirestoreConnection[] = [];
    const open = async (): Promise<FirestoreReactionStore> => {
      const options = { project, emulator: emulator.host, clock: systemClock, events: silentEvents };
      const connection = new FirestoreConnection(options);
      connections.push(connection);
      return new FirestoreReactionStore(connection);
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
