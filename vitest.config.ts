import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,test,simulator,bench,scripts}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
