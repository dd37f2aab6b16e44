import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Size of the probe: the least free space that counts. */
const MIN_FREE_BYTES = 64 * 1024;
/** Written and removed by each check; left behind while the disk is full. */
const PROBE_FILE = '.disk-probe';

/** The disk of the data folder is full. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
  readonly folder: string;

  constructor(folder: string, cause: unknown) {
    super(
      `The disk that holds ${folder} is full: nothing can be stored. Free some space; work continues by itself.`,
      { cause },
    );
    this.folder = folder;
  }
}

/** Writes a small file and removes it. Throws `DiskFullError` if the disk is full. */
export async function checkDiskSpace(folder: string): Promise<void> {
  const probe = join(folder, PROBE_FILE);
  try {
    const file = await open(probe, 'w', 0o600);
    try {
      await file.writeFile(Buffer.alloc(MIN_FREE_BYTES));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT'))
      throw new DiskFullError(folder, error);
    throw error;
  }
  await rm(probe, { force: true });
}
