import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openApp } from '../../app/app.ts';
import { lockDataFolder } from '../../app/maintenance.ts';
import { parseConfig } from '../../config/config.ts';
import { keyOf, POLICY, sighting } from '../../ledger/contract/subject.ts';
import { silentTelemetry } from '../../telemetry/telemetry.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { BackupThereError, createBackup } from './backup.ts';
import { databaseFiles, knownSchemaVersion } from './data-folder.ts';
import { FolderLock } from './folder-lock.ts';
import { openSqliteLedger } from './ledger/ledger.ts';
import { restore } from './restore.ts';
import { SqliteRunStore } from './run-store.ts';
import { SqliteSocialStore } from './social-store.ts';
import { SqliteSourceStore } from './source-store.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

describe('backup and restore', () => {
  const clock = new ManualClock();
  let folder: string;
  let data: string;
  let to: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-backup-'));
    data = join(folder, 'data');
    to = join(folder, 'copy');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Every file of the embedded engine, with one item in the ledger. */
  async function newsroom(items: readonly string[]): Promise<void> {
    const parts: AsyncDisposable[] = [
      new SqliteRunStore(join(data, 'runs.db'), clock),
      new SqliteSourceStore(join(data, 'sources.db')),
      SqliteSocialStore.open({ path: join(data, 'social.db'), clock }),
    ];
    const stores = openSqliteLedger(join(data, 'pipeline-morning.db'), { clock, policy: POLICY });
    await stores.ledger.admit(
      items.map((name) => sighting(name)),
      {},
    );
    for (const part of [...parts, stores]) await part[Symbol.asyncDispose]();
  }

  async function itemsIn(at = data): Promise<string[]> {
    const stores = openSqliteLedger(join(at, 'pipeline-morning.db'), { clock, policy: POLICY });
    const { items } = await stores.ledger.list({ limit: 200 });
    await stores[Symbol.asyncDispose]();
    return items.map(({ key }) => key).toSorted();
  }

  const back = (target = to) => createBackup({ data, to: target, program: '1.0.0', now: NOW });
  const bring = (from = to) => restore({ data, from, program: '1.0.0', now: NOW });

  it('X17 restores a backup, and the replaced data can be restored in turn', async () => {
    await newsroom(['a']);
    const progress: string[] = [];
    const manifest = await createBackup({
      data,
      to,
      program: '1.0.0',
      now: NOW,
      onProgress: (name, done, of) => progress.push(`${name} ${done}/${of}`),
    });
    expect(manifest.files.map(({ name, schema }) => [name, schema])).toEqual([
      ['runs.db', knownSchemaVersion('runs.db')],
      ['sources.db', knownSchemaVersion('sources.db')],
      ['pipeline-morning.db', knownSchemaVersion('pipeline-morning.db')],
      ['social.db', knownSchemaVersion('social.db')],
    ]);
    expect(progress.at(-1)).toBe('manifest.json 4/4');
    // X7: it contains personal data.
    expect(statSync(to).mode & 0o077).toBe(0);
    for (const name of readdirSync(to)) expect(statSync(join(to, name)).mode & 0o077, name).toBe(0);
    expect(readdirSync(to).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);

    await newsroom(['b', 'c']);
    const { replaced, wayBack } = await bring();
    expect(await itemsIn()).toEqual([keyOf('a')]);
    expect(wayBack).toBe(true);
    if (replaced === null) throw new Error('nothing was replaced');
    expect(replaced.startsWith(join(data, 'replaced-2026-11-15T12'))).toBe(true);

    await restore({ data, from: replaced, program: '1.0.0', now: NOW + 1000 });
    expect(await itemsIn()).toEqual([keyOf('a'), keyOf('b'), keyOf('c')].toSorted());
  });

  it('X17 knows every database that the embedded engine makes, and its newest schema', async () => {
    const text = `
data: ${data}
stories: { enabled: true }
sources: { a: { feed: https://example.org/feed.xml }, b: { youtube: '@talks' } }
pipelines:
  morning: { kind: curate, sources: [a], interests: [{ topic: databases }] }
  bot: { kind: summarise, sources: [a] }
  videos: { kind: process, sources: [b], processor: { command: ['true'] } }
`;
    const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0' });
    await app[Symbol.asyncDispose]();
    const databases = databaseFiles(readdirSync(data));
    expect(databases.length).toBeGreaterThan(6);
    const { files } = await back();
    for (const { name, schema } of files) expect(knownSchemaVersion(name), name).toBe(schema);
    await bring();
  });

  it('X17 restores into an empty folder', async () => {
    await newsroom(['a']);
    await back();
    rmSync(data, { recursive: true });
    expect(await bring()).toMatchObject({ replaced: null, files: 4 });
    expect(await itemsIn()).toEqual([keyOf('a')]);
  });

  it('X17 copies a snapshot of each file while another process writes to it', async () => {
    await newsroom([]);
    const script = `
      import { DatabaseSync } from 'node:sqlite';
      const db = new DatabaseSync(${JSON.stringify(join(data, 'social.db'))}, { timeout: 5000 });
      db.exec('CREATE TABLE pairs (a INTEGER, b INTEGER)');
      for (let n = 0; ; n++) {
        db.exec('BEGIN IMMEDIATE');
        db.exec(\`INSERT INTO pairs VALUES (\${n}, NULL)\`);
        db.exec(\`UPDATE pairs SET b = a WHERE a = \${n}\`);
        db.exec('COMMIT');
        if (n === 50) console.log('writing');
      }
    `;
    const writer = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void writer.kill('SIGKILL'));
    await once(writer.stdout, 'data');
    for (let round = 0; round < 5; round++) {
      await back(`${to}-${round}`);
      const copy = new DatabaseSync(join(`${to}-${round}`, 'social.db'), { readOnly: true });
      const row = copy.prepare('SELECT count(*) AS n, count(b) AS whole, max(a) AS last FROM pairs').get();
      copy.close();
      expect(row?.whole).toBe(row?.n);
      expect(row?.last).toBe(Number(row?.n) - 1);
    }
  });

  it('X17 the sources are copied before the ledgers, and the drops after them', () => {
    const names = [
      'social.db',
      'pipeline-b.db',
      'judges.db',
      'stories.db',
      'sources.db',
      'pipeline-a.db',
      'newsroom.lock',
    ];
    expect(databaseFiles(names)).toEqual([
      'sources.db',
      'stories.db',
      'pipeline-a.db',
      'pipeline-b.db',
      'judges.db',
      'social.db',
    ]);
  });

  it('refuses an existing target and leaves it unchanged', async () => {
    await newsroom(['a']);
    mkdirSync(to);
    await expect(back()).rejects.toThrow(BackupThereError);
    expect(readdirSync(to)).toEqual([]);
  });

  it('refuses to back up a damaged database, and leaves no partial backup', async () => {
    await newsroom(['a']);
    writeFileSync(join(data, 'sources.db'), 'no database, but longer than the header of one. '.repeat(50));
    await expect(back()).rejects.toThrow(/sources\.db|not a database/);
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('X17 restore refuses a running newsroom', async () => {
    await newsroom(['a']);
    await back();
    const running = FolderLock.acquire(data, 'a newsroom');
    await expect(bring()).rejects.toThrow(/a newsroom \(process \d+ on .*\) is at work on/);
    await running[Symbol.asyncDispose]();
    await bring();
  });

  it.each([
    [
      'a newer schema',
      (at: string) => change(at, (file) => ({ ...file, schema: file.name === 'runs.db' ? 99 : file.schema })),
      /runs\.db has schema 99, and this program knows \d+: restore it with the newer program/,
    ],
    [
      'a file of a newer program',
      (at: string) => change(at, (file) => (file.name === 'runs.db' ? { ...file, name: 'dreams.db' } : file)),
      /dreams\.db is unknown to this program/,
    ],
    ['a damaged file', (at: string) => appendFileSync(join(at, 'runs.db'), 'x'), /runs\.db in .* is damaged/],
    ['a missing file', (at: string) => rmSync(join(at, 'runs.db')), /runs\.db is missing/],
    ['no manifest', (at: string) => rmSync(join(at, 'manifest.json')), /is not a backup/],
    [
      'a broken manifest',
      (at: string) => writeFileSync(join(at, 'manifest.json'), '{'),
      /is not what this program writes/,
    ],
    [
      'a changed manifest',
      (at: string) => {
        const file = join(at, 'manifest.json');
        writeFileSync(file, readFileSync(file, 'utf8').replace(/"bytes": \d+/, '"bytes": 1'));
      },
      /was changed since/,
    ],
    [
      'a name that leads out of the folder',
      (at: string) =>
        change(at, (file) => (file.name === 'runs.db' ? { ...file, name: '../runs.db' } : file)),
      /is not what this program writes/,
    ],
  ])('X17 restore refuses %s and touches nothing', async (_, spoil, words) => {
    await newsroom(['a']);
    await back();
    await newsroom(['b']);
    await spoil(to);
    await expect(bring()).rejects.toThrow(words);
    expect(await itemsIn()).toEqual([keyOf('a'), keyOf('b')].toSorted());
  });

  it('X17 an interrupted restore keeps the newsroom from starting, and continues when it is repeated', async () => {
    await newsroom(['a']);
    await back();
    await newsroom(['b']);
    // As a crash leaves it: one file moved, marker present.
    const replaced = join(data, 'replaced-before');
    mkdirSync(replaced);
    writeFileSync(join(data, 'restore-under-way.txt'), 'replaced-before\n');
    const ledger = readFileSync(join(data, 'pipeline-morning.db'));
    writeFileSync(join(replaced, 'pipeline-morning.db'), ledger);
    rmSync(join(data, 'pipeline-morning.db'));
    const config = { engine: { kind: 'embedded' as const }, data };
    expect(() => lockDataFolder(config, 'a newsroom')).toThrow(/cut short: run `kawaraban restore` again/);
    expect(await bring()).toMatchObject({ replaced, wayBack: true });
    expect(await itemsIn()).toEqual([keyOf('a')]);
    expect(await itemsIn(replaced)).toEqual([keyOf('a'), keyOf('b')].toSorted());
    await lockDataFolder(config, 'a newsroom')?.[Symbol.asyncDispose]();
  });

  it('X17 replaces and keeps damaged data, and reports that it cannot be restored', async () => {
    await newsroom(['a']);
    await back();
    writeFileSync(join(data, 'runs.db'), 'a disk that has seen better days. '.repeat(100));
    const { wayBack, replaced } = await bring();
    expect(wayBack).toBe(false);
    expect(existsSync(join(replaced ?? '', 'runs.db'))).toBe(true);
    expect(await itemsIn()).toEqual([keyOf('a')]);
  });
});

/** Rewrites the manifest with a valid checksum. */
async function change(
  at: string,
  edit: (file: { name: string; bytes: number; sha256: string; schema: number | null }) => object,
): Promise<void> {
  const { createManifest } = await import('./backup.ts');
  const path = join(at, 'manifest.json');
  const { files } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify(createManifest(files.map(edit), '2.0.0', NOW)));
}
