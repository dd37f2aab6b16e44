import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { parseSync } from 'rolldown/utils';

export interface Import {
  /** The file that imports, from the root of the project, with `/`. */
  readonly from: string;
  /** A file from the root of the project, or the name of a package or of a part of Node (`node:fs`). */
  readonly to: string;
  readonly inside: boolean;
  /** Disappears when types are stripped. */
  readonly typeOnly: boolean;
}

/** All source files below these folders, from the root of the project, sorted. */
export function sourceFiles(root: string, folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) => filesBelow(join(root, folder)))
    .map((path) => relative(root, path).split(sep).join('/'))
    .toSorted();
}

const SOURCE = /\.(ts|tsx|mts|mjs|js|jsx)$/;
const PASSED_OVER = new Set(['node_modules', 'gen', 'testdata', 'golden']);

function filesBelow(folder: string): string[] {
  let entries: import('node:fs').Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // A room that is not built yet.
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return PASSED_OVER.has(entry.name) ? [] : filesBelow(path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}

/** What a file imports, re-exports and loads lazily, read from its syntax tree. */
export function importsOf(root: string, file: string): readonly Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message ?? ''}`);
  const found: { target: string; typeOnly: boolean }[] = [];
  for (const { moduleRequest, entries } of module.staticImports)
    found.push({
      target: moduleRequest.value,
      typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
    });
  for (const { entries } of module.staticExports)
    for (const entry of entries)
      if (entry.moduleRequest) found.push({ target: entry.moduleRequest.value, typeOnly: entry.isType });
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^['"`]([^'"`$]+)['"`]$/.exec(text.slice(moduleRequest.start, moduleRequest.end));
    if (literal?.[1] !== undefined) found.push({ target: literal[1], typeOnly: false });
  }
  return found.map(({ target, typeOnly }) => {
    const inside = target.startsWith('.');
    const to = inside ? posix.normalize(posix.join(dirname(file), target)) : packageName(target);
    return { from: file, to, inside, typeOnly };
  });
}

function packageName(target: string): string {
  if (target.startsWith('node:')) return target;
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}
