import { defineConfig } from 'vitest/config';
import { PROJECTS, SlowFirst } from './test/test-order.ts';

/** Suites that measure or change what a process has only once, or that are too long for a kept worker to matter. */
const ISOLATED = [
  'test/{crash,fleet,release,upgrade,web}/**/*.test.ts',
  'test/{cli,distributed,firestore-errors,firestore-stores,full-disk,idle-cost,redis-access}.test.ts',
  'test/{run-report,schedule,signals,start-cost,telemetry,tls,tutorials,two-replicas}.test.ts',
];
/** Suites with programs, emulators and servers beside them. */
const SHARED = [
  'test/**/*.test.ts',
  'src/{storage/{firestore,pubsub,redis},timelines,cli}/**/*.test.ts',
  '{scripts,bench,deploy}/**/*.test.ts',
];
const NO_TESTS = ['**/node_modules/**', 'build/**'];

const BESIDE = {
  globalSetup: ['./test/compiled-program.ts', './test/shared-emulators.ts'],
  // Node's own loader, with its cache of compiled code, as the program is run.
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

export default defineConfig({
  test: {
    exclude: NO_TESTS,
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
      { extends: true, test: { name: PROJECTS[0], include: ISOLATED, ...BESIDE } },
      // A worker keeps the modules it has loaded: loading them for each file costs two seconds of the processor.
      {
        extends: true,
        test: {
          name: PROJECTS[1],
          include: SHARED,
          exclude: [...NO_TESTS, ...ISOLATED],
          isolate: false,
          ...BESIDE,
        },
      },
      {
        extends: true,
        test: {
          name: PROJECTS[2],
          include: ['{src,simulator,web,docs}/**/*.test.ts'],
          exclude: [...NO_TESTS, ...SHARED],
          isolate: false,
          // The example of a plugin imports the package, which is this one.
          alias: [{ find: /^kawaraban$/, replacement: `${import.meta.dirname}/src/plugins/api.ts` }],
        },
      },
    ],
  },
});
