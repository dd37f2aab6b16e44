// `node scripts/dead-exports.ts [room …]`: exports of src/ that no other file uses. A type that only its own file uses, and a value
// that only tests use, are told apart, since either may be meant.
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { ROOT } from './checks.ts';
import { sourceFiles } from './imports.ts';

export interface DeadExport {
  readonly file: string;
  readonly name: string;
  /** Its own file uses it: then the word `export` is all that is too much. */
  readonly usedAtHome: boolean;
  /** Tests and benches use it, the program does not. */
  readonly onlyForTests: boolean;
}

const FOLDERS = ['src', 'simulator', 'web', 'bench', 'scripts', 'test', 'deploy', 'docs', 'fuzz'];
const FOR_TESTS =
  /\.test\.tsx?$|\.fixture\.ts$|^(test|bench|scripts|fuzz|simulator|docs|deploy)\/|\/(contract|testing|labelled)\//;

/** All of them, file by file. */
export function deadExports(root: string): readonly DeadExport[] {
  const files = sourceFiles(root, FOLDERS);
  const users = new Map<string, Set<string>>();
  const use = (target: string, name: string, by: string): void => {
    const key = `${target}#${name}`;
    users.set(key, (users.get(key) ?? new Set()).add(by));
  };
  for (const file of files) usesOf(root, file, use);
  return files
    .filter((file) => file.startsWith('src/') && !FOR_TESTS.test(file))
    .flatMap((file) =>
      exportsOf(root, file).flatMap(({ name, usedAtHome }) => {
        const by = [...(users.get(`${file}#${name}`) ?? []), ...(users.get(`${file}#*`) ?? [])];
        if (by.some((user) => !FOR_TESTS.test(user))) return [];
        return [{ file, name, usedAtHome, onlyForTests: by.length > 0 }];
      }),
    );
}

function usesOf(root: string, file: string, use: (target: string, name: string, by: string) => void): void {
  const text = readFileSync(join(root, file), 'utf8');
  const { module } = parseSync(file, text);
  const at = (target: string): string | null =>
    target.startsWith('.') ? posix.normalize(posix.join(dirname(file), target)) : null;
  for (const { moduleRequest, entries } of module.staticImports) {
    const target = at(moduleRequest.value);
    if (target === null) continue;
    for (const { importName } of entries)
      use(
        target,
        importName.kind === 'Name'
          ? (importName.name ?? '')
          : importName.kind === 'Default'
            ? 'default'
            : '*',
        file,
      );
  }
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, importName } of entries) {
      const target = moduleRequest ? at(moduleRequest.value) : null;
      if (target !== null) use(target, importName.kind === 'Name' ? (importName.name ?? '') : '*', file);
    }
  // Whatever is loaded lazily is used as a whole, as far as this can tell: by its names where they are taken apart at once.
  for (const [, names, target] of text.matchAll(
    /(?:const \{([^}]*)\} = await |)import\(\s*'(\.[^']+)'\s*\)/g,
  )) {
    const found = at(target ?? '');
    if (found === null) continue;
    if (names === undefined) use(found, '*', file);
    else for (const name of names.split(',')) use(found, name.split(':')[0]?.trim() ?? '', file);
  }
}

function exportsOf(root: string, file: string): { name: string; usedAtHome: boolean }[] {
  const text = readFileSync(join(root, file), 'utf8');
  const { module } = parseSync(file, text);
  return module.staticExports.flatMap(({ entries }) =>
    entries
      .filter(({ moduleRequest }) => !moduleRequest)
      .flatMap(({ exportName }) => {
        const name = exportName.name ?? (exportName.kind === 'Default' ? 'default' : '');
        if (name === '') return [];
        const mentions = text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
        return [{ name, usedAtHome: mentions > 1 }];
      }),
  );
}

if (import.meta.main) {
  const rooms = process.argv.slice(2);
  const dead = deadExports(ROOT).filter(
    ({ file }) => rooms.length === 0 || rooms.some((room) => file.startsWith(`src/${room}`)),
  );
  for (const { file, name, usedAtHome, onlyForTests } of dead)
    console.log(
      `${file}  ${name}${usedAtHome ? '  (its own file uses it)' : ''}${onlyForTests ? '  (tests use it)' : ''}`,
    );
}
