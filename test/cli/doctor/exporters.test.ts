import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { exportersOf, SIGNALS } from '../../../src/cli/otel/exporters.js';
import { expectDerived, expectOwnDerived } from './derived.js';
import type { Env } from './follow.js';

it('are those that the real SDK builds', () => {
  expectDerived(resolve('package.json'), process.execPath, 100);
});

it("are those of Paperclip's own SDK, which is given one", () => {
  expectOwnDerived(resolve('package.json'), process.execPath, 50);
});

it('say which variable names an endpoint', () => {
  const by = (env: Env) =>
    SIGNALS.map((signal) => exportersOf(env, signal)[0]).map((exporter) =>
      exporter?.type === 'otlp' ? exporter.endpointBy : '',
    );
  expect(by({})).toEqual([undefined, undefined, undefined]);
  expect(
    by({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://one', OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://two' }),
  ).toEqual([
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
  ]);
});
