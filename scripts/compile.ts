import { dirname, join, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
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

export interface Compiled {
  /** How much it is, for people. */
  readonly summary: string;
  /** Paths of the modules that are in it. */
  readonly sources: readonly string[];
}

/** Compiles the program and its packages into ES modules in a folder. */
export async function compile(dir: string): Promise<Compiled> {
  const started = performance.now();
  const bundle = await rolldown({
    cwd: root,
    input: ENTRIES,
    platform: 'node',
    // pdfjs-dist loads files of its own by their path; vitest is the plugin author's.
    external: /^(pdfjs-dist\/|vitest$)/,
    plugins: [ownModules],
    // Says that a package uses `eval`.
    checks: { eval: false },
    transform: {
      target: 'node22.18',
      // CommonJS packages that become part of an ES module.
      define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
      inject: {
        AsyncDisposableStack: [NODE_22, 'AsyncDisposableStack'],
        SuppressedError: [NODE_22, 'SuppressedError'],
      },
    },
    experimental: { nativeMagicString: true },
  });
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    sourcemap: true,
    // Without blanks and comments alone: some code asks for the name of a class.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  const bytes = output.reduce((sum, made) => sum + (made.type === 'chunk' ? made.code.length : 0), 0);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  return {
    summary: `${output.length} files, ${(bytes / 1e6).toFixed(1)} MB of JavaScript, ${seconds} s`,
    sources: output.flatMap((made) => (made.type === 'chunk' ? made.moduleIds : [])),
  };
}
