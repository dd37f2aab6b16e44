import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of the package. Compiled modules are at another depth than their sources, so it is searched for. */
const ROOT = packageRoot(import.meta.dirname);

/** Path of a file that ships with the program, such as `recipes/reader.yaml`. */
export function assetPath(name: string): string {
  return join(ROOT, name);
}

/** Text of a file that ships with the program. */
export function readAsset(name: string): string {
  return readFileSync(assetPath(name), 'utf8');
}

/** Version of the program. */
export function programVersion(): string {
  const { version } = JSON.parse(readAsset('package.json')) as { version: string };
  return version;
}

function packageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('The package.json of kawaraban is missing');
  return packageRoot(above);
}
