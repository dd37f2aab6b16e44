import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as packNpm } from '../../scripts/package/npm.ts';
import { NODE } from '../program.ts';

const run = promisify(execFile);

/** Whether the whole gate runs: every Node, and the slow ways of installing. */
export const IS_RELEASE_CHECK = process.env.KAWARABAN_RELEASE_CHECK === '1';

/** Without the settings of the npm that runs the tests, which name this project's folder. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_(?:cache|registry|userconfig))/i.test(name),
  ),
);

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];

/** The package as npm installs it. */
export interface Installation {
  /** The project of a user that has it among its dependencies. */
  readonly folder: string;
  readonly tarball: string;
  /** `bin/kawaraban.mjs` of the installed package. */
  readonly program: string;
}

/**
 * Packs the program and installs it into an empty folder, without network and with an empty cache. `also`: folders of further packages,
 * which are packed and installed then, with what they depend on.
 */
export async function install(also: readonly string[] = []): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-installed-'));
  const tarball = await packNpm(folder);
  const npm = (...args: readonly string[]) => run('npm', args, { cwd: folder, env: ENVIRONMENT });
  const tarballs = [tarball];
  for (const path of also) {
    const { stdout } = await npm('pack', '--ignore-scripts', '--loglevel=error', path);
    tarballs.push(join(folder, stdout.trim()));
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await npm('install', '--offline', '--cache', join(folder, 'cache'), ...QUIET, tarball);
  if (tarballs.length > 1) await npm('install', '--prefer-offline', ...QUIET, ...tarballs);
  return { folder, tarball, program: join(folder, 'node_modules', 'kawaraban', 'bin', 'kawaraban.mjs') };
}

/** The program of a version of Node, from npm's package `node`; kept in `build/` for the next time. */
export async function nodeOf(major: number): Promise<string> {
  if (major === 24) return NODE;
  const folder = join(import.meta.dirname, '../../build', `node-${major}`);
  const node = join(folder, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }');
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `node@${major}`], {
    cwd: folder,
    env: ENVIRONMENT,
  });
  return node;
}

export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
