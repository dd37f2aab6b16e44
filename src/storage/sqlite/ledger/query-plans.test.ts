import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  keyOf,
  LEASE_MS,
  POLICY,
  present,
  sighting,
  transition,
  verdict,
} from '../../../ledger/contract/subject.ts';
import { DAY } from '../../../time/duration.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { FRONT_SQL, QUEUE_SQL } from './claim.ts';
import { openSqliteLedger, type SqlitePipelineStores } from './ledger.ts';

/** Tables with few rows, or one per item in progress; only these may be scanned. */
const SMALL = /^SCAN (tallies|delivery_tallies|claims|changed_rows( USING .*idx_changed_rows_unread)?)$/;
/** Not a table: the result of a subquery, or the requested keys. */
const INNER = /^SCAN (f|j|\(subquery-\d+\)|json_each|CONSTANT ROW|\d+-ROW VALUES CLAUSE|\d+ CONSTANT ROWS?)/;

describe('query plans', () => {
  let folder: string;
  let stores: SqlitePipelineStores;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-plans-'));
    stores = openSqliteLedger(join(folder, 'l.db'), { clock: new ManualClock(), policy: POLICY });
    await useEverything(stores);
  });
  afterAll(async () => {
    await stores[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('B2 the two selections of B6 use the contract’s indexes', () => {
    const plan = (sql: string): string => planOf(sql).join('\n');
    expect(plan(FRONT_SQL.accepted)).toContain('INDEX idx_items_status_published_at (status=?)');
    expect(plan(FRONT_SQL.waiting)).toContain('INDEX idx_items_status_last_checked_at (status=?)');
    expect(plan(FRONT_SQL.deferred)).toContain('INDEX idx_items_status_last_checked_at (status=?)');
    for (const sql of Object.values(FRONT_SQL)) expect(plan(sql)).not.toContain('TEMP B-TREE');
  });

  it('B2 B6 the selections use the contract’s indexes as the program asks them', () => {
    const asked = stores.connection.statements.filter((sql) =>
      /^SELECT .*FROM items WHERE status = \d ORDER BY/s.test(sql),
    );
    expect(asked).toHaveLength(1);
    const plan = planOf(present(asked[0]));
    const used = plan.filter((step) => step.includes(' items '));
    expect(used.slice(0, 3)).toEqual([
      'SEARCH items USING COVERING INDEX idx_items_status_published_at (status=?)',
      'SEARCH items USING COVERING INDEX idx_items_status_last_checked_at (status=?)',
      'SEARCH items USING COVERING INDEX idx_items_status_last_checked_at (status=?)',
    ]);
    expect(used.every((step) => / INDEX idx_items_status_\w+ \(status=\?\)$/.test(step))).toBe(true);
    expect(plan.join()).not.toContain('TEMP B-TREE');
  });

  it('a whole queue is read by an index, in its order', () => {
    const plan = (line: string): string => planOf(`SELECT s.item_id ${line} LIMIT 1`).join('\n');
    expect(plan(QUEUE_SQL.waiting)).toContain('INDEX idx_items_status_last_checked_at (status=?)');
    expect(plan(QUEUE_SQL.deferred)).toContain('INDEX idx_standings_turn (state=?');
    expect(plan(QUEUE_SQL.accepted)).toContain('INDEX idx_standings_turn (state=?');
    for (const line of Object.values(QUEUE_SQL)) expect(plan(line)).not.toMatch(/SCAN|TEMP B-TREE/);
  });

  it('B2 whether a URL is known is looked up by its index', () => {
    const sql = stores.connection.statements.find((text) => text.includes('JOIN items i ON i.url = j.value'));
    expect(planOf(present(sql)).join()).toMatch(/SEARCH i USING .*INDEX \S*items\S* \(url=\?\)/);
  });

  it('the messages of one destination are found by an index', () => {
    const sql = stores.connection.statements.find((text) => text.includes('destination = ? AND state = ?'));
    expect(planOf(present(sql)).join()).toMatch(
      /INDEX idx_deliveries_destination \(destination=\? AND state=\?/,
    );
  });

  it('no statement scans a table or sorts one', () => {
    const statements = stores.connection.statements.filter(
      (sql) => !/^(BEGIN|COMMIT|SAVEPOINT|RELEASE|ROLLBACK|EXPLAIN)/.test(sql),
    );
    expect(statements.length).toBeGreaterThan(40);
    const bad = statements.flatMap((sql) =>
      planOf(sql)
        .filter((step) => /^SCAN |TEMP B-TREE/.test(step) && !SMALL.test(step) && !INNER.test(step))
        .map((step) => `${step} ← ${sql}`),
    );
    expect(bad).toEqual([]);
  });

  function planOf(sql: string): string[] {
    const values = Array.from({ length: (sql.match(/\?\d*/g) ?? []).length }, () => 0);
    const numbered = new Set(sql.match(/\?\d+/g));
    const count = numbered.size > 0 ? numbered.size : values.length;
    return stores.connection
      .all(`EXPLAIN QUERY PLAN ${sql}`, ...values.slice(0, count))
      .map(({ detail }) => String(detail));
  }
});

/** Every call of the ledger and the outbox, so that every statement is prepared. */
async function useEverything({ ledger, outbox }: SqlitePipelineStores): Promise<void> {
  const ask = { owner: 'w', leaseMs: LEASE_MS };
  const now = new ManualClock().now();
  await ledger.admit([sighting('a'), sighting('b'), sighting('c')], { handOver: true });
  await ledger.admit([sighting('a', { sourceId: 'other' }), sighting('d')], { baseline: () => true });
  await Promise.all([
    ledger.known([keyOf('a')]),
    ledger.upcoming(3),
    ledger.pendingHandOver({ limit: 3, handedBefore: 5 }),
  ]);
  await ledger.markHandedOver([keyOf('a')]);
  const first = present(await ledger.claimNext({ ...ask, attempt: '1' }));
  await ledger.claimNext({ ...ask, attempt: '1' });
  await ledger.renew(first, LEASE_MS);
  const messages = [{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }];
  const accept = transition(first.item, { type: 'accept' }, now);
  await ledger.record(first, accept, { verdict: verdict(), messages });
  const second = present(await ledger.claim(keyOf('a'), ask));
  await ledger.record(first, accept);
  await ledger.record(second, transition(second.item, { type: 'publish' }, now - 2 * DAY));
  await ledger.release(present(await ledger.claimNext(ask)));
  await ledger.intervene(keyOf('b'), { type: 'park', reason: 'by_person' }, 'maria');
  const claimed = present(await outbox.claimNext('d', 'w', LEASE_MS));
  await outbox.markSending(claimed);
  await outbox.finish(claimed, { state: 'parked', detail: 'x' });
  await outbox.decide('k', 'drop', 'maria');
  await outbox.enqueue([{ ...present(messages[0]), destination: 'e' }]);
  const again = present(await outbox.claimNext('e', 'w', LEASE_MS));
  await outbox.finish(again, { state: 'sent', remoteId: '1' });
  await outbox.list({ limit: 1 });
  await outbox.list({ limit: 1, states: ['sent'] });
  await outbox.list({ limit: 1, states: ['sent'], destination: 'd' });
  await Promise.all([outbox.counts(), outbox.ofItem(keyOf('a')), ledger.counts(), ledger.find(keyOf('a'))]);
  await ledger.list({ limit: 1, text: 'a' });
  await Promise.all([
    ledger.history(keyOf('a')),
    ledger.history(keyOf('none')),
    ledger.sightings(keyOf('a')),
  ]);
  const records = [];
  for await (const record of ledger.dump()) records.push(record);
  await ledger.load(records);
  await ledger.load([{ kind: 'tombstone', key: keyOf('t'), state: 'published', sweptAt: 0 }]);
  const plan = { keep: { published: DAY }, keepTombstones: DAY };
  await ledger.sweep({ ...plan, dryRun: true });
  await ledger.sweep({ ...plan, dryRun: false });
  await ledger.load(records);
}
