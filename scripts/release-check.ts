// `npm run release:check [-- filter]`: every way of installing, tried for real, on every Node that the package supports. It needs root,
// and the registries of npm and Debian; `npm test` runs the short part of it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './checks.ts';
import { installDebianPackages } from './debian-packages.ts';
import { installHelm } from './helm.ts';

process.env.KAWARABAN_RELEASE_CHECK = '1';
const print = (line: string): void => console.log(line);
await installDebianPackages({ install: true, print });
installHelm({ install: true, print });
const filters = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--project=!unit',
    ...(filters.length > 0 ? filters : ['test/release/', 'deploy/']),
  ],
  { cwd: ROOT, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
