import { expect, it } from 'vitest';
import { MINUTE } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { FirestoreConnection } from './connection.ts';
import { FirestoreError } from './errors.ts';
import { FirestoreSourceCatalogueStore } from './source-catalogue-store.ts';

/** A connection whose streams end at once. */
function withoutStreams(revision: () => Promise<string>): FirestoreConnection {
  const facts = {
    code: 'UNAVAILABLE',
    operation: 'listen',
    collection: 'source_catalogue_revision',
  } as const;
  return {
    watch: async () => {
      throw new FirestoreError(facts, 'The stream ended.');
    },
    get: async () => {
      const now = await revision();
      return { get: () => now };
    },
  } as unknown as FirestoreConnection;
}

it('R2 where Firestore ends the stream, changes are found by polling', async () => {
  const clock = new ManualClock();
  let [revision, reads] = ['one', 0];
  const connection = withoutStreams(async () => {
    reads += 1;
    return revision;
  });
  const store = new FirestoreSourceCatalogueStore(connection, clock);
  let changed = false;
  const waiting = store.waitForChange('one', new AbortController().signal).then(() => {
    changed = true;
  });
  await clock.advance(2 * MINUTE);
  expect([changed, reads]).toEqual([false, 4]);
  revision = 'two';
  await clock.advance(MINUTE);
  await waiting;
});

it('R2 an unavailable Firestore is reported, and a stop ends the wait', async () => {
  const clock = new ManualClock();
  const facts = { code: 'UNAVAILABLE', operation: 'get', collection: 'source_catalogue_revision' } as const;
  const unavailable = withoutStreams(async () => {
    throw new FirestoreError(facts, 'Firestore is unavailable.');
  });
  const store = new FirestoreSourceCatalogueStore(unavailable, clock);
  const failing = expect(store.waitForChange('one', new AbortController().signal)).rejects.toThrow(
    'unavailable',
  );
  await clock.advance(MINUTE);
  await failing;
  const stop = new AbortController();
  const waiting = store.waitForChange('one', stop.signal);
  stop.abort();
  await waiting;
});
