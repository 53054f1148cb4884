import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Some tests start processes; how long that takes is not what they are about.
    testTimeout: 120_000,
    exclude: ['test/paperclip/**', 'test/otel3/**', '**/node_modules/**'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The preload and its loader run in child processes only, where test/paperclip covers them.
      exclude: [
        'src/register.ts',
        'src/attach/{loader,modules}.ts',
        'src/types.ts',
        'src/signals/logs-api.ts',
      ],
      reporter: ['text-summary'],
      thresholds: { lines: 95, functions: 95, branches: 90 },
    },
  },
});
