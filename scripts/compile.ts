import { basename, dirname, join, resolve } from 'node:path';
import { type CodeSplittingNameFunction, type Plugin, rolldown } from 'rolldown';
import {
  editable,
  editedPackages,
  oneByteChunks,
  replacedPackages,
  withoutLazyParts,
} from './smaller-program.ts';

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
const ownModules = (found: Set<string>): Plugin => ({
  name: 'own-modules',
  transform: {
    filter: { id: /\.ts$/, code: /new URL\('/ },
    handler(_code, id, { magicString }) {
      const source = editable(magicString);
      for (const { index, 0: whole, 1: file = '' } of source
        .toString()
        .matchAll(/new URL\('((?:\.{1,2}\/)*[\w/-]+\.ts)', import\.meta\.url\)/g)) {
        const module = resolve(dirname(id), file);
        found.add(module);
        const reference = this.emitFile({ type: 'chunk', id: module });
        source.update(index, index + whole.length, `new URL(import.meta.ROLLUP_FILE_URL_${reference})`);
      }
      return { code: source };
    },
  },
});

/** Each is loaded with everything that it imports, in this order. */
const LOADED_TOGETHER = [
  'src/cli/program.ts',
  'src/config/config.ts',
  'src/app/app.ts',
  'src/app/embedded.ts',
  'src/app/serve.ts',
];

/**
 * One chunk for all that is loaded together, except for what a `separate` module imports: a thread must not load the program. Without
 * it there is a chunk for every set of entries that share modules, and a start spends a tenth of a second on finding 130 files.
 */
function chunkNames(separate: Iterable<string>): CodeSplittingNameFunction {
  const names = new Map<string, string | null>();
  return (module, graph) => {
    const nameAll = (id: string, name: string | null): void => {
      if (names.has(id)) return;
      names.set(id, name);
      for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) nameAll(imported, name);
    };
    if (names.size === 0) {
      for (const id of separate) nameAll(id, null);
      for (const path of LOADED_TOGETHER) nameAll(join(root, path), basename(path, '.ts'));
    }
    return names.get(module) ?? null;
  };
}

export interface Compiled {
  /** How much it is, for people. */
  readonly summary: string;
  /** Paths of the modules that are in it. */
  readonly sources: readonly string[];
}

/** Compiles the program and its packages into ES modules in a folder. */
export async function compile(dir: string): Promise<Compiled> {
  const started = performance.now();
  const separate = new Set([ENTRIES.api, ENTRIES.testing].map((path) => join(root, path)));
  const bundle = await rolldown({
    cwd: root,
    input: ENTRIES,
    platform: 'node',
    // pdfjs-dist loads files of its own by their path; vitest is the plugin author's.
    external: /^(pdfjs-dist\/|vitest$)/,
    plugins: [ownModules(separate), withoutLazyParts, editedPackages, replacedPackages, oneByteChunks],
    // Says that a package uses `eval`.
    checks: { eval: false, ineffectiveDynamicImport: false },
    preserveEntrySignatures: 'allow-extension',
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
    // Shorter, but not rewritten; some code asks for the name of a class.
    minify: { compress: false, mangle: true, codegen: { removeWhitespace: true } },
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      groups: [
        { debugName: 'loaded together', name: chunkNames(separate), includeDependenciesRecursively: false },
      ],
    },
  });
  const bytes = output.reduce((sum, made) => sum + (made.type === 'chunk' ? made.code.length : 0), 0);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  return {
    summary: `${output.length} files, ${(bytes / 1e6).toFixed(1)} MB of JavaScript, ${seconds} s`,
    sources: output.flatMap((made) => (made.type === 'chunk' ? made.moduleIds : [])),
  };
}
