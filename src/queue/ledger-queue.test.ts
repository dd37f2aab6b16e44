import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  keyOf,
  LEASE_MS,
  type PipelineStores,
  POLICY,
  sighting,
  transition,
} from '../ledger/contract/subject.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { openSqliteLedger } from '../storage/sqlite/ledger/ledger.ts';
import { systemClock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { queueContract } from './contract/queue.ts';
import { LedgerQueue } from './ledger-queue.ts';

describe('the ledger as its own queue, in memory', () => {
  queueContract(async () => subjectOf(openMemoryLedger({ clock: systemClock, policy: POLICY })));
});

describe('the ledger as its own queue, on SQLite', () => {
  queueContract(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-queue-'));
    const stores = openSqliteLedger(join(folder, 'q.db'), { clock: systemClock, policy: POLICY });
    return subjectOf(stores, async () => rmSync(folder, { recursive: true, force: true }));
  });
});

describe('the ledger as its own queue', () => {
  it('X21 the item of a dead worker is delivered within a minute after its lease expired', async () => {
    const clock = new ManualClock();
    const { ledger } = openMemoryLedger({ clock, policy: POLICY });
    await ledger.admit([sighting('a')], {});
    await ledger.claim(keyOf('a'), { owner: 'dead', leaseMs: LEASE_MS });
    const queue = new LedgerQueue({ ledger, clock });
    const stop = new AbortController();
    const delivered: number[] = [];
    const startedAt = clock.now();
    const consuming = queue.consume(
      async () => {
        delivered.push(clock.now() - startedAt);
        return 'later';
      },
      { concurrency: 2, signal: stop.signal },
    );
    await clock.advance(LEASE_MS - 1);
    expect(delivered).toEqual([]);
    await clock.advance(MINUTE);
    expect(delivered[0]).toBeLessThanOrEqual(LEASE_MS + MINUTE);
    stop.abort();
    await consuming;
  });
});

function subjectOf({ ledger, ...stores }: PipelineStores, cleanUp?: () => Promise<void>) {
  const queue = new LedgerQueue({ ledger, clock: systemClock, pollMs: 20, retryDelayMs: 5 });
  return {
    queue,
    async enqueueNew(...names: string[]) {
      const sightings = names.map((name) => sighting(name));
      await ledger.admit(sightings, {});
      const { items } = await ledger.list({ limit: 100 });
      await queue.enqueue(items);
      return sightings.map(({ key }) => key);
    },
    async finish(key: ReturnType<typeof keyOf>) {
      const claim = await ledger.claim(key, { owner: 'w', leaseMs: LEASE_MS });
      if (claim === null) return;
      await ledger.record(claim, transition(claim.item, { type: 'publish' }, systemClock.now()));
    },
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]();
      await stores[Symbol.asyncDispose]();
      await cleanUp?.();
    },
  };
}
