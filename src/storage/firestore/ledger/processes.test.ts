import { join } from 'node:path';
import { describe, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../../test/emulators.ts';
import { requires } from '../../../../test/requirements.ts';
import { processesContract, type SharedPipelineStores } from '../../../ledger/contract/processes.ts';
import { POLICY } from '../../../ledger/contract/worker.ts';
import { silentEvents } from '../../../telemetry/events.ts';
import { systemClock } from '../../../time/clock.ts';
import { FirestoreConnection } from '../connection.ts';
import { openFirestoreLedger } from './open-ledger.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const WORKER = join(import.meta.dirname, 'testdata', 'worker.ts');

requires('gcloud')('the Firestore ledger under several processes', () => {
  const emulator = emulatorForThisFile('firestore');
  const make = (layout: 'items' | 'videos') => (): SharedPipelineStores => {
    const project = freshProject();
    const clock = systemClock;
    const connection = new FirestoreConnection({
      project,
      emulator: emulator.host,
      clock,
      events: silentEvents,
    });
    const stores = openFirestoreLedger({ connection, layout, clock, policy: POLICY });
    return {
      ...stores,
      worker: (owner, mode) => [WORKER, emulator.host, project, layout, owner, mode],
      async [Symbol.asyncDispose]() {
        await stores[Symbol.asyncDispose]();
        await connection[Symbol.asyncDispose]();
      },
    };
  };

  // The emulator reads every document for each query: its time grows with the square of their number. The variable asks
  // for more, such as the 2,000 that SQLite gets.
  const items = Number(process.env.KAWARABAN_CLAIMED_ITEMS ?? 100);
  describe('with the layout of items', () =>
    processesContract(make('items'), { items, killedAfter: [1, 9] }));
  describe('with the layout of videos', () =>
    processesContract(make('videos'), { items: 50, killedAfter: [3] }));
});
