import { describe, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../../test/emulators.ts';
import { requires } from '../../../../test/requirements.ts';
import { ledgerContract } from '../../../ledger/contract/ledger.ts';
import type { MakePipelineStores } from '../../../ledger/contract/subject.ts';
import { messageOrderContract, type OpenSameStore } from '../../../outbox/contract/message-order.ts';
import { silentEvents } from '../../../telemetry/events.ts';
import { FirestoreConnection } from '../connection.ts';
import { openFirestoreLedger } from './open-ledger.ts';

// The emulator is slow on a busy machine; slowness is no failure.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('gcloud')('the Firestore ledger', () => {
  const emulator = emulatorForThisFile('firestore');
  const opened =
    (layout: 'items' | 'videos', project: () => string): OpenSameStore & MakePipelineStores =>
    ({ clock, policy }) => {
      const connection = new FirestoreConnection({
        project: project(),
        emulator: emulator.host,
        clock,
        events: silentEvents,
      });
      const stores = openFirestoreLedger({ connection, layout, clock, policy });
      return { ...stores, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() };
    };

  for (const [layout, modelRuns] of [
    ['items', 8],
    ['videos', 4],
  ] as const)
    describe(`with the layout of ${layout}`, () => {
      ledgerContract(opened(layout, freshProject), { modelRuns });
      messageOrderContract(() => {
        const project = freshProject();
        return opened(layout, () => project);
      });
    });
});
