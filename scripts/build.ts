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
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Plugin, rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const STAMP = join(root, 'build', '.dist-built');
const NODE_22 = join(import.meta.dirname, 'node-22.ts');

/** Modules that are loaded by name, from outside of the program or from the package's own `bin`. */
const ENTRIES = {
  main: 'src/cli/main.ts',
  api: 'src/plugins/api.ts',
  testing: 'src/plugins/testing/testing.ts',
  'cloud-function': 'src/serverless/cloud-function.ts',
  serverless: 'src/serverless/main.ts',
};

/** `new URL('entry.ts', import.meta.url)` names the module of a thread or process: it is compiled too, and named by its new URL. */
const ownModules: Plugin = {
  name: 'own-modules',
  transform: {
    filter: { id: /\.ts$/, code: /new URL\('/ },
    handler(_code, id, { magicString }) {
      if (magicString === undefined)
        throw new Error('rolldown has no magicString; set experimental.nativeMagicString');
      for (const { index, 0: whole, 1: file = '' } of magicString
        .toString()
        .matchAll(/new URL\('((?:\.{1,2}\/)*[\w/-]+\.ts)', import\.meta\.url\)/g)) {
        const reference = this.emitFile({ type: 'chunk', id: resolve(dirname(id), file) });
        magicString.update(index, index + whole.length, `new URL(import.meta.ROLLUP_FILE_URL_${reference})`);
      }
      return { code: magicString };
    },
  },
};

/** Compiles what changed since the last time, or nothing; returns a line that says what was made. One process at a time. */
export async function build(): Promise<string> {
  mkdirSync(join(root, 'build'), { recursive: true });
  // SQLite waits until another process ends its build, also if that crashes.
  const lock = new DatabaseSync(join(root, 'build', '.dist-lock'), { timeout: 600_000 });
  try {
    lock.exec('BEGIN IMMEDIATE');
    return await compile();
  } finally {
    lock.close();
  }
}

async function compile(): Promise<string> {
  const wanted = fingerprint();
  const before = existsSync(join(dist, 'main.js')) ? await readFile(STAMP, 'utf8').catch(() => '') : '';
  if (before === wanted) return 'dist/: nothing changed';
  const started = performance.now();
  const made = join(root, 'build', 'dist');
  rmSync(made, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: root,
    input: ENTRIES,
    platform: 'node',
    // Packages stay packages; npm installs them.
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    plugins: [ownModules],
    transform: {
      target: 'node22.18',
      inject: {
        AsyncDisposableStack: [NODE_22, 'AsyncDisposableStack'],
        SuppressedError: [NODE_22, 'SuppressedError'],
      },
    },
    experimental: { nativeMagicString: true },
  });
  const { output } = await bundle.write({
    dir: made,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  writeDeclarations(join(made, 'types'));
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist)) if (name !== 'web') rmSync(join(dist, name), { recursive: true });
  for (const name of readdirSync(made)) renameSync(join(made, name), join(dist, name));
  writeFileSync(STAMP, wanted);
  const bytes = output.reduce((sum, file) => sum + (file.type === 'chunk' ? file.code.length : 0), 0);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  return `dist/: ${output.length} files, ${(bytes / 1e6).toFixed(1)} MB of JavaScript, ${seconds} s`;
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
