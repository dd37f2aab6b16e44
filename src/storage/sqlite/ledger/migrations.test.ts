import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyOf, LEASE_MS, POLICY, sighting } from '../../../ledger/contract/subject.ts';
import { MINUTE } from '../../../time/duration.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { NewerSchemaError } from '../database.ts';
import { openSqliteLedger } from './ledger.ts';
import { LEDGER_MIGRATIONS } from './migrations.ts';

const testdata = join(import.meta.dirname, 'testdata');
const versions = readdirSync(testdata)
  .map((file) => /^version-(\d+)\.sql$/.exec(file)?.[1])
  .filter((version) => version !== undefined)
  .map(Number);

describe('migrations', () => {
  let folder: string;
  let file: string;
  const clock = new ManualClock(Date.UTC(2026, 0, 1) + 10 * MINUTE);
  const open = () => openSqliteLedger(file, { clock, policy: POLICY });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-migrations-'));
    file = join(folder, 'l.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('X17 there is a file of every version', () => {
    expect(versions.toSorted()).toEqual([0, ...LEDGER_MIGRATIONS.map(({ version }) => version)]);
  });

  for (const version of versions.filter((found) => found > 0))
    it(`X17 a file of version ${version} is brought up to date and keeps what is in it`, async () => {
      restore(version);
      const { ledger, outbox, ...stores } = open();
      try {
        expect(schemaOf(file)).toBe(readFileSync(join(testdata, 'schema.sql'), 'utf8'));
        const names = ['published', 'waiting', 'deferred', 'accepted'];
        for (const name of names)
          expect(await ledger.find(keyOf(name))).toMatchObject({
            state: name,
            title: `About ${keyOf(name)}`,
          });
        expect((await ledger.counts()).byState).toMatchObject({
          published: 1,
          waiting: 1,
          deferred: 1,
          accepted: 1,
        });
        const outcomes = await ledger.admit(
          [...names, 'gone'].map((name) => sighting(name)),
          {},
        );
        expect(outcomes).toEqual(['known', 'known', 'known', 'known', version < 4 ? 'new' : 'swept']);
        expect((await ledger.upcoming(3)).toSorted()).toEqual(['accepted', 'deferred', 'waiting'].map(keyOf));
        expect((await ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS }))?.item.key).toBe(keyOf('accepted'));
        expect(await outbox.ofItem(keyOf('accepted'))).toHaveLength(version < 3 ? 0 : 1);
      } finally {
        await stores[Symbol.asyncDispose]();
      }
    });

  it('B1 adopts a file of another program, with its times in order and nothing sent again', async () => {
    restore(0);
    const { ledger, ...stores } = open();
    try {
      const at = (n: number) => `https://www.example.go.jp/${n}.html` as ReturnType<typeof keyOf>;
      expect(await ledger.find(at(1))).toMatchObject({
        title: '処理済み',
        state: 'published',
        publishedAt: Date.UTC(2026, 0, 5),
        createdAt: Date.UTC(2026, 0, 5, 0, 30, 0, 500),
        checkedAt: Date.UTC(2026, 0, 5, 1, 0, 0, 123),
      });
      expect(await ledger.find(at(4))).toMatchObject({ state: 'deferred', reason: 'not_ready', attempts: 2 });
      expect(await ledger.find(at(6))).toMatchObject({ state: 'failed', reason: 'retry_limit' });
      // 3 was published before 2, which its text in another time zone hides.
      expect(await ledger.upcoming(9)).toEqual([3, 2, 5, 4].map(at));
      expect(await ledger.admit([sighting('x', { key: at(1) })], {})).toEqual(['known']);
      expect((await ledger.counts()).byState).toMatchObject({ published: 1, failed: 1, accepted: 2 });
    } finally {
      await stores[Symbol.asyncDispose]();
    }
  });

  it('X22 B1 rows of earlier versions get the feed’s own URL and keep their keys; changes by other programs are adopted', async () => {
    restore(8);
    const [own, live, raw] = [
      'https://News.example/own/?utm_source=rss',
      'https://news.example/live',
      'https://News.example/raw/?utm_source=rss',
    ];
    const time = "'2026-01-01 00:00:00.000+00:00'";
    const row = (id: number, url: string) =>
      `INSERT INTO items VALUES (${id}, '${url}', 'About ${id}', ${time}, 3, 0, 0, ${time}, ${time});`;
    const known = (id: number, url: string, source: string, facts: object) => `${row(id, url)}
      INSERT INTO standings (item_id, state, reason, checked_at, published, settled_at) VALUES (${id}, 'published', 'none', 1, 1, 1);
      INSERT INTO sightings VALUES (${id}, 0, '${source}', 1, '${JSON.stringify(facts)}');`;
    run(`${known(10, keyOf('own'), 'feed-1', { url: own })}
      ${known(11, keyOf('#item=1'), 'feed-1', { url: live })}
      ${known(12, keyOf('#item=2'), 'feed-1', { url: live })}
      ${known(13, raw, '', {})}
      ${row(14, 'https://news.example/inserted')}
      INSERT INTO standings (item_id, state, reason, checked_at, published, turn) VALUES (99, 'waiting', 'none', 1, 1, 1);
      UPDATE tallies SET n = n + 7 WHERE state = 'published';`);
    const { ledger, ...stores } = open();
    try {
      const urls = stores.connection.all('SELECT id, url FROM items WHERE id >= 10 ORDER BY id');
      expect(urls.map(({ url }) => url)).toEqual([own, live, keyOf('#item=2'), raw, keyOf('inserted')]);
      const seen = [
        sighting('own', { url: own }),
        sighting('#item=1', { url: live }),
        sighting('#item=2', { url: live }),
        sighting('raw', { url: raw }),
        sighting('inserted'),
        sighting('live', { url: live }),
      ];
      expect(await ledger.admit(seen, {})).toEqual(['known', 'known', 'known', 'known', 'known', 'new']);
      expect(await ledger.find(keyOf('#item=2'))).toMatchObject({ url: live, state: 'published' });
      expect((await ledger.counts()).byState).toMatchObject({ published: 6, waiting: 2 });
      expect((await ledger.list({ limit: 20 })).items).toHaveLength(10);
      expect(stores.connection.get("SELECT url FROM items WHERE title = 'About live'")?.url).toMatch(
        /live#item=sha256:/,
      );
    } finally {
      await stores[Symbol.asyncDispose]();
    }
  });

  it('X17 refuses a newer file and leaves it unchanged', async () => {
    await open()[Symbol.asyncDispose]();
    const newer = LEDGER_MIGRATIONS.length + 1;
    run(`PRAGMA user_version = ${newer}; CREATE TABLE from_the_future (x)`);
    expect(open).toThrow(NewerSchemaError);
    expect(open).toThrow(`has schema ${newer}, and this program knows ${LEDGER_MIGRATIONS.length}`);
    expect(schemaOf(file)).toContain('from_the_future');
  });

  it('X17 several processes that start at once create one file', async () => {
    restore(1);
    const code = `
      import { openSqliteLedger } from ${JSON.stringify(join(import.meta.dirname, 'ledger.ts'))};
      import { systemClock } from ${JSON.stringify(join(import.meta.dirname, '../../../time/clock.ts'))};
      const stores = openSqliteLedger(${JSON.stringify(file)}, { clock: systemClock, policy: { retryLimit: 1, backoff: () => 1 } });
      const { byState } = await stores.ledger.counts();
      process.stdout.write(JSON.stringify(byState.waiting));
      await stores[Symbol.asyncDispose]();`;
    const starters = Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data) => (output += String(data)));
      await once(child, 'close');
      return output;
    });
    expect(await Promise.all(starters)).toEqual(['1', '1', '1', '1']);
    expect(schemaOf(file)).toBe(readFileSync(join(testdata, 'schema.sql'), 'utf8'));
  });

  function restore(version: number): void {
    run(
      `${readFileSync(join(testdata, `version-${version}.sql`), 'utf8')}\nPRAGMA user_version = ${version};`,
    );
  }

  function run(sql: string): void {
    const db = new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false });
    db.exec(sql);
    db.close();
  }
});

function schemaOf(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = db
      .prepare(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY tbl_name, type DESC, name",
      )
      .all();
    return rows.map(({ sql }) => `${String(sql)};\n`).join('');
  } finally {
    db.close();
  }
}
