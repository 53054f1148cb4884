import { defineConfig } from 'vitest/config';

/** A fleet on Thanos: by hand, since Thanos is built first and the alerts take minutes. */
export default defineConfig({
  root: import.meta.dirname,
  test: { include: ['*.test.ts'], hookTimeout: 1_200_000, testTimeout: 300_000 },
});
