import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build as compile } from '../build.ts';

const root = join(import.meta.dirname, '../..');
export const RELEASE = join(root, 'build', 'release');

/** `npm run package -- program [folder]`: the compiled program with all that it reads, as it is in each way of installing. */
export async function build(folder = join(RELEASE, 'program')): Promise<string> {
  await compile();
  stage(folder);
  return folder;
}

interface Manifest extends Record<string, unknown> {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

/** What only a clone needs. */
const ONLY_IN_A_CLONE = ['scripts', 'dependencies', 'devDependencies', 'overrides', 'allowScripts'];

/** The one package that is not compiled into the program, since it finds its worker, fonts and character maps by their path. */
const PDFJS = 'pdfjs-dist';
const FILES_OF_PDFJS = [
  'package.json',
  'LICENSE',
  'legacy/build/pdf.mjs',
  'legacy/build/pdf.worker.mjs',
  'cmaps',
  'standard_fonts',
  'wasm',
];
/** It draws with this package, and reads text with its matrices alone, which are JavaScript: the 34 MB of its drawing library stay out. */
const CANVAS = 'node_modules/@napi-rs/canvas';
const MATRICES_ONLY = `module.exports = { ...require('./geometry.js'), Path2D: class Path2D {} };\n`;

/** Writes the compiled program into a folder: the npm package, with nothing left to install. */
export function stage(folder: string): Manifest {
  rmSync(folder, { recursive: true, force: true });
  const manifest = readManifest<Manifest>(root);
  for (const path of [...manifest.files, 'README.md', 'LICENSE']) copy(path, root, folder);
  const from = join(root, 'node_modules', PDFJS);
  const to = join(folder, 'node_modules', PDFJS);
  for (const path of FILES_OF_PDFJS) copy(path, from, to);
  for (const path of ['package.json', 'LICENSE', 'geometry.js']) copy(join(CANVAS, path), from, to);
  writeFileSync(join(to, CANVAS, 'index.js'), MATRICES_ONLY);
  const published = Object.fromEntries(
    Object.entries(manifest).filter(([key]) => !ONLY_IN_A_CLONE.includes(key)),
  );
  const dependencies = { [PDFJS]: manifest.dependencies[PDFJS] };
  write(folder, { ...published, dependencies, bundleDependencies: [PDFJS] });
  // npm would load the rest of it: what it depends on, and files that it lists.
  const { dependencies: _, optionalDependencies: __, files: ___, ...pdfjs } = readManifest(to);
  write(to, {
    ...pdfjs,
    dependencies: { '@napi-rs/canvas': readManifest<Manifest>(join(to, CANVAS)).version },
  });
  const { optionalDependencies: ____, files: _____, ...canvas } = readManifest(join(to, CANVAS));
  write(join(to, CANVAS), canvas);
  return manifest;
}

function copy(path: string, from: string, to: string): void {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  cpSync(join(from, path), join(to, path), { recursive: true });
}

function readManifest<T extends Record<string, unknown> = Record<string, unknown>>(folder: string): T {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as T;
}

function write(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
