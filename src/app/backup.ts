import { copyFile, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { copyDatabase } from '../sqlite/copy-database.ts';
import { OperationalError } from '../telemetry/errors.ts';
import { type BackupFile, type BackupManifest, hashFile, manifestOf } from './backup-manifest.ts';
import { databasesIn, MANIFEST, plainFilesIn } from './data-files.ts';

export interface BackupAsk {
  readonly data: string;
  /** A folder that does not exist yet. */
  readonly to: string;
  readonly program: string;
  readonly now: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (file: string, done: number, of: number) => void;
}

/** The folder is there already. Nothing in it was touched. */
export class BackupThereError extends OperationalError {
  readonly kind = 'cannot_write';
  override readonly name = 'BackupThereError';
}

/**
 * Copies the data folder of the embedded engine while the newsroom runs. Each file is of one moment, and the order in which
 * they are copied makes all of them together a state that the newsroom can go on from (see `data-files.ts`). The whole
 * backup appears at once, or not at all.
 */
export async function backUp(ask: BackupAsk): Promise<BackupManifest> {
  const { data, to, program, now, signal, onProgress } = ask;
  if (await isThere(to)) throw new BackupThereError(`${to} is there already: name a folder that is not`);
  const part = join(dirname(to), `.${basename(to)}.part`);
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true, mode: 0o700 });
  try {
    const names = await readdir(data);
    const plain = plainFilesIn(names);
    const all = [...plain, ...databasesIn(names)];
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
    onProgress?.(MANIFEST, all.length, all.length);
    const manifest = manifestOf(files, program, now);
    await writeFile(join(part, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await rename(part, to);
    return manifest;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

/** On the disk, not only with the operating system. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
