import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests with a runner of their own. */
const ELSEWHERE = ['test/{doctor,paperclip,otel3}/**', 'test/observability/live/**', '**/node_modules/**'];
/** Tests that start many processes or take long. */
const SLOW = [
  'test/cli/doctor/{collector,copies,doctor,hook,leaks,probe,sdk}.test.ts',
  'test/cli/run.test.ts',
  'test/cli/tail/command.test.ts',
  'test/load/incidents.test.ts',
  'test/start/start.test.ts',
];
/** Tests that try more cases in the long run, by `test/support/runs.ts`. */
const COUNTED = [
  'test/**/*.property.test.ts',
  'test/faults/api.test.ts',
  'test/load/load.test.ts',
  'test/telemetry/cardinality.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // `npm test`
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: [...ELSEWHERE, ...SLOW] },
      },
      {
        extends: true,
        // `npm run test:all` runs it as well. Coverage is not measured here: it would take twice as long.
        test: { name: 'full', include: [...SLOW, ...COUNTED], exclude: ELSEWHERE, env: { FULL: '1' } },
      },
    ],
    // vitest itself has little to do, so it needs no core for itself.
    maxWorkers: availableParallelism(),
    maxConcurrency: availableParallelism(),
    // Some tests start processes; how long that takes is not what they are about.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // Preloads and loader hooks run in child processes only.
      exclude: [
        'src/{preload,register,start}.ts',
        'src/require.cts',
        'src/cli/{main,{doctor,run,tail}-command}.ts',
        'src/cli/installation/run.ts',
        'src/cli/doctor/{cleanup,collector,copies,hook,probe,prometheus,sdk,which-sdk}.ts',
        'src/cli/otel/complaints.ts',
        'src/cli/doctor/probes/*.ts',
        'src/start/*.ts',
        'src/attach/{hooks,loader}.ts',
        'src/telemetry/flush.ts',
        'src/types.ts',
        'src/telemetry/logs-api.ts',
      ],
      reporter: ['text-summary'],
      thresholds: { lines: 95, functions: 95, branches: 90 },
    },
  },
});
