import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { OperationalError } from '../../telemetry/errors.ts';
import { ACCOUNT_MIGRATIONS } from './account-store.ts';
import { COUNTS_MIGRATIONS } from './counts-log.ts';
import { copyDatabase } from './database.ts';
import { LOCK_FILE } from './folder-lock.ts';
import { JUDGE_MIGRATIONS } from './judge-stores.ts';
import { LEDGER_MIGRATIONS } from './ledger/migrations.ts';
import { PUBLISHING_MIGRATIONS } from './publishing-stores.ts';
import { READER_MIGRATIONS } from './reader/migrations.ts';
import { RECEIVED_MIGRATIONS } from './received-drops.ts';
import { RUN_MIGRATIONS } from './run-store.ts';
import { SOCIAL_MIGRATIONS } from './social-migrations.ts';
import { SOURCE_MIGRATIONS } from './source-store.ts';
import { STORY_MIGRATIONS } from './story-file.ts';

interface DataFile {
  readonly name: RegExp;
  /** The newest schema that this program knows. */
  readonly schema: number;
}

/**
 * The databases of the data folder, in the order in which a backup copies them while the newsroom runs. A file
 * that is copied earlier is older, and every file tolerates an older state of those before it:
 *
 * - The sources come before the ledgers. Their markers record how far a feed was read; an older marker has the feed read again,
 *   and the ledger recognises what it has seen. A newer one would skip items that the ledger never received.
 * - The sources come before the reader's entries too, which recognise what they have. Its people come before the accounts: what
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
  { name: /^runs\.db$/, schema: RUN_MIGRATIONS.length },
  { name: /^sources\.db$/, schema: SOURCE_MIGRATIONS.length },
  { name: /^reader\.db$/, schema: READER_MIGRATIONS.length },
  { name: /^stories\.db$/, schema: STORY_MIGRATIONS.length },
  { name: /^pipeline-[A-Za-z0-9_-]+\.db$/, schema: LEDGER_MIGRATIONS.length },
  { name: /^judges\.db$/, schema: JUDGE_MIGRATIONS.length },
  { name: /^stories\.db$/, schema: STORY_MIGRATIONS.length },
  { name: /^press\.db$/, schema: PUBLISHING_MIGRATIONS.length },
  { name: /^counts\.db$/, schema: COUNTS_MIGRATIONS.length },
  { name: /^accounts\.db$/, schema: ACCOUNT_MIGRATIONS.length },
  { name: /^social\.db$/, schema: SOCIAL_MIGRATIONS.length },
  { name: /^received\.db$/, schema: RECEIVED_MIGRATIONS.length },
];

/** Not part of the data: the lock, and the staging folder of a restore. */
const IGNORED_FILES = [LOCK_FILE, '.restoring'];

/** The newest schema that this program knows of a file; `null` where it does not know the file. */
export function knownSchemaVersion(name: string): number | null {
  return DATABASE_FILES.find((file) => file.name.test(name))?.schema ?? null;
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

/** The file with the manifest of a backup. */
export const MANIFEST_FILE = 'manifest.json';

/** One file of a backup. `schema` is `null` where it is no database. */
export type BackupFile = z.output<typeof fileSchema>;
/** Describes a backup, so that its integrity and compatibility can be checked. */
export type BackupManifest = z.output<typeof manifestSchema>;

const BACKUP_FORMAT = 'kawaraban-backup';

const fileSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  schema: z.int().min(0).nullable(),
});
const manifestSchema = z.strictObject({
  format: z.literal(BACKUP_FORMAT),
  version: z.literal(1),
  /** Of the program that made it. */
  program: z.string(),
  createdAt: z.iso.datetime(),
  files: z.array(fileSchema).max(10_000),
  /** Of the list of files above. */
  sha256: z.string(),
});

/** A folder that cannot be restored; the message is the reason. */
export class BadBackupError extends OperationalError {
  readonly kind = 'bad_data';
  override readonly name = 'BadBackupError';
}

export function createManifest(files: readonly BackupFile[], program: string, now: number): BackupManifest {
  const createdAt = new Date(now).toISOString();
  return {
    format: BACKUP_FORMAT,
    version: 1,
    program,
    createdAt,
    files: [...files],
    sha256: hashFileList(files),
  };
}

export async function readManifest(folder: string): Promise<BackupManifest> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST_FILE), 'utf8');
  } catch (cause) {
    throw new BadBackupError(`${folder} is not a backup: it has no ${MANIFEST_FILE}`, { cause });
  }
  const read = manifestSchema.safeParse(parseJson(text));
  if (!read.success)
    throw new BadBackupError(
      `${join(folder, MANIFEST_FILE)} is not what this program writes: damaged, or of a newer program`,
    );
  if (hashFileList(read.data.files) !== read.data.sha256)
    throw new BadBackupError(`${join(folder, MANIFEST_FILE)} was changed since it was written`);
  return read.data;
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function hashFileList(files: readonly BackupFile[]): string {
  const lines = files.map(({ name, bytes, sha256, schema }) => `${name} ${bytes} ${sha256} ${schema}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export interface BackupRequest {
  readonly data: string;
  /** A folder that does not exist yet. */
  readonly to: string;
  readonly program: string;
  readonly now: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (file: string, done: number, of: number) => void;
}

/** The target folder exists already. Nothing in it was changed. */
export class BackupThereError extends OperationalError {
  readonly kind = 'cannot_write';
  override readonly name = 'BackupThereError';
}

/**
 * Copies the data folder of the embedded engine while the newsroom runs. Each file is a snapshot, and the order of copying makes
 * them a state that the newsroom can continue from (see `DATABASE_FILES`). The backup appears atomically.
 */
export async function createBackup(ask: BackupRequest): Promise<BackupManifest> {
  const { data, to, program, now, signal, onProgress } = ask;
  if (await exists(to)) throw new BackupThereError(`${to} is there already: name a folder that is not`);
  const part = join(dirname(to), `.${basename(to)}.part`);
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true, mode: 0o700 });
  try {
    const names = await readdir(data);
    const plain = plainFiles(names);
    const all = [...plain, ...databaseFiles(names)];
    const files: BackupFile[] = [];
    for (const [index, name] of all.entries()) {
      signal?.throwIfAborted();
      onProgress?.(name, index, all.length);
      const target = join(part, name);
      let schema: number | null = null;
      if (plain.includes(name)) await copyFile(join(data, name), target);
      else schema = await copyDatabase(join(data, name), target);
      await flush(target);
      files.push({ name, bytes: (await stat(target)).size, sha256: await hashFile(target), schema });
    }
    onProgress?.(MANIFEST_FILE, all.length, all.length);
    const manifest = createManifest(files, program, now);
    await writeFile(join(part, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await rename(part, to);
    return manifest;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

/** Syncs a file to disk. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
