import { defineConfig } from 'vitest/config';

/** Each test runs `doctor` a few times, which imports most of Paperclip's server, and some install packages. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['*.test.ts'],
    maxWorkers: 2,
    hookTimeout: 300_000,
    testTimeout: 300_000,
  },
});
