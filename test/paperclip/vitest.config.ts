import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['*.test.ts'],
    // The work is done in child processes, so one file for each core, and none is kept for vitest itself.
    maxWorkers: availableParallelism(),
    // A child process loads the real server first, which takes seconds; a test only reads what it printed.
    hookTimeout: 120_000,
  },
});
