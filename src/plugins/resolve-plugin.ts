import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Conditions of `exports` that an `import` fulfils, whatever their order there. */
const CONDITIONS: readonly string[] = ['node', 'import', 'module-sync', 'default'];

/**
 * URL of a plugin's module: a file relative to the first folder, or a package as installed for one of the folders; `null` if there is
 * none. Node's own resolution for `import` starts at the importing module, and cannot be given a folder.
 */
export function resolvePlugin(specifier: string, folders: readonly string[]): string | null {
  const [first = '.'] = folders;
  if (/^(\.{1,2}[\\/]|[\\/]|[A-Za-z]:[\\/])/.test(specifier)) {
    const file = resolve(first, specifier);
    return existsSync(file) ? pathToFileURL(file).href : null;
  }
  for (const folder of folders)
    for (const modules of createRequire(join(folder, 'from.js')).resolve.paths(specifier) ?? []) {
      const root = join(modules, specifier);
      if (existsSync(join(root, 'package.json'))) return pathToFileURL(join(root, mainOf(root))).href;
    }
  return null;
}

function mainOf(root: string): string {
  const { exports, main } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports?: unknown;
    readonly main?: unknown;
  };
  const exported = targetOf(isObject(exports) && '.' in exports ? exports['.'] : exports);
  return exported ?? (typeof main === 'string' ? main : 'index.js');
}

function targetOf(exported: unknown): string | null {
  if (typeof exported === 'string') return exported;
  if (Array.isArray(exported)) return exported.map(targetOf).find((found) => found !== null) ?? null;
  if (!isObject(exported)) return null;
  for (const [condition, below] of Object.entries(exported)) {
    const found = CONDITIONS.includes(condition) ? targetOf(below) : null;
    if (found !== null) return found;
  }
  return null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
