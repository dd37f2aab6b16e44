import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const packed = { brotli: promisify(brotliCompress), gzip: promisify(gzip) };

/** Files of the public folder that the page needs before it can be read. */
const PUBLIC_FILES = ['/seal.svg', '/theme.js', '/waves.svg', '/manifest.webmanifest', '/icon-192.png'];

/** Loaded when it is opened for the first time, and readable offline. */
const OFFLINE_PAGE = '/pages/article.tsx';

/** Writes the service worker with the names of this build's files. */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    async generateBundle(_options, bundle) {
      const built = new Set(Object.keys(bundle).filter((name) => name.endsWith('.css')));
      const add = (name: string): void => {
        const chunk = bundle[name];
        if (chunk?.type !== 'chunk' || built.has(name)) return;
        built.add(name);
        for (const imported of chunk.imports) add(imported);
      };
      for (const [name, chunk] of Object.entries(bundle))
        if (chunk.type === 'chunk' && (chunk.isEntry || chunk.facadeModuleId?.endsWith(OFFLINE_PAGE)))
          add(name);
      const files = ['/', ...PUBLIC_FILES, ...[...built].toSorted().map((name) => `/${name}`)];
      const template = await readFile(join(import.meta.dirname, 'service-worker.js'), 'utf8');
      const hash = createHash('sha256').update(template).update(files.join('\n'));
      const unnamed = ['index.html', ...PUBLIC_FILES.map((name) => `public${name}`)];
      for (const name of unnamed) hash.update(await readFile(join(import.meta.dirname, name)));
      const version = hash.digest('hex').slice(0, 12);
      const source = template
        .replace("'__VERSION__'", JSON.stringify(version))
        .replace("['__FILES__']", JSON.stringify(files));
      this.emitFile({ type: 'asset', fileName: 'service-worker.js', source });
    },
  };
}

/** Leaves a compressed copy beside every text file, so that the server never compresses while somebody waits. */
function packedCopies(): Plugin {
  let folder = '';
  return {
    name: 'packed-copies',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir;
    },
    async closeBundle() {
      for (const name of await readdir(folder, { recursive: true })) {
        if (!/\.(js|css|html|svg|webmanifest)$/.test(name)) continue;
        const path = join(folder, name);
        const bytes = await readFile(path);
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
        await writeFile(`${path}.br`, await packed.brotli(bytes, quality));
        await writeFile(`${path}.gz`, await packed.gzip(bytes, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Also where NODE_ENV is `test`: otherwise tests measure a page with the names of its source files in it.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  plugins: [serviceWorker(), packedCopies()],
  build: {
    outDir: join(import.meta.dirname, '..', 'dist', 'web'),
    emptyOutDir: true,
    target: ['chrome125', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Inlined files would need a looser policy than the page is served with.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8787', '/events': 'http://127.0.0.1:8787' } },
});
