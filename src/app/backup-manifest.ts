import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OperationalError } from '../telemetry/errors.ts';
import { MANIFEST } from './data-files.ts';

/** One file of a backup. `schema` is `null` where it is no database. */
export type BackupFile = z.output<typeof file>;
/** What a backup says about itself: enough to tell whether it is whole, and whether a program can read it. */
export type BackupManifest = z.output<typeof manifest>;

const FORMAT = 'kawaraban-backup';

const file = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  schema: z.int().min(0).nullable(),
});
const manifest = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(1),
  /** Of the program that made it. */
  program: z.string(),
  createdAt: z.iso.datetime(),
  files: z.array(file).max(10_000),
  /** Of the files above, as they stand there. */
  sha256: z.string(),
});

/** A folder that cannot be restored; the message says what is wrong with it. */
export class BadBackupError extends OperationalError {
  readonly kind = 'bad_data';
  override readonly name = 'BadBackupError';
}

export function manifestOf(files: readonly BackupFile[], program: string, now: number): BackupManifest {
  const createdAt = new Date(now).toISOString();
  return { format: FORMAT, version: 1, program, createdAt, files: [...files], sha256: hashOf(files) };
}

export async function readManifest(folder: string): Promise<BackupManifest> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST), 'utf8');
  } catch (cause) {
    throw new BadBackupError(`${folder} is no backup: it has no ${MANIFEST}`, { cause });
  }
  const read = manifest.safeParse(json(text));
  if (!read.success)
    throw new BadBackupError(
      `${join(folder, MANIFEST)} is not what this program writes: damaged, or of a newer program`,
    );
  if (hashOf(read.data.files) !== read.data.sha256)
    throw new BadBackupError(`${join(folder, MANIFEST)} was changed since it was written`);
  return read.data;
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function hashOf(files: readonly BackupFile[]): string {
  const lines = files.map(({ name, bytes, sha256, schema }) => `${name} ${bytes} ${sha256} ${schema}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
