import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ItemKey } from '../../../item/item.ts';
import { keyOf, LEASE_MS, POLICY, present, sighting, transition } from '../../../ledger/contract/subject.ts';
import { MINUTE } from '../../../time/duration.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { openSqliteLedger, type SqlitePipelineStores } from './ledger.ts';

const ALL = { limit: 50 } as const;

describe('rows that another program changes while the ledger is open', () => {
  let folder: string;
  let clock: ManualClock;
  let stores: SqlitePipelineStores;
  let other: DatabaseSync;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-changed-'));
    clock = new ManualClock(Date.UTC(2026, 0, 5));
    stores = openSqliteLedger(join(folder, 'l.db'), { clock, policy: POLICY });
    other = new DatabaseSync(join(folder, 'l.db'));
  });
  afterEach(async () => {
    other.close();
    await stores[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const TIME = '2026-01-04 10:00:00.123456789 +0900 JST m=+0.5';
  function insert(
    url: string,
    status: unknown = 0,
    more: { reason?: number; time?: unknown; or?: string } = {},
  ) {
    const time = (more.time ?? TIME) as string;
    other
      .prepare(
        `INSERT ${more.or ?? ''} INTO items (url, title, published_at, status, reason, retry_count, created_at, last_checked_at)
         VALUES (?, ?, ?, ?, ?, 0, ?, ?)`,
      )
      .run(url, `About ${url}`, time, status as number, more.reason ?? null, TIME, TIME);
  }
  const list = async () => (await stores.ledger.list(ALL)).items.map(({ url, state }) => [url, state]);
  const claimNext = () => stores.ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS });

  it('X22 B5 an inserted row is listed, counted, claimed and recognised by its URL', async () => {
    await stores.ledger.admit([sighting('a')], {});
    insert('https://news.example/b/?utm_source=rss');
    expect(await list()).toEqual([
      [keyOf('a'), 'waiting'],
      ['https://news.example/b/?utm_source=rss', 'waiting'],
    ]);
    expect((await stores.ledger.counts()).byState.waiting).toBe(2);
    const url = 'https://news.example/b/?utm_source=rss';
    const seen = [sighting('b', { url }), sighting('other', { url, key: keyOf('elsewhere') })];
    expect(await stores.ledger.admit(seen, {})).toEqual(['known', 'known']);
    expect((await claimNext())?.item).toMatchObject({
      url,
      key: keyOf('b'),
      publishedAt: Date.UTC(2026, 0, 4, 1, 0, 0, 123),
    });
  });

  it('X22 an inserted row does not stop admission, also when its key is looked up first', async () => {
    insert(keyOf('a'), 3, { reason: 0 });
    expect(await stores.ledger.admit([sighting('a'), sighting('b')], {})).toEqual(['known', 'new']);
    expect(await stores.ledger.find(keyOf('a'))).toMatchObject({ state: 'published' });
  });

  it('X22 B12 an item that another program has processed is not processed again, and a claim on it is lost', async () => {
    await stores.ledger.admit([sighting('a')], {});
    const claim = present(await claimNext());
    other.exec(
      `UPDATE items SET status = 3, reason = 0, last_checked_at = '2026-01-05 09:05:00 +0900 JST m=+9'`,
    );
    const accept = transition(claim.item, { type: 'accept' }, clock.now());
    expect(await stores.ledger.record(claim, accept)).toBe('lost');
    await clock.advance(2 * LEASE_MS);
    expect(await claimNext()).toBeNull();
    expect(await stores.ledger.find(keyOf('a'))).toMatchObject({
      state: 'published',
      checkedAt: Date.UTC(2026, 0, 5, 0, 5),
    });
    expect((await stores.ledger.counts()).byState).toMatchObject({ published: 1, waiting: 0 });
    expect((await stores.ledger.history(keyOf('a'))).at(-1)).toMatchObject({
      event: 'publish',
      detail: 'changed by another program',
    });
    expect(other.prepare('SELECT last_checked_at FROM items').get()).toEqual({
      last_checked_at: '2026-01-05 00:05:00.000+00:00',
    });
  });

  it('X22 B10 an item deferred by another program keeps its reason and its attempts', async () => {
    await stores.ledger.admit([sighting('a')], {});
    other.exec('UPDATE items SET status = 1, reason = 3, retry_count = 2');
    expect(await stores.ledger.find(keyOf('a'))).toMatchObject({
      state: 'deferred',
      reason: 'download_failed',
      attempts: 2,
    });
    expect((await claimNext())?.item.state).toBe('deferred');
  });

  it('X22 a deleted row stops nothing; as in the original program, its item is new when it is seen again', async () => {
    await stores.ledger.admit([sighting('a'), sighting('b')], {});
    const claim = present(await claimNext());
    const messages = [{ key: 'm', itemKeys: [keyOf('a')], destination: 'd', body: 'x' }];
    const accepted = transition(claim.item, { type: 'accept' }, clock.now());
    await stores.ledger.record(claim, accepted, { messages, keepClaim: true });
    other.exec(`DELETE FROM items WHERE url = '${keyOf('a')}'`);
    expect(await list()).toEqual([[keyOf('b'), 'waiting']]);
    expect((await stores.ledger.counts()).byState).toMatchObject({ waiting: 1, accepted: 0 });
    expect(await stores.ledger.history(keyOf('a'))).toEqual([]);
    expect(await stores.ledger.renew(claim, LEASE_MS)).toBeNull();
    expect(await stores.ledger.record(claim, transition(claim.item, { type: 'accept' }, clock.now()))).toBe(
      'lost',
    );
    const claimed = present(await stores.outbox.claimNext('d', 'w', MINUTE));
    expect(await stores.outbox.finish(claimed, { state: 'sent', remoteId: '1' })).toBe('finished');
    expect(await stores.outbox.ofItem(keyOf('a'))).toHaveLength(1);
    expect(await stores.ledger.admit([sighting('a')], {})).toEqual(['new']);
  });

  it('X22 a row that was replaced is a new row', async () => {
    await stores.ledger.admit([sighting('a')], {});
    insert(keyOf('a'), 3, { reason: 6, or: 'OR REPLACE' });
    expect(await list()).toEqual([[keyOf('a'), 'failed']]);
    expect((await stores.ledger.counts()).byState).toMatchObject({ waiting: 0, failed: 1 });
  });

  it.each([
    ['status is "7", and not 0, 1, 2 or 3', 7, undefined],
    ['status is "new", and not 0, 1, 2 or 3', 'new', undefined],
    ['published_at is "tomorrow", and no time', 0, 'tomorrow'],
  ])(
    'X22 %s: it is reported, the row stays unchanged and is recognised, and nothing else stops',
    async (problem, status, time) => {
      insert(keyOf('bad'), status, { time });
      insert(keyOf('good'));
      expect(await list()).toEqual([[keyOf('good'), 'waiting']]);
      expect(await stores.ledger.unusable(5)).toEqual([
        { name: `row 1 of items (${keyOf('bad')})`, problem },
      ]);
      expect(await stores.ledger.admit([sighting('bad'), sighting('c')], {})).toEqual(['known', 'new']);
      expect((await claimNext())?.item.key).toBe(keyOf('good'));
      expect(other.prepare('SELECT status FROM items WHERE id = 1').get()).toEqual({ status });
      other.exec(`UPDATE items SET status = 3, published_at = '2026-01-04T00:00:00Z' WHERE id = 1`);
      expect(await stores.ledger.unusable(5)).toEqual([]);
      expect(await stores.ledger.find(keyOf('bad'))).toMatchObject({ state: 'published' });
    },
  );

  it('X22 a row of the ledger’s own whose values are broken is suspended, and continues under its key when it is repaired', async () => {
    const key = `${keyOf('a')}#item=7` as ItemKey;
    await stores.ledger.admit([sighting('a', { key })], {});
    other.exec('UPDATE items SET retry_count = 9223372036854775807');
    expect(await list()).toEqual([]);
    expect(await claimNext()).toBeNull();
    expect((await stores.ledger.unusable(5))[0]?.problem).toBe(
      'retry_count is "9223372036854775807", and no whole number',
    );
    other.exec('UPDATE items SET retry_count = 1');
    expect(await stores.ledger.find(key)).toMatchObject({ state: 'waiting', attempts: 1 });
  });

  it.each([
    ['seconds', 1_767_571_200],
    ['milliseconds', 1_767_571_200_000],
    ['microseconds', 1_767_571_200_000_000n],
    ['nanoseconds', 1_767_571_200_000_000_000n],
  ])('X22 B1 an integer time in %s since 1970 is read', async (_, time) => {
    insert(keyOf('a'), 0, { time });
    expect((await stores.ledger.find(keyOf('a')))?.publishedAt).toBe(Date.UTC(2026, 0, 5));
  });

  it('B1 B5 the column url has the feed’s own URL; of two items with one link the second has it with #item=', async () => {
    const url = 'https://News.example:443/x/?utm_source=rss';
    const keys = ['x', 'x#item=g2', 'x#item=g3'].map((name) => keyOf(name));
    expect(
      await stores.ledger.admit(
        keys.map((key) => sighting('x', { key, url })),
        {},
      ),
    ).toEqual(['new', 'new', 'new']);
    const urls = () =>
      other
        .prepare('SELECT url FROM items ORDER BY id')
        .all()
        .map((row) => row.url);
    expect(urls()).toEqual([url, `${url}#item=g2`, `${url}#item=g3`]);
    for (const key of keys) expect(await stores.ledger.find(key)).toMatchObject({ key, url });
    expect(
      await stores.ledger.admit(
        keys.map((key) => sighting('x', { key, url })),
        {},
      ),
    ).toEqual(['known', 'known', 'known']);
    const records = [];
    for await (const record of stores.ledger.dump()) records.push(record);
    expect(await stores.ledger.load(records)).toEqual(['there', 'there', 'there']);
    other.exec('DELETE FROM items');
    expect(await stores.ledger.load(records)).toEqual(['loaded', 'loaded', 'loaded']);
    expect(urls()).toEqual([url, `${url}#item=g2`, `${url}#item=g3`]);
  });

  it('X22 where items share a link, the one that the original program recorded is known by its link and title', async () => {
    const url = 'https://news.example/live';
    insert(url, 3, { reason: 0 });
    const titled = (key: string, title: string) => sighting('live', { key: keyOf(key), url, title });
    const [old, fresh] = [titled('live#item=1', `About ${url}`), titled('live#item=2', 'Another')];
    expect(await stores.ledger.admit([fresh, old], {})).toEqual(['new', 'known']);
    expect(await stores.ledger.admit([{ ...old, title: 'Edited' }], {})).toEqual(['known']);
    insert('https://news.example/own-link', 3, { reason: 0 });
    const alone = { key: keyOf('#item=9'), url: 'https://news.example/own-link', title: 'Edited since' };
    expect(await stores.ledger.admit([sighting('x', alone), fresh], {})).toEqual(['known', 'known']);
    await stores.ledger.sweep({ keep: { published: 0 }, keepTombstones: MINUTE, dryRun: false });
    expect(await stores.ledger.admit([old], {})).toEqual(['swept']);
  });
});
