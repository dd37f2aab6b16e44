import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { compile } from '../compile.ts';

const root = join(import.meta.dirname, '../..');
export const RELEASE = join(root, 'build', 'release');

/** `npm run package -- program [folder]`: the compiled program with its packages, as it is in the image and the Debian package. */
export async function build(folder = join(RELEASE, 'program')): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  await stageProgram(folder);
  return folder;
}

/** Writes the program into an empty folder: what the npm package holds, and the packages that npm would install with it. */
export async function stageProgram(folder: string): Promise<void> {
  const page = join(root, 'dist', 'web');
  if (!existsSync(page))
    throw new Error(`The page is not built: ${relative(root, page)} is missing. Run npm run build.`);
  mkdirSync(folder, { recursive: true });
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  for (const name of ['package.json', 'LICENSE', ...files])
    if (name !== 'dist' && !name.startsWith('!'))
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (path) => !/\.test\./.test(basename(path)),
      });
  cpSync(page, join(folder, 'dist', 'web'), { recursive: true });
  await compile({ dir: join(folder, 'dist') });
  copyPackages(folder);
  prune(join(folder, 'node_modules'));
}

/** Copies what the lock file names for production from the installed packages, which are those of the lock file. */
function copyPackages(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  for (const [path, { dev, optional }] of Object.entries(packages)) {
    // A nested package is copied with the one it belongs to.
    if (dev || path.lastIndexOf('node_modules/') !== 0) continue;
    if (!optional || existsSync(join(root, path)))
      cpSync(join(root, path), join(folder, path), { recursive: true, verbatimSymlinks: true });
  }
}

const UNUSED_FILES = /\.([cm]?ts|map|md|markdown|tsbuildinfo|flow)$/;
const LICENCES = /^(licen[cs]e|copying|notice|authors|patents)/i;
/** In the root of a package; deeper folders of these names may be code. */
const UNUSED_FOLDERS = new Set([
  '.github',
  '__tests__',
  'benchmark',
  'benchmarks',
  'coverage',
  'docs',
  'example',
  'examples',
  'test',
  'tests',
]);
/** Of pdfjs-dist the program uses the build for Node, the maps of characters, the fonts and the decoders. */
const UNUSED_OF_PDFJS = [
  'build',
  'image_decoders',
  'legacy/image_decoders',
  'legacy/web',
  'types',
  'web',
  'legacy/build/pdf.min.mjs',
  'legacy/build/pdf.renderer.min.mjs',
  'legacy/build/pdf.sandbox.min.mjs',
  'legacy/build/pdf.sandbox.mjs',
  'legacy/build/pdf.worker.min.mjs',
];
/**
 * pdfjs-dist draws with this package, and reads text with its matrices alone, which are JavaScript: the 34 MB of its
 * drawing library stay out.
 */
const MATRICES_ONLY = `module.exports = { ...require('./geometry.js'), Path2D: class Path2D {} };\n`;

/** Removes what the program never loads: types, source maps and documentation of packages, and their tests. */
function prune(packages: string): void {
  for (const entry of readdirSync(packages, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const drawing = basename(entry.parentPath) === '@napi-rs';
    const unused = entry.isDirectory()
      ? entry.name === '.bin' ||
        (UNUSED_FOLDERS.has(entry.name) && isPackage(entry.parentPath)) ||
        (drawing && entry.name.startsWith('canvas-'))
      : UNUSED_FILES.test(entry.name) && !LICENCES.test(entry.name);
    if (unused) rmSync(path, { recursive: true, force: true });
    else if (drawing && entry.name === 'canvas') writeFileSync(join(path, 'index.js'), MATRICES_ONLY);
  }
  for (const name of UNUSED_OF_PDFJS)
    rmSync(join(packages, 'pdfjs-dist', name), { recursive: true, force: true });
}

function isPackage(folder: string): boolean {
  const above = dirname(folder);
  return (
    basename(above) === 'node_modules' ||
    (basename(above).startsWith('@') && basename(dirname(above)) === 'node_modules')
  );
}
