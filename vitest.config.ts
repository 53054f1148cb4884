import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Some tests start processes; how long that takes is not what they are about.
    testTimeout: 120_000,
    exclude: ['test/{doctor,paperclip,otel3}/**', 'test/observability/live/**', '**/node_modules/**'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // Preloads and loader hooks run in child processes only.
      exclude: [
        'src/{register,start}.ts',
        'src/require.cts',
        'src/cli/{main,program,*-command}.ts',
        'src/cli/installation/run.ts',
        'src/cli/doctor/{cleanup,collector,copies,hook,probe,prometheus,sdk}.ts',
        'src/cli/doctor/probes/*.ts',
        'src/start/*.ts',
        'src/attach/{hooks,loader,preload}.ts',
        'src/telemetry/flush.ts',
        'src/types.ts',
        'src/telemetry/logs-api.ts',
      ],
      reporter: ['text-summary'],
      thresholds: { lines: 95, functions: 95, branches: 90 },
    },
  },
});
