import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,test,simulator,bench,scripts,deploy,docs,web}/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'build/**'],
    reporters: ['./scripts/test-reporter.ts'],
    // Processes, since much of the code under test keeps state in Node itself (signals, SQLite, environment).
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    // A poll ends as soon as it is true; a busy machine may need longer than a second for that.
    expect: { poll: { timeout: 10_000 } },
  },
});
