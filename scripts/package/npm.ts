import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build as compile } from '../build.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

interface Manifest extends Record<string, unknown> {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Record<string, string>;
  readonly files: readonly string[];
}

interface Lock extends Record<string, unknown> {
  readonly packages: Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>;
}

/** What only a clone needs. */
const ONLY_IN_A_CLONE = ['scripts', 'devDependencies', 'overrides', 'allowScripts', 'private'];

/** `npm run package -- npm [folder]`: compiles the program and packs it for npm; returns the path of the tarball. */
export async function build(destination = join(ROOT, 'build', 'release')): Promise<string> {
  await compile();
  // Of this process: tests pack side by side.
  const folder = join(ROOT, 'build', `package-${process.pid}`);
  try {
    const { name, version } = stage(folder);
    mkdirSync(destination, { recursive: true });
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', destination], { cwd: folder });
    return join(destination, `${name}-${version}.tgz`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The package as it is installed. It carries the versions that were tested (npm-shrinkwrap.json): what is installed later is the same, and
 * can be installed from a cache.
 */
export function stage(folder: string): Manifest {
  rmSync(folder, { recursive: true, force: true });
  const read = <T>(file: string): T => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;
  const manifest = read<Manifest>('package.json');
  for (const path of [...manifest.files, 'README.md', 'LICENSE']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  const published = Object.fromEntries(
    Object.entries(manifest).filter(([key]) => !ONLY_IN_A_CLONE.includes(key)),
  );
  const lock = read<Lock>('package-lock.json');
  const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const { name, version, license, dependencies, bin, engines } = published;
  const root = { name, version, license, dependencies, bin, engines };
  write(folder, 'package.json', { ...published, files: [...manifest.files, 'npm-shrinkwrap.json'] });
  write(folder, 'npm-shrinkwrap.json', { ...lock, packages: { '': root, ...Object.fromEntries(packages) } });
  return manifest;
}

function write(folder: string, file: string, content: unknown): void {
  writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
}
