// Compiles the program into `dist/`, as it is published: `npm run build`. The page is in `dist/web`, built by Vite before this.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const NODE_22 = join(import.meta.dirname, 'node-22.ts');

/** Modules that are loaded by name, from outside of the program or from the package's own `bin`. */
const ENTRIES = {
  main: 'src/cli/main.ts',
  api: 'src/plugins/api.ts',
  testing: 'src/plugins/testing/testing.ts',
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

for (const name of await readdir(dist).catch(() => []))
  if (name !== 'web') rmSync(join(dist, name), { recursive: true });

const started = performance.now();
const bundle = await rolldown({
  cwd: root,
  input: ENTRIES,
  platform: 'node',
  // Packages stay packages; npm installs them.
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
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
  dir: dist,
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await writeDeclarations();
const bytes = output.reduce((sum, made) => sum + (made.type === 'chunk' ? made.code.length : 0), 0);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
process.stdout.write(
  `dist/: ${output.length} files, ${(bytes / 1e6).toFixed(1)} MB of JavaScript, ${seconds} s\n`,
);

/**
 * The types of what is public. A consumer's compiler needs `.js` in their imports, and the library of `AsyncDisposable`, whatever it is
 * set to.
 */
async function writeDeclarations(): Promise<void> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.api.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The declarations cannot be written: see the output of tsc');
  const types = join(dist, 'types');
  for (const name of await readdir(types, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const written = readFileSync(join(types, name), 'utf8');
    const text = written.replaceAll(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2');
    writeFileSync(join(types, name), `/// <reference lib="esnext.disposable" />\n${text}`);
  }
}
