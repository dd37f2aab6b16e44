import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '../../telemetry/errors.ts';
import { ACCOUNT_MIGRATIONS } from './account-store.ts';
import { COUNTS_MIGRATIONS } from './counts-log.ts';
import type { Migration } from './database.ts';
import { LOCK_FILE } from './folder-lock.ts';
import { JUDGE_MIGRATIONS } from './judge-stores.ts';
import { LEDGER_MIGRATIONS } from './ledger/migrations.ts';
import { PUBLISHING_MIGRATIONS } from './publishing-stores.ts';
import { LEARNING_MIGRATIONS } from './reaction-store.ts';
import { READER_MIGRATIONS } from './reader/migrations.ts';
import { RECEIVED_MIGRATIONS } from './received-drops.ts';
import { RUN_MIGRATIONS } from './run-store.ts';
import { SOCIAL_MIGRATIONS } from './social-migrations.ts';
import { SOURCE_MIGRATIONS } from './source-store.ts';
import { STORY_MIGRATIONS } from './story-file.ts';
import { PROGRAM_FILE, recordedProgram } from './way-back.ts';

interface DataFile {
  readonly name: RegExp;
  /** For people. */
  readonly holds: string;
  readonly migrations: readonly Migration[];
}

/**
 * The databases of the data folder, in the order in which a backup copies them while the newsroom runs. A file
 * that is copied earlier is older, and every file tolerates an older state of those before it:
 *
 * - The sources come before the ledgers. Their markers record how far a feed was read; an older marker has the feed read again,
 *   and the ledger recognises what it has seen. A newer one would skip items that the ledger never received.
 * - The sources come before the reader's entries too, which recognise what they have. Its people and their reactions come before the accounts: what
 *   belongs to an unknown person is never shown.
 * - The stories come before the ledgers. They record up to which change a pipeline's scores were imported; an older record has
 *   them imported again.
 * - A ledger has its items and its messages in one file, so they are consistent.
 * - The drops come after the ledgers. A message that the ledger has not yet marked as sent is posted again under its key, and
 *   the drop is there already. The other way round a message would count as sent and its drop be missing.
 * - The people come after their accounts. A person without an account is invited again; an account without its person
 *   would be unusable.
 */
const DATABASE_FILES: readonly DataFile[] = [
  { name: /^runs\.db$/, holds: 'runs, leases and settings of pipelines', migrations: RUN_MIGRATIONS },
  { name: /^sources\.db$/, holds: 'sources and their states', migrations: SOURCE_MIGRATIONS },
  { name: /^reader\.db$/, holds: 'articles of the reader', migrations: READER_MIGRATIONS },
  { name: /^learning\.db$/, holds: 'reactions of people', migrations: LEARNING_MIGRATIONS },
  { name: /^stories\.db$/, holds: 'ranked stories', migrations: STORY_MIGRATIONS },
  {
    name: /^pipeline-[A-Za-z0-9_-]+\.db$/,
    holds: 'items and messages of a pipeline',
    migrations: LEDGER_MIGRATIONS,
  },
  { name: /^judges\.db$/, holds: 'verdicts and budgets of judges', migrations: JUDGE_MIGRATIONS },
  { name: /^press\.db$/, holds: 'daily limits and edits of messages', migrations: PUBLISHING_MIGRATIONS },
  { name: /^counts\.db$/, holds: 'counts for the charts', migrations: COUNTS_MIGRATIONS },
  { name: /^accounts\.db$/, holds: 'accounts, sessions and tokens', migrations: ACCOUNT_MIGRATIONS },
  { name: /^social\.db$/, holds: 'people, follows and drops', migrations: SOCIAL_MIGRATIONS },
  {
    name: /^received\.db$/,
    holds: 'drops that other servers sent',
    migrations: RECEIVED_MIGRATIONS,
  },
];

/** The file with the manifest of a backup. */
export const MANIFEST_FILE = 'manifest.json';

/** Not part of the data: the lock, and the staging folder of a restore. */
const IGNORED_FILES = [LOCK_FILE, '.restoring'];

function dataFile(name: string): DataFile | undefined {
  return DATABASE_FILES.find((file) => file.name.test(name));
}

/** The newest schema that this program knows of a file; `null` where it does not know the file. */
export function knownSchemaVersion(name: string): number | null {
  return dataFile(name)?.migrations.length ?? null;
}

/** Sorted as a backup copies them; databases that this program does not know come last. */
export function databaseFiles(names: readonly string[]): readonly string[] {
  const rank = (name: string): number => {
    const found = DATABASE_FILES.findIndex((file) => file.name.test(name));
    return found === -1 ? DATABASE_FILES.length : found;
  };
  return names
    .filter((name) => name.endsWith('.db') && !IGNORED_FILES.includes(name))
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Data files that are no databases, such as a generated key. */
export function plainFiles(names: readonly string[]): readonly string[] {
  return names.filter(
    (name) =>
      /\.(key|pem|json)$/.test(name) &&
      !name.startsWith('.') &&
      name !== MANIFEST_FILE &&
      !IGNORED_FILES.includes(name),
  );
}

/** One database of the data folder, as it is. */
export interface InspectedFile {
  readonly name: string;
  readonly path: string;
  readonly holds: string;
  /** With its log. */
  readonly bytes: number;
  /** `null` where it cannot be read; `problem` says why. */
  readonly schema: number | null;
  readonly problem: string | null;
  /** The newest schema that this program knows. */
  readonly known: number;
  readonly migrations: readonly Migration[];
  /** Steps that bring it to that schema. */
  readonly pending: readonly Migration[];
}

/** Every database that this program knows. Nothing in the folder is changed, and nothing is created. */
export function inspectDataFolder(data: string): readonly InspectedFile[] {
  if (!existsSync(data)) return [];
  return databaseFiles(readdirSync(data)).flatMap((name) => {
    const file = dataFile(name);
    return file === undefined ? [] : [inspectFile(join(data, name), file)];
  });
}

function inspectFile(path: string, { holds, migrations }: DataFile): InspectedFile {
  const known = migrations.length;
  const bytes = [path, `${path}-wal`].reduce((sum, each) => sum + sizeOf(each), 0);
  const facts = { name: basename(path), path, holds, bytes, known, migrations };
  try {
    const schema = readUnchanged(path, (db) =>
      Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0),
    );
    return { ...facts, schema, problem: null, pending: migrations.slice(schema) };
  } catch (error) {
    return { ...facts, schema: null, problem: errorMessage(error), pending: [] };
  }
}

/** Rows of those tables that exist. Changes nothing. */
export function countRows(path: string, tables: readonly string[]): ReadonlyMap<string, number> {
  if (tables.length === 0) return new Map();
  return readUnchanged(path, (db) => {
    const exists = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
    const found = tables.filter((table) => exists.get(table) !== undefined);
    return new Map(
      found.map((table) => [table, Number(db.prepare(`SELECT count(*) AS n FROM "${table}"`).get()?.n)]),
    );
  });
}

/**
 * Reads a database without changing a byte of it, of its log, or of the folder. SQLite would create the index of the log
 * (`-shm`), recover it and, as the last connection, merge the log.
 */
export function readUnchanged<T>(path: string, read: (db: DatabaseSync) => T): T {
  // In use, or left by a crash: the index is only read, and rebuilt in memory where it is outdated.
  if (existsSync(`${path}-shm`)) return readAs(path, { mode: 'ro', readonly_shm: '1' }, read);
  if (sizeOf(`${path}-wal`) === 0) return readAs(path, { immutable: '1' }, read);
  // A log without its index needs one, which must not be created here.
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-read-'));
  try {
    const copy = join(folder, basename(path));
    for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    return readAs(copy, { mode: 'rw' }, read);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readAs<T>(path: string, query: Record<string, string>, read: (db: DatabaseSync) => T): T {
  const url = pathToFileURL(path);
  url.search = new URLSearchParams(query).toString();
  const db = new DatabaseSync(url, { readOnly: query.mode !== 'rw', timeout: 5000 });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Records the program that opened the data folder last. A newer one is named when an older one refuses its data. */
export async function recordProgram(data: string, program: string, now: number): Promise<void> {
  if (recordedProgram(data) === program || !existsSync(data)) return;
  const record = { program, since: new Date(now).toISOString() };
  await writeFile(join(data, PROGRAM_FILE), `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true });
}
