import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const packed = { brotli: promisify(brotliCompress), gzip: promisify(gzip) };

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
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [packedCopies()],
  build: {
    outDir: join(import.meta.dirname, '..', 'build', 'web'),
    emptyOutDir: true,
    target: ['chrome125', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Inlined files would need a looser policy than the page is served with.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8787', '/events': 'http://127.0.0.1:8787' } },
});
