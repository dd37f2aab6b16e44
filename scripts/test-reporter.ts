import { appendFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { UserConsoleLog } from 'vitest';
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node';

/** Results that the reporter writes for `scripts/test.ts`. */
export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Variables by which `scripts/test.ts` sets where to write the counts and the output of the tests. */
export const SUMMARY_FILE = 'KAWARABAN_TEST_SUMMARY';
export const PRINTED_FILE = 'KAWARABAN_TEST_PRINTED';

const SLOW_FILE_MS = 5000;

/**
 * One line for each test file; at the end the failures in full, the slow files, and the reasons of the skips, once
 * each. What a test prints is shown only if its file failed.
 */
export default class TestReporter implements Reporter {
  #vitest: Vitest | undefined;
  #printed = new Map<string, string>();

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onUserConsoleLog(log: UserConsoleLog): void {
    const file = this.#vitest?.state.idMap.get(log.taskId ?? '')?.file.filepath ?? '';
    this.#printed.set(file, ((this.#printed.get(file) ?? '') + log.content).slice(-20_000));
    const everything = process.env[PRINTED_FILE];
    if (everything !== undefined) appendFileSync(everything, log.content);
  }

  onTestModuleEnd(module: TestModule): void {
    const tests = [...module.children.allTests()];
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const failed = count('failed') + (module.errors().length > 0 ? 1 : 0);
    const parts = [
      count('passed') > 0 ? `${count('passed')} passed` : '',
      failed > 0 ? `${failed} failed` : '',
      count('skipped') > 0 ? `${count('skipped')} skipped` : '',
    ].filter((part) => part !== '');
    const mark = module.ok() ? '✓' : '✗';
    this.#print(`${mark} ${this.#path(module)}  ${parts.join(', ')}  ${seconds(durationOf(module))}`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    for (const module of modules) this.#showFailures(module);
    if (unhandled.length > 0) this.#vitest?.logger.printUnhandledErrors(unhandled);
    this.#showSlow(modules);
    this.#showSkips(tests);
    const state = (wanted: string): TestCase[] => tests.filter((test) => test.result().state === wanted);
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const summary: TestSummary = {
      passed: state('passed').length,
      failed: state('failed').length + broken + unhandled.length,
      skipped: state('skipped').length,
    };
    const file = process.env[SUMMARY_FILE];
    if (file === undefined)
      this.#print(`\n${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`);
    else writeFileSync(file, JSON.stringify(summary));
  }

  #showFailures(module: TestModule): void {
    if (module.ok()) return;
    const show = (title: string, errors: readonly unknown[]): void => {
      this.#print(`\n✗ ${this.#path(module)} › ${title}`);
      for (const error of errors) this.#vitest?.logger.printError(error, { project: module.project });
    };
    if (module.errors().length > 0) show('could not be loaded or set up', module.errors());
    for (const suite of module.children.allSuites())
      if (suite.errors().length > 0) show(suite.fullName, suite.errors());
    for (const test of module.children.allTests('failed')) show(test.fullName, test.result().errors ?? []);
    const printed = this.#printed.get(module.moduleId);
    if (printed !== undefined) this.#print(`  it printed:\n${printed.replace(/^/gm, '  │ ')}`);
  }

  #showSlow(modules: readonly TestModule[]): void {
    const slow = modules
      .filter((module) => durationOf(module) >= SLOW_FILE_MS)
      .toSorted((one, other) => durationOf(other) - durationOf(one))
      .slice(0, 10);
    if (slow.length === 0) return;
    this.#print('\nThe slowest files:');
    for (const module of slow)
      this.#print(`  ${seconds(durationOf(module)).padStart(8)}  ${this.#path(module)}`);
  }

  #showSkips(tests: readonly TestCase[]): void {
    const reasons = new Map<string, number>();
    for (const test of tests.filter((one) => one.result().state === 'skipped')) {
      const why = skipReason(test) ?? `no reason given: ${this.#path(test.module)} › ${test.fullName}`;
      reasons.set(why, (reasons.get(why) ?? 0) + 1);
    }
    if (reasons.size > 0) this.#print('\nSkipped:');
    for (const [why, count] of reasons) this.#print(`  ${count} ${count === 1 ? 'test' : 'tests'}: ${why}`);
  }

  #path(module: TestModule): string {
    return relative(this.#vitest?.config.root ?? '', module.moduleId);
  }

  #print(line: string): void {
    this.#vitest?.logger.log(line);
  }
}

function skipReason(test: TestCase): string | undefined {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  for (let at: TestCase['parent'] | TestCase = test; at.type !== 'module'; at = at.parent) {
    const { skipReason } = at.meta();
    if (skipReason !== undefined) return skipReason;
  }
  return undefined;
}

function durationOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return duration + collectDuration + setupDuration;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
