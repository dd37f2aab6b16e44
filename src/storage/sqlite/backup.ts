import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { OperationalError } from '../../telemetry/errors.ts';
import { databaseFiles, MANIFEST_FILE, plainFiles } from './data-folder.ts';
import { copyDatabase } from './database.ts';

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
  /** Texts that are kept beside the data, by path in the backup. */
  readonly besides?: ReadonlyMap<string, string>;
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
 * them a state that the newsroom can continue from (see `data-folder.ts`). The backup appears atomically.
 */
export async function createBackup(ask: BackupRequest): Promise<BackupManifest> {
  const { data, to, program, now, besides = new Map(), signal, onProgress } = ask;
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
    for (const [name, text] of besides) {
      await mkdir(dirname(join(part, name)), { recursive: true, mode: 0o700 });
      await writeFile(join(part, name), text, { mode: 0o600, flush: true });
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
