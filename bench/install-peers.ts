import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export class PeersMissingError extends Error {
  override readonly name = 'PeersMissingError';
}

/**
 * Installs what is measured beside us, from `bench/peers/<name>/package.json`, in a folder of its own: never among the
 * project's dependencies. Returns a `require` that finds it there.
 */
export function installPeers(name: string, log: (line: string) => void): NodeJS.Require {
  const folder = join(import.meta.dirname, 'peers', name);
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) throw new PeersMissingError(`there is no bench/peers/${name}/package.json`);
  const stamp = join(folder, 'node_modules', '.peers-installed');
  const wanted = createHash('sha256').update(readFileSync(manifest)).digest('hex');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    log(`Installing the peers of ${name} …`);
    const npm = spawnSync(
      process.platform === 'win32' ? 'npm.cmd' : 'npm',
      ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error'],
      { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' },
    );
    if (npm.status !== 0)
      throw new PeersMissingError(
        `the peers of ${name} could not be installed: ${npm.stderr.trim().split('\n').at(-1)}`,
      );
    writeFileSync(stamp, wanted);
  }
  return createRequire(manifest);
}
