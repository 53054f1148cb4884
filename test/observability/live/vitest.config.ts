import { defineConfig } from 'vitest/config';

/** The programs that operators run, as real servers. They keep both cores of a small machine busy: one file at a time. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['*.test.ts'],
    maxWorkers: 1,
    // Prometheus needs some scrapes before it can say anything, and an alert its time to fire and to resolve.
    hookTimeout: 300_000,
    testTimeout: 300_000,
  },
});
