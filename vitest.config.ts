import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/test-order.ts';

export default defineConfig({
  test: {
    include: ['{src,test,simulator,bench,scripts,deploy,docs,web}/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'build/**'],
    reporters: ['./scripts/test-reporter.ts'],
    sequence: { sequencer: SlowFirst },
    globalSetup: ['./test/shared-emulators.ts'],
    // Processes, since much of the code under test keeps state in Node itself (signals, SQLite, environment).
    pool: 'forks',
    // More than cores: much of a suite waits for emulators, browsers and programs that it started.
    maxWorkers: 3,
    // These only bound a test that hangs: a busy machine must not reach them.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
