import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** As many cases of each property as `npm test` tries: the line of the SDK changes none of them. */
export default defineConfig({
  // Logs moved into the API with 1.10.
  resolve: { alias: { '@opentelemetry/api-logs': '@opentelemetry/api' } },
  test: {
    maxWorkers: availableParallelism(),
    maxConcurrency: availableParallelism(),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    include: ['.work/test/**/*.test.ts', '*.test.ts'],
  },
});
