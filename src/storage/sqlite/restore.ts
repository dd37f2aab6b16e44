import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RestoredPeriod } from '../../outbox/restored-backup.ts';
import { OperationalError } from '../../telemetry/errors.ts';
import { type BackupFile, BadBackupError, createManifest, hashFile, readManifest } from './backup.ts';
import { databaseFiles, knownSchemaVersion, MANIFEST_FILE, plainFiles } from './data-folder.ts';
import { sealDatabase } from './database.ts';
import { FolderLock } from './folder-lock.ts';

/** Marks a restore in progress; contains the folder of the replaced data. */
const MARKER_FILE = 'restore-under-way.txt';

export interface RestoreRequest {
  readonly data: string;
  readonly from: string;
  readonly program: string;
  readonly now: number;
  readonly onProgress?: (text: string, done: number, total: number) => void;
}

export interface RestoreResult {
  readonly files: number;
  readonly createdAt: string;
  readonly program: string;
  /** Folder of the replaced data; `null` where there was none. */
  readonly replaced: string | null;
  /** Whether the replaced data can be restored in the same way. */
  readonly wayBack: boolean;
}

/** A restore was interrupted: the folder contains neither the old state nor the new one. */
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
 * Restores a backup. Everything is checked before anything is changed: hashes, SQLite's integrity check of each database,
 * and that this program knows every schema. The replaced data is moved to a folder from which it can be restored in turn.
 */
export async function restore(ask: RestoreRequest): Promise<RestoreResult> {
  const { data, from } = ask;
  const lock = FolderLock.acquire(data, 'a restore');
  try {
    const manifest = await readManifest(from);
    const staged = join(data, '.restoring');
    await rm(staged, { recursive: true, force: true });
    await mkdir(staged, { recursive: true, mode: 0o700 });
    await stageFiles(manifest.files, staged, ask);
    const replaced = await moveCurrentData(ask);
    for (const { name } of manifest.files) await rename(join(staged, name), join(data, name));
    await rm(staged, { recursive: true, force: true });
    await recordRestore(data, { from: Date.parse(manifest.createdAt), to: ask.now });
    const wayBack = replaced !== null && (await writeManifest(replaced, ask));
    await rm(join(data, MARKER_FILE), { force: true });
    const { createdAt, program } = manifest;
    return { files: manifest.files.length, createdAt, program, replaced, wayBack };
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

/** Throws where a restore was interrupted. */
export function assertNoInterruptedRestore(data: string): void {
  if (existsSync(join(data, MARKER_FILE))) throw new RestoreUnderWayError(data);
}

async function stageFiles(files: readonly BackupFile[], staged: string, ask: RestoreRequest): Promise<void> {
  for (const [index, { name, bytes, sha256, schema }] of files.entries()) {
    ask.onProgress?.(`Checking ${name}`, index, files.length);
    const known = knownSchemaVersion(name);
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

/** Moves into a subfolder, so that nothing is copied; an interrupted restore continues with its own folder. */
async function moveCurrentData({ data, now, onProgress }: RestoreRequest): Promise<string | null> {
  const marker = join(data, MARKER_FILE);
  const interrupted = await readFile(marker, 'utf8').catch(() => null);
  const name = interrupted?.trim() || `replaced-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  const target = join(data, name);
  const names = await readdir(data);
  const files = [...databaseFiles(names), ...plainFiles(names)];
  if (files.length === 0 && interrupted === null) return null;
  await mkdir(target, { recursive: true, mode: 0o700 });
  await writeFile(marker, `${name}\n`, { flush: true });
  for (const [index, file] of files.entries()) {
    onProgress?.(`Moving ${file} aside`, index, files.length);
    // The file moved by the first attempt is the old state; the one here now is from the backup.
    if (existsSync(join(target, file))) continue;
    for (const beside of [`${file}-wal`, `${file}-shm`])
      if (names.includes(beside)) await rename(join(data, beside), join(target, beside));
    await rename(join(data, file), join(target, file));
  }
  return target;
}

/** Turns the replaced data into a backup; false where it is damaged, which may be the reason for the restore. */
async function writeManifest(folder: string, { program, now }: RestoreRequest): Promise<boolean> {
  try {
    const names = await readdir(folder);
    const files: BackupFile[] = [];
    const plain = plainFiles(names);
    for (const name of [...plain, ...databaseFiles(names)]) {
      const path = join(folder, name);
      const schema = plain.includes(name) ? null : sealDatabase(path);
      files.push({ name, bytes: (await stat(path)).size, sha256: await hashFile(path), schema });
    }
    const manifest = createManifest(files, program, now);
    await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** In the data folder, so that later backups include it. */
export const RESTORED_FILE = 'restored.json';

const restoredFileSchema = z.object({ from: z.iso.datetime(), to: z.iso.datetime() });

/** Records the period between the backup and now, which is missing from the data folder. */
export async function recordRestore(data: string, { from, to }: RestoredPeriod): Promise<void> {
  const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  await writeFile(join(data, RESTORED_FILE), `${JSON.stringify(times)}\n`, { mode: 0o600, flush: true });
}

/** `null` where the data folder was never restored. */
export function readRestoredPeriod(data: string): RestoredPeriod | null {
  let text: string;
  try {
    text = readFileSync(join(data, RESTORED_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const { from, to } = restoredFileSchema.parse(JSON.parse(text));
  return { from: Date.parse(from), to: Date.parse(to) };
}
