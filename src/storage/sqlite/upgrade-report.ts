import { countRows, type InspectedFile } from './data-folder.ts';
import { NewerSchemaError } from './database.ts';
import { FolderLock } from './folder-lock.ts';
import { hasRoomForCopy, planUpgrade, startSteps } from './upgrade.ts';
import { recordedProgram, type UpgradeCopy, upgradeCopies } from './way-back.ts';

/** What opening a data folder with this program would change. */
export interface DataReport {
  readonly folder: string;
  /** The version that opened it last; `null` where it did not record itself (0.2 and before). */
  readonly program: string | null;
  readonly files: readonly FileReport[];
  /** What the start does besides. */
  readonly steps: readonly string[];
  /** Why it is refused, and the way back. */
  readonly refused: string | null;
  /** The process that has it open. */
  readonly inUseBy: string | null;
  /** In bytes, where something is migrated; `copy` says whether there is room for the copy that is made before. */
  readonly space: { readonly needed: number; readonly free: number; readonly copy: boolean } | null;
  /** Copies that earlier upgrades made. */
  readonly copies: readonly UpgradeCopy[];
}

interface FileReport {
  readonly name: string;
  readonly holds: string;
  readonly bytes: number;
  readonly schema: number | null;
  readonly known: number;
  readonly problem: string | null;
  readonly migrations: readonly MigrationReport[];
}

interface MigrationReport {
  readonly to: number;
  readonly about: string;
  /** Rows that it reads or converts. */
  readonly rows: number;
}

/** Changes nothing, not even a file that a crash left behind. */
export function reportData(data: string): DataReport {
  const plan = planUpgrade(data);
  const { spaceNeeded, spaceFree, newer, pending } = plan;
  const refused = newer.length > 0 ? new NewerSchemaError(newer).message : null;
  return {
    folder: data,
    program: recordedProgram(data),
    files: plan.files.map(reportFile),
    steps: refused === null ? startSteps(data, plan.files) : [],
    refused,
    inUseBy: FolderLock.holder(data),
    space: pending.length > 0 ? { needed: spaceNeeded, free: spaceFree, copy: hasRoomForCopy(plan) } : null,
    copies: upgradeCopies(data),
  };
}

function reportFile({
  name,
  path,
  holds,
  bytes,
  schema,
  known,
  problem,
  pending,
}: InspectedFile): FileReport {
  const rows = countRows(path, [...new Set(pending.flatMap(({ converts = [] }) => converts))]);
  const migrations = pending.map(({ version, about, converts = [] }) => ({
    to: version,
    about,
    rows: converts.reduce((sum, table) => sum + (rows.get(table) ?? 0), 0),
  }));
  return { name, holds, bytes, schema, known, problem, migrations };
}
