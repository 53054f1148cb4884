import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { manifest, tree } from '../../support/tree.js';
import { HOOK, lookIn } from './built-checks.js';

const SERVER = '@paperclipai/server';
const FOLDER = `node_modules/${SERVER}`;
const RUNTIME = `${FOLDER}/dist/services/environment-runtime.js`;

const DRIVER = `
const driver = {
  async openDuplexChannel({ lease }) {
    throw new Error(lease.metadata.sandboxProviderPlugin
      ? 'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.'
      : 'Sandbox driver does not support duplex channels for this lease.');
  },
};
export const environmentRuntimeService = () => ({ getDriver: () => driver });
`;

/** Looks at a server with this runtime. */
async function check(runtime: string, env: Record<string, string> = {}) {
  const root = tree({
    'package.json': manifest('project'),
    [`${FOLDER}/package.json`]: manifest(SERVER),
    [RUNTIME]: runtime,
  });
  return { root, findings: await lookIn(HOOK, root, env, 'register') };
}

const RECORDED = 'open_duplex_channel recorded as unsupported-driver-operation and missing-metadata-field';
const attached = expect.stringMatching(
  `^attached to ${SERVER} 2026\\.916\\.1 \\(layout: npm\\), with hooks in (the server's thread|a thread of their own); ${RECORDED}$`,
);

it('operations of a server are recorded', async () => {
  expect((await check(DRIVER)).findings).toEqual([{ mark: 'ok', found: attached }]);
});

it('the preload may be in NODE_OPTIONS already', async () => {
  const NODE_OPTIONS = `--import=${pathToFileURL(resolve('dist/start.js')).href}`;
  expect((await check(DRIVER, { NODE_OPTIONS })).findings).toEqual([{ mark: 'ok', found: attached }]);
});

it("nothing is sent to the user's collector, and nothing is written into the user's home", async () => {
  const runtime = `
import { equal, notEqual } from 'node:assert/strict';
equal(process.env.OTEL_EXPORTER_OTLP_ENDPOINT, '');
equal(process.env.OTEL_TRACES_EXPORTER, 'none');
notEqual(process.env.HOME, ${JSON.stringify(process.env.HOME)});
equal(process.env.PAPERCLIP_HOME, process.env.HOME);
${DRIVER}`;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'console' };
  expect((await check(runtime, env)).findings).toEqual([{ mark: 'ok', found: attached }]);
});

it('a runtime that cannot be imported', async () => {
  const { root, findings } = await check("import 'not-there';");
  expect(findings).toEqual([
    {
      mark: 'problem',
      found: `${join(root, RUNTIME)} cannot be imported: Cannot find package 'not-there' imported from ${join(root, RUNTIME)}`,
      remedy: `npm install --prefix ${root} ${SERVER}@2026.916.1`,
    },
  ]);
});

it("a runtime of a launcher's: the launcher is installed anew", async () => {
  const launcher = 'node_modules/paperclipai';
  const root = tree({
    'package.json': manifest('project'),
    [`${launcher}/package.json`]: manifest('paperclipai', '2026.917.0'),
    [`${launcher}/${FOLDER}/package.json`]: manifest(SERVER),
    [`${launcher}/${RUNTIME}`]: "import 'not-there';",
  });
  expect(await lookIn(HOOK, root, {}, 'register')).toMatchObject([
    { mark: 'problem', remedy: `npm install --prefix ${root} paperclipai@2026.917.0` },
  ]);
});

it('a package without one of its files: npm takes it for installed, so its folder goes first', async () => {
  const { root, findings } = await check("import './gone.js';");
  expect(findings).toMatchObject([
    {
      mark: 'problem',
      remedy: `remove ${join(root, FOLDER)}, and then: npm install --prefix ${root} ${SERVER}@2026.916.1`,
    },
  ]);
});

it('a runtime that ends the process', async () => {
  const { root, findings } = await check('process.exit(1);');
  expect(findings).toMatchObject([
    {
      mark: 'problem',
      found: `${join(root, RUNTIME)} cannot be imported: its process ended`,
    },
  ]);
});

it('a runtime without what is instrumented', async () => {
  const { root, findings } = await check('export const other = 1;');
  expect(findings).toEqual([
    {
      mark: 'problem',
      found: `not attached: ${SERVER} 2026.916.1 has no environmentRuntimeService to instrument`,
      remedy: `npm install --prefix ${root} ${SERVER}@latest`,
    },
  ]);
});

it("a runtime that a loader of the user's replaces", async () => {
  const loader = `
import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(\`
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  return resolved.url.includes('environment-runtime') ? { ...resolved, url: 'data:text/javascript,export const environmentRuntimeService = () => ({ getDriver: () => ({}), execute() {} });' } : resolved;
}\`));`;
  const NODE_OPTIONS = `--import=${pathToFileURL(join(tree({ 'loader.mjs': loader }), 'loader.mjs')).href}`;
  const { findings } = await check(DRIVER, { NODE_OPTIONS });
  const remedy = `set NODE_OPTIONS=--import=${pathToFileURL(resolve('dist/register.js')).href}`;
  expect(findings).toEqual([
    {
      mark: 'problem',
      found: `not attached: ${SERVER} 2026.916.1 has loaded its runtime past the loader hook: something else in NODE_OPTIONS brings it`,
      remedy,
    },
  ]);
  const repaired = await check(DRIVER, { NODE_OPTIONS: remedy.slice('set NODE_OPTIONS='.length) });
  expect(repaired.findings).toEqual([{ mark: 'ok', found: attached }]);
});

it('a server whose drivers do nothing that is recorded', async () => {
  const runtime = 'export const environmentRuntimeService = () => ({ getDriver: () => ({}) });';
  expect((await check(runtime)).findings).toMatchObject([
    {
      mark: 'problem',
      found: expect.stringMatching(/^attached to .*, but nothing is recorded: /),
      remedy: 'report this, with the text above',
    },
  ]);
});

it.each([
  ['switched off', { OTEL_SDK_DISABLED: 'true' }, 'the instrumentation is switched off'],
  [
    'another package',
    { OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES: '@acme/server' },
    'there is no Paperclip to attach to',
  ],
])('%s: it is not tried', async (_, env, found) => {
  expect((await check(DRIVER, env as Record<string, string>)).findings).toEqual([{ mark: 'skipped', found }]);
});
