// Compiles the program into `dist/`, as it is published: `npm run build`. The page is in `dist/web`, built by Vite before this.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { compile } from './compile.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const STAMP = join(root, 'build', '.dist-built');

/** Compiles what changed since the last time, or nothing; returns a line that says what was made. One process at a time. */
export async function build(): Promise<string> {
  mkdirSync(join(root, 'build'), { recursive: true });
  // SQLite waits until another process ends its build, also if that crashes.
  const lock = new DatabaseSync(join(root, 'build', '.dist-lock'), { timeout: 600_000 });
  try {
    lock.exec('BEGIN IMMEDIATE');
    return await buildChanged();
  } finally {
    lock.close();
  }
}

async function buildChanged(): Promise<string> {
  const wanted = fingerprint();
  const before = existsSync(join(dist, 'main.js')) ? await readFile(STAMP, 'utf8').catch(() => '') : '';
  if (before === wanted) return 'dist/: nothing changed';
  const made = join(root, 'build', 'dist');
  rmSync(made, { recursive: true, force: true });
  const { summary, sources } = await compile(made);
  dropSourcesOfPackages(made);
  writeDeclarations(join(made, 'types'));
  writeFileSync(join(made, 'LICENSES.txt'), licencesOf(sources));
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist)) if (name !== 'web') rmSync(join(dist, name), { recursive: true });
  for (const name of readdirSync(made)) renameSync(join(made, name), join(dist, name));
  writeFileSync(STAMP, wanted);
  return `dist/: ${summary}`;
}

/**
 * The types of what is public. A consumer's compiler needs `.js` in their imports, and the library of `AsyncDisposable`, whatever it is
 * set to.
 */
function writeDeclarations(folder: string): void {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, '-p', 'tsconfig.api.json', '--outDir', folder, '--pretty', 'false'],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The declarations cannot be written:\n${stdout}`);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const written = readFileSync(join(folder, name), 'utf8');
    const text = written.replaceAll(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2');
    writeFileSync(join(folder, name), `/// <reference lib="esnext.disposable" />\n${text}`);
  }
}

/** The licence of each package that is compiled in. */
function licencesOf(sources: readonly string[]): string {
  const packages = new Set(
    sources.flatMap(
      (path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replace(/^\0/, ''))?.[0] ?? [],
    ),
  );
  return [...packages]
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .sort()
    .map((folder) => {
      const {
        name,
        version,
        license = 'not stated',
      } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name: string;
        version: string;
        license?: string;
      };
      const texts = globSync('{LICENSE,LICENCE,License,license,NOTICE}*', {
        cwd: folder,
        withFileTypes: true,
      })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
      return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(72)}\n\n`);
}

/** The maps keep the sources of the program; those of packages would be two thirds of everything. */
function dropSourcesOfPackages(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.map')) continue;
    const map = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      sources: string[];
      sourcesContent: (string | null)[];
    };
    const own = map.sources.map((source) => !source.includes('node_modules/'));
    if (!own.includes(true)) {
      rmSync(join(folder, name));
      const script = join(folder, name.slice(0, -'.map'.length));
      writeFileSync(script, readFileSync(script, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
      continue;
    }
    map.sourcesContent = map.sourcesContent.map((text, n) => (own[n] ? text : null));
    writeFileSync(join(folder, name), JSON.stringify(map));
  }
}

/** Of everything that the result depends on. */
function fingerprint(): string {
  const files = [
    'src',
    'simulator',
    'proto/gen',
    'scripts/build.ts',
    'scripts/compile.ts',
    'scripts/node-22.ts',
    'scripts/smaller-program.ts',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.api.json',
  ]
    .flatMap((name) => {
      const path = join(root, name);
      if (!statSync(path).isDirectory()) return [path];
      return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file));
    })
    .filter((path) => /\.(ts|json)$/.test(path) && !/\.test\.ts$/.test(path))
    .toSorted();
  const hash = createHash('sha256');
  for (const path of files)
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

if (import.meta.main) process.stdout.write(`${await build()}\n`);
