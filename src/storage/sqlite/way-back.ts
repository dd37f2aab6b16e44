import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** In the data folder: the program that opened it last. */
export const PROGRAM_FILE = 'kawaraban.json';

/** In the data folder: the copy that the last upgrade made before it changed anything. */
export const COPIES_FOLDER = 'before-upgrade';

/** The program that opened this data folder last; `null` for data of 0.2 and before, which did not record it. */
export function recordedProgram(data: string): string | null {
  return programIn(join(data, PROGRAM_FILE));
}

/** A backup that an upgrade made, in the form that `kawaraban restore` takes. */
export interface UpgradeCopy {
  readonly folder: string;
  /** The program whose data it is; `null` where that did not record itself. */
  readonly program: string | null;
}

/** Oldest first. */
export function upgradeCopies(data: string): readonly UpgradeCopy[] {
  const folder = join(data, COPIES_FOLDER);
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => ({ folder: join(folder, name), program: recordedProgram(join(folder, name)) }))
      .toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
  } catch {
    return [];
  }
}

/** How to go on with data that a newer program has upgraded. */
export function wayBack(data: string): string {
  const program = recordedProgram(data);
  const newer =
    program === null
      ? 'install the newer version again'
      : `install ${program} again (npm i -g kawaraban@${program})`;
  const copy = upgradeCopies(data).at(-1);
  const older =
    copy === undefined
      ? 'restore a backup that was made before the upgrade (kawaraban restore <folder>)'
      : `restore the copy from before the upgrade (kawaraban restore ${copy.folder})`;
  return `Either ${newer}, or ${older}; what happened since is not in it.`;
}

function programIn(path: string): string | null {
  try {
    const { program } = JSON.parse(readFileSync(path, 'utf8')) as { program?: unknown };
    // It is printed as part of a command.
    return typeof program === 'string' && /^[\w.+-]{1,64}$/.test(program) ? program : null;
  } catch {
    return null;
  }
}
