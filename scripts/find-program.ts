import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first executable file of this name on the search path. */
export function findProgram(name: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here; the next folder may have it.
    }
  }
  return null;
}
