// Compiles the program into `dist/`, as it is published: `npm run build`. The page is in `dist/web`, built by Vite before this.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
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
  const { summary } = await compile({ dir: made });
  writeDeclarations(join(made, 'types'));
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

/** Of everything that the result depends on. */
function fingerprint(): string {
  const files = [
    'src',
    'simulator',
    'proto/gen',
    'scripts/build.ts',
    'scripts/compile.ts',
    'scripts/node-22.ts',
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
