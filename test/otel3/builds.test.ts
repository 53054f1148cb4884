import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('emits all signals when the SDK is started later and through the other build of the API', () => {
  const output = execFileSync(process.execPath, ['scenario.cjs'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    env: { ...process.env, OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN: 'logs/dup' },
  });
  expect(JSON.parse(output)).toEqual({
    spans: [['open_duplex_channel sandbox', 'unsupported-driver-operation']],
    logs: ['paperclip.environment.operation.exception'],
    points: [
      ['paperclip.environment.operation.duration', 1],
      ['paperclip.environment.operation.active', 0],
    ],
  });
});
