import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { project } from './support/project.js';

/** A project of a user's: the built package and what it needs, and no Paperclip. */
let folder: string;
beforeAll(() => {
  folder = project();
});

function compile(source: string): string {
  writeFileSync(join(folder, 'index.ts'), source);
  const options =
    '--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2022 --types node';
  try {
    const tsc = resolve('node_modules/.bin/tsc');
    execFileSync(tsc, [...options.split(' '), 'index.ts'], { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

const SOURCE = `
import { metrics, trace } from '@opentelemetry/api';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import {
  classifyLeaseError, describeLeaseShape, type ErrorRecord, loadErrorCatalog, PaperclipInstrumentation,
  type PaperclipInstrumentationConfig,
} from 'opentelemetry-instrumentation-paperclip';
import { ATTR_PAPERCLIP_LEASE_SHAPE, METRIC_PAPERCLIP_LEASE_DURATION } from 'opentelemetry-instrumentation-paperclip/semconv';

interface Driver { readonly driver: string; execute(input: { command: string }): Promise<number> }
declare const driver: Driver;
const config: PaperclipInstrumentationConfig = { providers: ['acme'], requestHook: (span, { operation }) => span.setAttribute('op', operation) };
const instrumentation = new PaperclipInstrumentation(config);
registerInstrumentations({ instrumentations: [instrumentation] });
instrumentation.setTracerProvider(trace.getTracerProvider());
instrumentation.setMeterProvider(metrics.getMeterProvider());
const same: Driver = instrumentation.instrumentDriver(driver);
const code: Promise<number> = same.execute({ command: 'x' });
const tag: string | undefined = classifyLeaseError(new Error('x'), loadErrorCatalog('{}'))?.backgroundTag;
const record: ErrorRecord = { schemaVersion: 2, slug: 's', errorMessage: 'm', backgroundTag: 't' };
const shape: 'plugin_complete' | 'plugin_incomplete' | 'non_plugin' | 'absent' = describeLeaseShape(null).shape;
const names: readonly ['paperclip.lease.shape', 's'] = [ATTR_PAPERCLIP_LEASE_SHAPE, METRIC_PAPERCLIP_LEASE_DURATION.unit];
export { code, names, record, shape, tag };
`;

it('the declarations compile, checked with their dependencies, in a project without Paperclip', () => {
  expect(compile(SOURCE)).toBe('');
});

it('a misspelt option and another type than the driver was given do not compile', () => {
  const errors = compile(`${SOURCE}
new PaperclipInstrumentation({ captureId: true });
const other: { driver: number } = instrumentation.instrumentDriver(driver);
export { other };
`);
  expect(errors).toContain("'captureId' does not exist in type 'PaperclipInstrumentationConfig'");
  expect(errors).toContain("Type 'string' is not assignable to type 'number'");
  expect(errors.match(/error TS/g)).toHaveLength(2);
});
