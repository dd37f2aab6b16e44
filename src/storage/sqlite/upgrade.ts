import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger } from '../../telemetry/logger.ts';
import { createBackup } from './backup.ts';
import { type InspectedFile, inspectDataFolder, readUnchanged } from './data-folder.ts';
import { type NewerFile, NewerSchemaError, openDatabase } from './database.ts';
import { FolderLock } from './folder-lock.ts';
import { RESTORED_FILE } from './restore.ts';
import { COPIES_FOLDER, recordedProgram, upgradeCopies } from './way-back.ts';

/** What opening this data folder with this program would do. */
export interface UpgradePlan {
  readonly files: readonly InspectedFile[];
  /** Files of a newer program: if there is any, nothing is opened. */
  readonly newer: readonly NewerFile[];
  /** Files whose schema is older. */
  readonly pending: readonly InspectedFile[];
  /** Bytes of the copy that is made before, and of the migrations themselves. */
  readonly spaceNeeded: number;
  readonly spaceFree: number;
}

/** Changes nothing. */
export function planUpgrade(data: string): UpgradePlan {
  const files = inspectDataFolder(data);
  const newer = files.flatMap(({ path, schema, known }) =>
    schema !== null && schema > known ? [{ path, schema, known }] : [],
  );
  const pending = files.filter((file) => file.pending.length > 0);
  const total = (some: readonly InspectedFile[]): number => some.reduce((sum, { bytes }) => sum + bytes, 0);
  if (pending.length === 0) return { files, newer, pending, spaceNeeded: 0, spaceFree: 0 };
  const { bavail, bsize } = statfsSync(data);
  return { files, newer, pending, spaceNeeded: total(files) + total(pending), spaceFree: bavail * bsize };
}

/** Work of the next start besides the migrations, such as taking over what earlier versions and other programs left. Changes nothing. */
export function startSteps(data: string, files: readonly InspectedFile[]): readonly string[] {
  const steps: string[] = [];
  const count = ({ path }: InspectedFile, sql: string): number =>
    readUnchanged(path, (db) => Number(db.prepare(sql).get()?.n));
  for (const file of files) {
    const { name, schema } = file;
    if (name === 'sources.db' && schema !== null && schema >= 1) {
      const reported = schema >= 2 ? 'AND reported IS NULL' : '';
      const sql = `SELECT count(*) AS n FROM sources WHERE baseline_taken_at IS NOT NULL ${reported}`;
      const sources = count(file, sql);
      if (sources > 0)
        steps.push(
          `Reads ${sources === 1 ? '1 source' : `${sources} sources`} in full once; what is known is not taken again`,
        );
    }
    if (name.startsWith('pipeline-') && schema !== null && schema >= 9) {
      const rows = count(file, 'SELECT count(*) AS n FROM changed_rows WHERE problem IS NULL');
      if (rows > 0) steps.push(`Takes over rows of ${name} that another program wrote: ${rows}`);
    }
  }
  if (files.length > 0 && !files.some(({ name }) => name === 'reader.db'))
    steps.push('Creates reader.db, which fills as sources are read');
  if (existsSync(join(data, 'waiting-events.jsonl')))
    steps.push('Reads waiting-events.jsonl once and removes it');
  return steps;
}

/** Whether the copy is made: without room for it the upgrade goes on, and only a backup elsewhere leads back. */
export function hasRoomForCopy({ spaceNeeded, spaceFree }: UpgradePlan): boolean {
  return spaceFree > spaceNeeded;
}

export interface UpgradeRequest {
  readonly data: string;
  /** Version of this program. */
  readonly program: string;
  readonly now: number;
  readonly log: Logger;
}

/**
 * Brings the data folder to this program: refuses data of a newer one before anything is changed, keeps a copy of older data,
 * and migrates every file. A folder that is in use by another process is not migrated under it.
 */
export async function upgradeDataFolder(ask: UpgradeRequest): Promise<void> {
  const { data, program, log } = ask;
  const found = planUpgrade(data);
  if (found.newer.length > 0) throw new NewerSchemaError(found.newer);
  if (found.pending.length === 0) return;
  const lock = FolderLock.isHeldHere(data) ? null : FolderLock.acquire(data, 'an upgrade');
  try {
    // Another process may have done it meanwhile.
    const plan = planUpgrade(data);
    if (plan.pending.length === 0) return;
    const from = recordedProgram(data);
    const files = plan.pending.map(({ name }) => name);
    const copy = await keepCopy(plan, ask);
    if (copy === null) log.warn('No room for a copy of the data before its upgrade', { data, files, from });
    for (const { path, name, migrations } of plan.pending) openDatabase(path, { name, migrations }).close();
    await finishCopy(data, copy);
    log.info('Data upgraded', { data, files, from, to: program, copy });
  } finally {
    await lock?.[Symbol.asyncDispose]();
  }
}

/** Names the copy of an upgrade that has not ended. */
const MARKER_FILE = 'under-way.txt';

/** Copies all data, since files only fit together as of one time. Returns the folder; `null` where there is no room. */
async function keepCopy(plan: UpgradePlan, { data, program, now }: UpgradeRequest): Promise<string | null> {
  const copies = join(data, COPIES_FOLDER);
  const interrupted = interruptedCopy(data);
  if (interrupted !== null) return interrupted;
  if (!hasRoomForCopy(plan)) return null;
  await mkdir(copies, { recursive: true, mode: 0o700 });
  const time = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  const to = join(copies, `${time}-${recordedProgram(data) ?? 'earlier'}`);
  await createBackup({ data, to, program, now });
  await writeFile(join(copies, MARKER_FILE), `${basename(to)}\n`, { flush: true });
  return to;
}

/** The copy of an upgrade that was cut short: the data may be half migrated by now. A restore since makes it outdated. */
function interruptedCopy(data: string): string | null {
  const marker = join(data, COPIES_FOLDER, MARKER_FILE);
  if (!existsSync(marker)) return null;
  const folder = join(data, COPIES_FOLDER, readFileSync(marker, 'utf8').trim());
  const restoredAt = statSync(join(data, RESTORED_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return existsSync(folder) && restoredAt < statSync(marker).mtimeMs ? folder : null;
}

/** The copies of earlier upgrades end with this one. */
async function finishCopy(data: string, copy: string | null): Promise<void> {
  if (copy === null) return;
  for (const { folder } of upgradeCopies(data))
    if (folder !== copy) await rm(folder, { recursive: true, force: true });
  await rm(join(data, COPIES_FOLDER, MARKER_FILE), { force: true });
}
