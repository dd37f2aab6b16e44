import http from 'node:http';
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
      const source = editable(magicString);
      for (const { index, 0: whole, 1: file = '' } of source
        .toString()
        .matchAll(/new URL\('((?:\.{1,2}\/)*[\w/-]+\.ts)', import\.meta\.url\)/g)) {
        const reference = this.emitFile({ type: 'chunk', id: resolve(dirname(id), file) });
        source.update(index, index + whole.length, `new URL(import.meta.ROLLUP_FILE_URL_${reference})`);
      }
      return { code: source };
    },
  },
};

const HTTP = '\0http';

/**
 * Node has a fetch client of its own, which it loads when a program touches `Response`, or `WebSocket` in an `import` of
 * `node:http`: a tenth of a second and 14 MB. The program has another client.
 */
const withoutFetchOfNode: Plugin = {
  name: 'without-fetch-of-node',
  resolveId: {
    filter: { id: /^(node:)?http$/ },
    handler: (_id, _importer, { kind }) => (kind === 'import-statement' ? HTTP : null),
  },
  load: {
    filter: { id: /^\0http$/ },
    handler() {
      const names = Object.keys(http).filter((name) => !/^(WebSocket|CloseEvent|MessageEvent)$/.test(name));
      return `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${names.join(', ')} } = http;`;
    },
  },
  transform: {
    filter: { id: /@fastify\/compress\/lib\/utils\.js$/ },
    handler(code, _id, { magicString }) {
      const test = 'obj instanceof Response';
      if (!code.includes(test)) throw new Error('@fastify/compress tells a Response in another way now');
      return {
        code: editable(magicString).replace(
          test,
          "Object.prototype.toString.call(obj) === '[object Response]'",
        ),
      };
    },
  },
};

function editable<T>(magicString: T | undefined): T {
  if (magicString === undefined)
    throw new Error('rolldown has no magicString; set experimental.nativeMagicString');
  return magicString;
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
  const bundle = await rolldown({
    cwd: root,
    input: ENTRIES,
    platform: 'node',
    // pdfjs-dist loads files of its own by their path; vitest is the plugin author's.
    external: /^(pdfjs-dist\/|vitest$)/,
    plugins: [ownModules, withoutFetchOfNode],
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
    // Shorter, but not rewritten; some code asks for the name of a class.
    minify: { compress: false, mangle: true, codegen: { removeWhitespace: true } },
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
