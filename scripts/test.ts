// `npm test [-- --no-install] [filter]`: sets up, checks, runs every test, searches for leaked files and processes and for secrets in what
// they printed, and ends with a line of its own: `N passed, N failed, N skipped`.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { canariesIn, plantCanaries } from './canaries.ts';
import { ROOT, runChecks } from './checks.ts';
import { installDebianPackages } from './debian-packages.ts';
import { installHelm } from './helm.ts';
import { leftFiles, leftProcesses, RUN_MARK } from './leaked-processes.ts';
import { PRINTED_FILE, SUMMARY_FILE, type TestSummary } from './test-reporter.ts';

const NO_INSTALL = '--no-install';
const filters = process.argv.slice(2).filter((word) => word !== NO_INSTALL);
const counts = { passed: 0, failed: 0, skipped: 0 };
const began = performance.now();

const install = !process.argv.includes(NO_INSTALL);
const print = (line: string): void => console.log(line);
await installDebianPackages({
  install,
  print,
  ...(process.stdin.isTTY && process.stdout.isTTY && { confirm }),
});
installHelm({ install, print });
if (filters.length === 0) await check();
await runTests();
console.log(`\n${((performance.now() - began) / 1000).toFixed(0)} s`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return !/^\s*n/i.test(await terminal.question(question));
  } finally {
    terminal.close();
  }
}

async function check(): Promise<void> {
  await runChecks(({ name, passed, ms, output }) => {
    result(`check: ${name}  ${(ms / 1000).toFixed(1)} s`, passed, output);
  });
}

async function runTests(): Promise<void> {
  const mark = randomUUID();
  const canaries = plantCanaries();
  const folder = mkdtempSync(join(tmpdir(), 'kw-run-'));
  const temporary = mkdtempSync(join(tmpdir(), 'kw-'));
  // A test that starts a program as another user needs access to the folder.
  chmodSync(temporary, 0o711);
  const summaryFile = join(folder, 'summary.json');
  const printedFile = join(folder, 'printed.txt');
  try {
    const { code, output } = await vitest({
      ...canaries,
      [RUN_MARK]: mark,
      [SUMMARY_FILE]: summaryFile,
      [PRINTED_FILE]: printedFile,
      TMPDIR: temporary,
    });
    const summary: TestSummary | null = existsSync(summaryFile)
      ? (JSON.parse(readFileSync(summaryFile, 'utf8')) as TestSummary)
      : null;
    counts.passed += summary?.passed ?? 0;
    counts.failed += summary?.failed ?? 0;
    counts.skipped += summary?.skipped ?? 0;
    console.log('');
    if (summary === null || (code !== 0 && summary.failed === 0))
      result(
        'the test runner ended as it should',
        false,
        `exit code ${code}, and no failed test to explain it`,
      );
    await lookForLeftovers(mark, temporary);
    const printed = existsSync(printedFile) ? readFileSync(printedFile, 'utf8') : '';
    const seen = canariesIn(output + printed, canaries);
    result('X7 no planted secret was printed by any test', seen.length === 0, seen.join(', '));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function lookForLeftovers(mark: string, temporary: string): Promise<void> {
  const processes = await leftProcesses(mark);
  const list = processes.map(({ pid, command }) => `${pid} ${command}`).join('\n');
  result('no test left a process behind', processes.length === 0, list);
  for (const { pid } of processes) process.kill(pid, 'SIGKILL');
  const files = leftFiles(temporary);
  result('no test left a file in the temporary folder', files.length === 0, files.join('\n'));
}

/** The output of vitest is shown, and kept to be searched. */
function vitest(environment: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; output: string }>();
  const colour = process.stdout.isTTY && !process.env.NO_COLOR ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...filters], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...colour, ...environment },
  });
  let output = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const)
    from.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      to.write(text);
    });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  child.on('close', (code) => resolve({ code: code ?? 1, output }));
  return promise;
}

function result(name: string, passed: boolean, output: string): void {
  counts[passed ? 'passed' : 'failed'] += 1;
  console.log(`${passed ? '✓' : '✗'} ${name}`);
  if (output !== '') console.log(output.replace(/^/gm, '    '));
}
