import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LifecycleEvent } from '../../../item/lifecycle.ts';
import { keyOf, LEASE_MS, POLICY, present, sighting, transition } from '../../../ledger/contract/subject.ts';
import { MINUTE } from '../../../time/duration.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { openSqliteLedger, type SqlitePipelineStores } from './ledger.ts';

/** The table as read by the original program. */
describe('the table items', () => {
  let folder: string;
  let clock: ManualClock;
  let stores: SqlitePipelineStores;
  let reader: DatabaseSync;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-items-'));
    clock = new ManualClock(Date.UTC(2026, 0, 5, 0, 30));
    stores = openSqliteLedger(join(folder, 'l.db'), { clock, policy: POLICY });
    reader = new DatabaseSync(join(folder, 'l.db'), { readOnly: true });
    await stores.ledger.admit([sighting('a', { title: '報道発表', publishedAt: Date.UTC(2026, 0, 4) })], {});
  });
  afterEach(async () => {
    reader.close();
    await stores[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const row = () => reader.prepare('SELECT * FROM items').get();
  const step = async (event: LifecycleEvent): Promise<void> => {
    const claim = present(await stores.ledger.claimNext({ owner: 'bot', leaseMs: LEASE_MS }));
    await stores.ledger.record(claim, transition(claim.item, event, clock.now()));
  };

  it('B1 B3 B5 a new item: status 0, never tried, checked when it was created', () => {
    expect(row()).toEqual({
      id: 1,
      url: keyOf('a'),
      title: '報道発表',
      published_at: '2026-01-04 00:00:00.000+00:00',
      status: 0,
      reason: null,
      retry_count: 0,
      created_at: '2026-01-05 00:30:00.000+00:00',
      last_checked_at: '2026-01-05 00:30:00.000+00:00',
    });
  });

  it('B3 B7 B8 worth it is status 2, posted is status 3 with reason 0, each with its time', async () => {
    await clock.advance(MINUTE);
    await step({ type: 'accept' });
    expect(row()).toMatchObject({
      status: 2,
      retry_count: 0,
      last_checked_at: '2026-01-05 00:31:00.000+00:00',
    });
    await clock.advance(MINUTE);
    await step({ type: 'publish' });
    expect(row()).toMatchObject({
      status: 3,
      reason: 0,
      created_at: '2026-01-05 00:30:00.000+00:00',
      last_checked_at: '2026-01-05 00:32:00.000+00:00',
    });
  });

  it.each([
    ['not_valuable', 1],
    ['not_ready', 2],
    ['download_failed', 3],
    ['too_large', 4],
    ['api_failed', 5],
  ] as const)('B4 B9 B10 deferred because %s is status 1 with reason %i', async (reason, code) => {
    await step({ type: 'defer', reason });
    expect(row()).toMatchObject({ status: 1, reason: code, retry_count: 1 });
  });

  it('B4 B11 past the retry limit: status 3, reason 6', async () => {
    for (let attempt = 0; attempt <= POLICY.retryLimit; attempt++) {
      await step({ type: 'defer', reason: 'not_ready' });
      await clock.advance(10 * MINUTE);
    }
    expect(row()).toMatchObject({ status: 3, reason: 6, retry_count: 4 });
    expect(await stores.ledger.claimNext({ owner: 'bot', leaseMs: LEASE_MS })).toBeNull();
  });

  it('B7 claiming or releasing an item does not change its status', async () => {
    const before = row();
    await clock.advance(MINUTE);
    await stores.ledger.release(present(await stores.ledger.claimNext({ owner: 'bot', leaseMs: LEASE_MS })));
    expect(row()).toEqual(before);
  });

  it('B12 X20 a processed item serves to recognise its URL until it is swept', async () => {
    await step({ type: 'publish' });
    expect(await stores.ledger.admit([sighting('a')], {})).toEqual(['known']);
    await clock.advance(MINUTE);
    await stores.ledger.sweep({ keep: { published: 0 }, keepTombstones: MINUTE, dryRun: false });
    expect(row()).toBeUndefined();
    expect(await stores.ledger.admit([sighting('a')], {})).toEqual(['swept']);
  });
});
