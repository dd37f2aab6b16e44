import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as compile } from '../build.ts';
import { RELEASE, stage } from './program.ts';

const run = promisify(execFile);

/** `npm run package -- npm [folder]`: compiles the program and packs it for npm; returns the path of the tarball. */
export async function build(destination = RELEASE): Promise<string> {
  await compile();
  // Of this process: tests pack side by side.
  const folder = join(import.meta.dirname, '../../build', `package-${process.pid}`);
  try {
    const { name, version } = stage(folder);
    mkdirSync(destination, { recursive: true });
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', destination], { cwd: folder });
    return join(destination, `${name}-${version}.tgz`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
