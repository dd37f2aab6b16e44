import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sealDatabase } from '../sqlite/copy-database.ts';
import { FolderLock } from '../sqlite/folder-lock.ts';
import { OperationalError } from '../telemetry/errors.ts';
import { type BackupFile, BadBackupError, hashFile, manifestOf, readManifest } from './backup-manifest.ts';
import { databasesIn, knownSchema, MANIFEST, plainFilesIn } from './data-files.ts';
import { recordRestore } from './restored.ts';

/** Says that a restore is under way, and where the data that it replaces goes. */
const MARKER = 'restore-under-way.txt';

export interface RestoreAsk {
  readonly data: string;
  readonly from: string;
  readonly program: string;
  readonly now: number;
  readonly onProgress?: (words: string, done: number, of: number) => void;
}

export interface Restored {
  readonly files: number;
  readonly createdAt: string;
  readonly program: string;
  /** Where the data that was there before is now; `null` where there was none. */
  readonly replaced: string | null;
  /** That one can be restored again in the same way. */
  readonly wayBack: boolean;
}

/** A restore was cut short; what is in the folder is neither the old state nor the new one. */
export class RestoreUnderWayError extends OperationalError {
  readonly kind = 'unavailable';
  override readonly name = 'RestoreUnderWayError';

  constructor(data: string) {
    super(
      `a restore into ${data} was cut short: run \`kawaraban restore\` again with the same backup, it goes on from there`,
    );
  }
}

/**
 * Brings a backup back. Everything is checked before anything is touched: hashes, SQLite's own check of each database, and
 * that this program knows every schema. The data that was there is moved aside, where it can be restored from in turn.
 */
export async function restore(ask: RestoreAsk): Promise<Restored> {
  const { data, from } = ask;
  const lock = FolderLock.hold(data, 'a restore');
  try {
    const manifest = await readManifest(from);
    const staged = join(data, '.restoring');
    await rm(staged, { recursive: true, force: true });
    await mkdir(staged, { recursive: true, mode: 0o700 });
    await stage(manifest.files, staged, ask);
    const replaced = await moveAside(ask);
    for (const { name } of manifest.files) await rename(join(staged, name), join(data, name));
    await rm(staged, { recursive: true, force: true });
    await recordRestore(data, { from: Date.parse(manifest.createdAt), to: ask.now });
    const wayBack = replaced !== null && (await seal(replaced, ask));
    await rm(join(data, MARKER), { force: true });
    const { createdAt, program } = manifest;
    return { files: manifest.files.length, createdAt, program, replaced, wayBack };
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

/** Refuses a folder that a restore has left half-way. */
export function refuseHalfRestored(data: string): void {
  if (existsSync(join(data, MARKER))) throw new RestoreUnderWayError(data);
}

async function stage(files: readonly BackupFile[], staged: string, ask: RestoreAsk): Promise<void> {
  for (const [index, { name, bytes, sha256, schema }] of files.entries()) {
    ask.onProgress?.(`Checking ${name}`, index, files.length);
    const known = knownSchema(name);
    if (schema !== null && (known === null || schema > known))
      throw new BadBackupError(
        known === null
          ? `${name} is unknown to this program: the backup is of a newer one, so restore it with that`
          : `${name} has schema ${schema}, and this program knows ${known}: restore it with the newer program`,
      );
    const source = join(ask.from, name);
    const size = await stat(source).then(
      (found) => found.size,
      () => null,
    );
    if (size === null) throw new BadBackupError(`${name} is missing from ${ask.from}`);
    if (size !== bytes || (await hashFile(source)) !== sha256)
      throw new BadBackupError(`${name} in ${ask.from} is damaged: it is not what was backed up`);
    const target = join(staged, name);
    await copyFile(source, target);
    if (schema !== null && sealDatabase(target) !== schema)
      throw new BadBackupError(`${name} in ${ask.from} has another schema than its manifest says`);
  }
}

/** Into a folder inside the data folder, so that nothing is copied; a restore that was cut short goes on with its own. */
async function moveAside({ data, now, onProgress }: RestoreAsk): Promise<string | null> {
  const marker = join(data, MARKER);
  const begun = await readFile(marker, 'utf8').catch(() => null);
  const name = begun?.trim() || `replaced-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  const target = join(data, name);
  const names = await readdir(data);
  const memory = [...databasesIn(names), ...plainFilesIn(names)];
  if (memory.length === 0 && begun === null) return null;
  await mkdir(target, { recursive: true, mode: 0o700 });
  await writeFile(marker, `${name}\n`, { flush: true });
  for (const [index, file] of memory.entries()) {
    onProgress?.(`Moving ${file} aside`, index, memory.length);
    // What a first try moved away is the older state; what lies here now came from the backup.
    if (existsSync(join(target, file))) continue;
    for (const beside of [`${file}-wal`, `${file}-shm`])
      if (names.includes(beside)) await rename(join(data, beside), join(target, beside));
    await rename(join(data, file), join(target, file));
  }
  return target;
}

/** Makes a backup of what was moved aside; false where it is damaged, which may be why somebody restores. */
async function seal(folder: string, { program, now }: RestoreAsk): Promise<boolean> {
  try {
    const names = await readdir(folder);
    const files: BackupFile[] = [];
    const plain = plainFilesIn(names);
    for (const name of [...plain, ...databasesIn(names)]) {
      const path = join(folder, name);
      const schema = plain.includes(name) ? null : sealDatabase(path);
      files.push({ name, bytes: (await stat(path)).size, sha256: await hashFile(path), schema });
    }
    const manifest = manifestOf(files, program, now);
    await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
