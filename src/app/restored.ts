import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RestoredPeriod } from '../pipelines/restored.ts';

/** Beside the databases, so that later backups hold it, too. */
const FILE = 'restored.json';

const file = z.object({ from: z.iso.datetime(), to: z.iso.datetime() });

/** Records that everything between the backup and now is unknown to the data folder. */
export async function recordRestore(data: string, { from, to }: RestoredPeriod): Promise<void> {
  const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  await writeFile(join(data, FILE), `${JSON.stringify(times)}\n`, { mode: 0o600, flush: true });
}

/** `null` where the data folder was never restored. */
export function restoredPeriod(data: string): RestoredPeriod | null {
  let text: string;
  try {
    text = readFileSync(join(data, FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const { from, to } = file.parse(JSON.parse(text));
  return { from: Date.parse(from), to: Date.parse(to) };
}
