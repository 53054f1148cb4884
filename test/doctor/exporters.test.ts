import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { sdkOf } from '../../src/cli/doctor/which-sdk.js';
import { otlpPackage, type Protocol } from '../../src/cli/otel/exporters.js';
import { expectDerived, expectOwnDerived } from '../cli/doctor/derived.js';
import { tree } from '../support/tree.js';
import { INSTALLATIONS } from './support.js';

const { npm, otel2, otel3, nodes } = INSTALLATIONS;
const folder = tree({ 'package.json': {}, 'dist/instrumentation.js': '' });

it.each([
  ['0.221', otel2],
  ['0.301', otel3],
])('the exporters that are derived from variables are those that the SDK %s builds', (_, tree) => {
  expectDerived(join(tree, 'package.json'), nodes[24], 200);
});

it("the exporters of Paperclip's own SDK are those that are built", () => {
  expectOwnDerived(join(otel2, 'package.json'), nodes[24], 100);
});

it.each([undefined, '', ' ', 'grpc', ' HTTP/protobuf', 'http/json', 'http'])(
  "the protocol of Paperclip's own is that which it chooses: %s",
  (value) => {
    const file = pathToFileURL(join(npm, 'node_modules/@paperclipai/server/dist/instrumentation.js')).href;
    const code = `import { resolveProtocol } from ${JSON.stringify(file)}; console.log(resolveProtocol().protocol)`;
    const env = value === undefined ? {} : { OTEL_EXPORTER_OTLP_PROTOCOL: value };
    const chosen = execFileSync(nodes[24], ['--input-type=module', '--eval', code], {
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    });
    // Without packages, it is the exporter's package that is missing.
    const found = sdkOf({
      env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317' },
      preload: 'register',
      server: { package: { name: '', version: '', folder }, layout: 'npm', runtime: undefined, foundBy: '' },
    });
    expect(found).toMatchObject({
      missing: expect.arrayContaining([otlpPackage('traces', chosen.trim() as Protocol)]),
    });
  },
);
