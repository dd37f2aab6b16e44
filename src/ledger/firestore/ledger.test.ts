import { describe, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { requires } from '../../../test/requirements.ts';
import { FirestoreConnection } from '../../firestore/connection.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { ledgerContract } from '../contract/all.ts';
import type { MakeMemory } from '../contract/subject.ts';
import { openFirestoreLedger } from './open.ts';

// The emulator is slow on a busy machine; slowness is no failure.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

requires('gcloud')('the Firestore ledger', () => {
  const emulator = emulatorForThisFile('firestore');
  const make =
    (layout: 'items' | 'videos'): MakeMemory =>
    ({ clock, policy }) => {
      const connection = new FirestoreConnection({
        project: freshProject(),
        emulator: emulator.host,
        clock,
        events: silentEvents,
      });
      const memory = openFirestoreLedger({ connection, layout, clock, policy });
      return { ...memory, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() };
    };

  describe('with the layout of items', () => ledgerContract(make('items'), { modelRuns: 8 }));
  describe('with the layout of videos', () => ledgerContract(make('videos'), { modelRuns: 4 }));
});
