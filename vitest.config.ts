import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/test-order.ts';

/** Suites that start programs, browsers and servers, and tests that replace what a process has only once. */
const ISOLATED = [
  'test/**/*.test.ts',
  'src/{storage/{firestore,pubsub,redis},timelines,cli}/**/*.test.ts',
  '{scripts,bench,deploy}/**/*.test.ts',
];

export default defineConfig({
  test: {
    exclude: ['**/node_modules/**', 'build/**'],
    reporters: ['./scripts/test-reporter.ts'],
    sequence: { sequencer: SlowFirst },
    // Processes, since much of the code under test keeps state in Node itself (signals, SQLite, environment).
    pool: 'forks',
    // More than cores: much of a suite waits for emulators, browsers and programs that it started.
    maxWorkers: 3,
    // These only bound a test that hangs: a busy machine must not reach them.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'isolated',
          include: ISOLATED,
          globalSetup: ['./test/compiled-program.ts', './test/shared-emulators.ts'],
          // Node's own loader, with its cache of compiled code, as the program is run.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,simulator,web,docs}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'build/**', ...ISOLATED],
          // A worker keeps the modules it has loaded: loading them for each file costs a third of the processor time.
          isolate: false,
          // The example of a plugin imports the package, which is this one.
          alias: [{ find: /^kawaraban$/, replacement: `${import.meta.dirname}/src/plugins/api.ts` }],
        },
      },
    ],
  },
});
