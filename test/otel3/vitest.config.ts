import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Logs moved into the API with 1.10.
  resolve: { alias: { '@opentelemetry/api-logs': '@opentelemetry/api' } },
  test: { testTimeout: 120_000, include: ['.work/test/**/*.test.ts', '*.test.ts'] },
});
