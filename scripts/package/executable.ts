import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { build as compile } from '../build.ts';
import { ROOT } from '../checks.ts';
import { findProgram } from '../find-program.ts';
import { RELEASE, stage } from './program.ts';

/** It mounts embedded files as a file system, and becomes the executable. */
const NODE = '26.10.0';

const WORK = join(ROOT, 'build', 'executable');
/** What is in the executable: the npm package, without what only people and compilers read. */
const STAGED = join(WORK, 'program');
const LEFT_OUT = ['README.md', 'CHANGELOG.md', 'dist/types/**', '**/*.map'];
/** The compiled program, as it is in the executable. */
export const COMPILED = join(STAGED, 'dist');

/** Builds the single executable for this machine's kind, and returns its path. See docs/decisions/0020-single-executable.md. */
export async function build(): Promise<string> {
  rmSync(WORK, { recursive: true, force: true });
  await compile();
  const { version } = stage(STAGED);

  const node = installNode();
  const output = join(RELEASE, `kawaraban-${version}-linux-${process.arch}`);
  mkdirSync(RELEASE, { recursive: true });
  const configuration = join(WORK, 'sea.json');
  writeFileSync(
    configuration,
    JSON.stringify({
      main: join(import.meta.dirname, 'executable-main.mjs'),
      mainFormat: 'module',
      executable: stripped(node, join(WORK, 'node')),
      output: `${output}.new`,
      disableExperimentalSEAWarning: true,
      useVfs: true,
      // The isolated process gets its permissions by `--node-options`.
      execArgvExtension: 'cli',
      execArgv: [
        '--experimental-vfs',
        '--disable-warning=ExperimentalWarning',
        '--import',
        `data:text/javascript,${encodeURIComponent(readFileSync(join(import.meta.dirname, 'executable-threads.mjs'), 'utf8'))}`,
      ],
      assets: filesBelow(STAGED),
    }),
  );
  execFileSync(node, ['--build-sea', configuration], { stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(`${output}.new`, output);
  return output;
}

/** The binary alone, without the package `node` and its install script; npm keeps it in its cache. */
function installNode(): string {
  const name = `node-linux-${process.arch}`;
  const folder = join(ROOT, 'build', `node-${NODE}`);
  const binary = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(binary))
    execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${NODE}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  return binary;
}

/** Without its symbol table: a fifth of its size. */
function stripped(node: string, copy: string): string {
  cpSync(node, copy);
  if (findProgram('strip') !== null) execFileSync('strip', ['--strip-unneeded', copy]);
  else process.stderr.write('strip (binutils) is not installed: the executable is 33 MB larger.\n');
  return copy;
}

/** Path in the executable to path on disk, as Node wants it. */
function filesBelow(folder: string): Record<string, string> {
  return Object.fromEntries(
    globSync('**', { cwd: folder, exclude: LEFT_OUT, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [relative(folder, path), path]),
  );
}
