import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { trace } from './contract-coverage.ts';

export const ROOT = join(import.meta.dirname, '..');

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
  /** Of all its tools together. */
  readonly ms: number;
  /** Output: everything when it failed, little or nothing when it passed. */
  readonly output: string;
}

type Outcome = Omit<CheckResult, 'name'>;
type Check = () => Promise<Outcome>;

/** Everything that is checked without running the program. */
export const CHECKS: Readonly<Record<string, Check>> = {
  types: async () => {
    const projects = ['.', 'web', 'docs/examples'].filter((project) =>
      existsSync(join(ROOT, project, 'tsconfig.json')),
    );
    return both(projects.map((project) => tool('typescript/bin/tsc', '-p', project, '--pretty', 'false')));
  },
  lint: () =>
    both([
      tool('@biomejs/biome/bin/biome', 'check', '.', '--colors=off'),
      tool('oxlint/bin/oxlint', '--type-aware', '--quiet'),
    ]),
  // Where all borders hold there is nothing to report: the tool's hint on TypeScript 7 does not concern its swc parser.
  borders: async () => {
    const { passed, output, ms } = await tool(
      'dependency-cruiser/bin/dependency-cruiser.mjs',
      'src',
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'err-long',
    );
    return { passed, ms, output: passed ? '' : output };
  },
  // First what is unused, then what only tests use.
  unused: () =>
    both([
      tool('knip/bin/knip.js', '--include', 'files,exports,types,dependencies'),
      tool('knip/bin/knip.js', '--production', '--include', 'files,exports,types'),
    ]),
  trace: async () => {
    const began = performance.now();
    const { promises, problems } = trace(ROOT);
    const ms = performance.now() - began;
    const open = promises.filter(({ tests }) => tests.length === 0).length;
    // A promise without a test is work to do, not a mistake.
    const summary =
      open === 0 ? '' : `${open} of ${promises.length} promises have no test yet (npm run trace)`;
    return { passed: problems.length === 0, ms, output: [...problems, summary].join('\n') };
  },
};

/** Most tools use one core: as many run at a time as there are cores, so that the time is that of all together by the number of cores. */
const atOnce = pLimit(availableParallelism());

/** Runs all of them, and reports each one when it ends. */
export function runChecks(report: (result: CheckResult) => void): Promise<readonly CheckResult[]> {
  return Promise.all(
    Object.entries(CHECKS).map(async ([name, check]) => {
      const { passed, output, ms } = await check();
      const result = { name, passed, output: output.trim(), ms };
      report(result);
      return result;
    }),
  );
}

/** One result from several; all of them run, so that every problem is shown at once. */
async function both(runs: readonly Promise<Outcome>[]): Promise<Outcome> {
  const results = await Promise.all(runs);
  const failed = results.filter(({ passed }) => !passed);
  const ms = results.reduce((sum, result) => sum + result.ms, 0);
  return { passed: failed.length === 0, ms, output: failed.map(({ output }) => output).join('\n') };
}

function tool(bin: string, ...args: readonly string[]): Promise<Outcome> {
  return atOnce(async () => {
    const began = performance.now();
    const { promise, resolve } = Promise.withResolvers<{ passed: boolean; output: string }>();
    const child = spawn(process.execPath, [join(ROOT, 'node_modules', bin), ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', (error) => resolve({ passed: false, output: `${bin}: ${error.message}` }));
    child.on('close', (code) => resolve({ passed: code === 0, output }));
    return { ...(await promise), ms: performance.now() - began };
  });
}
