import { defineConfig } from 'vitest/config';
import { PROJECTS, SlowFirst } from './test/test-order.ts';

/** Suites of the whole program, with browsers, servers and what a process has only once. */
const PROGRAM = ['test/**/*.test.ts'];
/** Suites of adapters and commands, with emulators and servers beside them. */
const ADAPTERS = [
  'src/{storage/{firestore,pubsub,redis},timelines,cli}/**/*.test.ts',
  '{scripts,bench,deploy}/**/*.test.ts',
];

const BESIDE = {
  globalSetup: ['./test/compiled-program.ts', './test/shared-emulators.ts'],
  // Node's own loader, with its cache of compiled code, as the program is run.
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

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
      { extends: true, test: { name: PROJECTS[0], include: PROGRAM, ...BESIDE } },
      // A worker keeps the modules it has loaded: loading them for each file costs more than a second of the processor.
      { extends: true, test: { name: PROJECTS[1], include: ADAPTERS, isolate: false, ...BESIDE } },
      {
        extends: true,
        test: {
          name: PROJECTS[2],
          include: ['{src,simulator,web,docs}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'build/**', ...PROGRAM, ...ADAPTERS],
          isolate: false,
          // The example of a plugin imports the package, which is this one.
          alias: [{ find: /^kawaraban$/, replacement: `${import.meta.dirname}/src/plugins/api.ts` }],
        },
      },
    ],
  },
});
