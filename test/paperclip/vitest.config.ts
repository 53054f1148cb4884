import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: import.meta.dirname,
  test: {
    projects: [
      {
        test: {
          name: 'modules',
          include: ['*.test.ts'],
          // The work is done in child processes, so one file for each core, and none is kept for vitest itself.
          maxWorkers: availableParallelism(),
          // A child process loads the real server first, which takes seconds; a test only reads what it printed.
          hookTimeout: 120_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/*.test.ts'],
          // A server that boots keeps two cores busy, and some tests are about how long it takes to end.
          maxWorkers: 1,
          hookTimeout: 180_000,
          testTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
