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
import { ROOT } from '../checks.ts';
import { compile } from '../compile.ts';
import { findProgram } from '../find-program.ts';
import { RELEASE } from './program.ts';

/** It mounts embedded files as a file system, and becomes the executable. */
const NODE = '26.10.0';

const WORK = join(ROOT, 'build', 'executable');
/** The compiled program, as it is in the executable. */
export const COMPILED = join(WORK, 'dist');
/** Licences of the packages that are in the executable. */
const LICENCES = 'LICENSES.txt';

/** What the program reads while it runs. */
const FILES = [
  'package.json',
  'LICENSE',
  'bin/kawaraban.mjs',
  'dist/web/**',
  'recipes/*.yaml',
  'prompts/**',
  'proto/gen/avion.binpb',
  'docs/kawaraban.schema.json',
  // Not compiled, since it finds these by their path.
  'node_modules/pdfjs-dist/{package.json,LICENSE}',
  'node_modules/pdfjs-dist/legacy/build/{pdf,pdf.worker}.mjs',
  'node_modules/pdfjs-dist/{cmaps,standard_fonts,wasm}/*',
];

/** Builds the single executable for this machine's kind, and returns its path. See docs/decisions/0020-single-executable.md. */
export async function build(): Promise<string> {
  if (!existsSync(join(ROOT, 'dist/web/index.html')))
    throw new Error('The page is not built: dist/web is missing. Run npm run build.');
  rmSync(WORK, { recursive: true, force: true });
  const { sources } = await compile({ dir: COMPILED, withPackages: true });
  writeFileSync(join(WORK, LICENCES), licencesOf(sources));

  const node = installNode();
  const output = join(RELEASE, `kawaraban-${version()}-linux-${process.arch}`);
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
      assets: { ...filesBelow(ROOT, FILES), ...filesBelow(WORK, ['dist/**', LICENCES]) },
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
function filesBelow(folder: string, patterns: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    globSync(patterns, { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [relative(folder, path), path]),
  );
}

/** The licence of each package that one of these modules belongs to. */
function licencesOf(sources: readonly string[]): string {
  const packages = new Set(
    [...sources, join(ROOT, 'node_modules/pdfjs-dist/x')].flatMap(
      (path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replace(/^\0/, ''))?.[0] ?? [],
    ),
  );
  return [...packages]
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .sort()
    .map((folder) => {
      const {
        name,
        version,
        license = 'not stated',
      } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name: string;
        version: string;
        license?: string;
      };
      const texts = globSync('{LICENSE,LICENCE,License,license,NOTICE}*', {
        cwd: folder,
        withFileTypes: true,
      })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
      return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(72)}\n\n`);
}

function version(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}
