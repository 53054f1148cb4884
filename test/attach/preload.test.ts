import { readdirSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { RUNTIME_SOURCE } from '../support/runtime.js';
import { DOCUMENTED_HOOK, type Ended, manifest, REGISTER, REQUIRE, runNode, tree } from '../support/tree.js';

const HOST = fileURLToPath(new URL('host.mjs', import.meta.url));
const CLASS_ALONE = fileURLToPath(new URL('class.mjs', import.meta.url));
const SEEN = ['open_duplex_channel sandbox unsupported-driver-operation'];

/** A server as npm installs it. */
function npmServer(name = '@paperclipai/server', version?: string) {
  const folder = `node_modules/${name}`;
  const root = tree({
    [`${folder}/package.json`]: manifest(name, version),
    [`${folder}/dist/services/environment-runtime.js`]: RUNTIME_SOURCE,
  });
  return join(root, folder, 'dist/services/environment-runtime.js');
}

function hostArgs(runtime: string, ...options: string[]) {
  return [...options, HOST, runtime];
}

function printed({ stdout, stderr }: Ended) {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`no JSON in: ${stdout}\n${stderr}`);
  }
}

/** Where the server's runtime is under npm, in pnpm's store, in a built monorepo and in a checkout. */
const LAYOUTS = {
  'node_modules/@paperclipai/server': 'dist/services/environment-runtime.js',
  'node_modules/.pnpm/@paperclipai+server@2026.916.1/node_modules/@paperclipai/server':
    'dist/services/environment-runtime.js',
  'app/server': 'dist/services/environment-runtime.js',
  'checkout/server': 'src/services/environment-runtime.js',
};

it.each([
  ['./register', REGISTER],
  ["the class alone, behind OpenTelemetry's documented hook,", CLASS_ALONE],
])('%s attaches in every layout', async (_, preload) => {
  const runtimes = Object.entries(LAYOUTS).map(([folder, file]) => {
    // Paperclip's repository holds this version for all its packages.
    const manifestOf = manifest('@paperclipai/server', '0.3.1');
    return join(
      tree({ [`${folder}/package.json`]: manifestOf, [`${folder}/${file}`]: RUNTIME_SOURCE }),
      folder,
      file,
    );
  });
  const ended = await runNode(['--import', preload, HOST, ...runtimes]);
  expect({ spans: printed(ended).spans, stderr: ended.stderr }).toEqual({
    spans: runtimes.flatMap(() => SEEN),
    stderr: '',
  });
});

it.each([
  ['before', ['--import', DOCUMENTED_HOOK, '--import', REGISTER]],
  ['after', ['--import', REGISTER, '--import', DOCUMENTED_HOOK]],
])("attaches once, and without a word, with OpenTelemetry's own hook %s it", async (_, options) => {
  const ended = await runNode(hostArgs(npmServer(), ...options));
  expect({ spans: printed(ended).spans, stderr: ended.stderr }).toEqual({ spans: SEEN, stderr: '' });
});

it('records once with the preload and the class in one process', async () => {
  const ended = await runNode(hostArgs(npmServer(), '--import', REGISTER, '--import', CLASS_ALONE));
  expect({ spans: printed(ended).spans, stderr: ended.stderr }).toEqual({ spans: SEEN, stderr: '' });
});

it('attaches once where it is preloaded twice', async () => {
  const ended = await runNode(hostArgs(npmServer(), '--import', REGISTER, '--import', `${REGISTER}?again`));
  expect({ spans: printed(ended).spans, stderr: ended.stderr }).toEqual({ spans: SEEN, stderr: '' });
});

it('attaches to a fork that is named in the environment, and to no other package', async () => {
  const runtime = npmServer('@acme/paperclip');
  const named = { OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES: '@acme/paperclip' };
  const run = (env: Record<string, string>) => runNode(hostArgs(runtime, '--import', REGISTER), { env });
  expect(printed(await run(named)).spans).toEqual(SEEN);
  expect(printed(await run({})).spans).toEqual([]);
});

it('leaves a version alone that is too old, and says so once', async () => {
  const ended = await runNode(hostArgs(npmServer('@paperclipai/server', '2026.426.9'), '--import', REGISTER));
  expect(printed(ended).spans).toEqual([]);
  expect(ended.stderr.match(/not attached: .*/g)).toEqual([
    'not attached: @paperclipai/server 2026.426.9 is not supported. Supported is 2026.427.0 and later; ' +
      'update Paperclip or this package',
  ]);
});

it('leaves the modules of other packages as they are, whatever their names', async () => {
  const root = tree({
    'node_modules/other/package.json': { ...manifest('other'), exports: { './*': './*' } },
    'node_modules/other/dist/services/environment-runtime.js': `
      import './helper.js';
      export function hoisted() { return 'hoisted'; }
      export let state = 'initial';
      export const change = () => { state = 'changed'; };`,
    'node_modules/other/dist/services/helper.js': `
      import { hoisted } from './environment-runtime.js';
      console.log(hoisted());`,
    'main.mjs': `
      import { change, state } from 'other/dist/services/environment-runtime.js';
      change();
      console.log(state, import.meta.resolve('other/dist/services/environment-runtime.js').includes('?'));`,
  });
  const { stdout } = await runNode(['--import', REGISTER, join(root, 'main.mjs')]);
  expect(stdout).toBe('hoisted\nchanged false\n');
});

it('hands nothing of itself down to child processes, and leaves the other options', async () => {
  const env = { NODE_OPTIONS: `--no-warnings --import "${REGISTER}" --title="a b"` };
  const ended = await runNode(
    hostArgs(npmServer(), '--stack-trace-limit=20', '--import', REGISTER, `--import=${REGISTER}`),
    { env },
  );
  expect(printed(ended)).toEqual({
    spans: SEEN,
    NODE_OPTIONS: '--no-warnings --title="a b"',
    execArgv: ['--stack-trace-limit=20'],
  });
});

it('stays in what a launcher hands down that loads no Paperclip itself', async () => {
  const env = { NODE_OPTIONS: `--import ${REGISTER}` };
  const ended = await runNode(['-p', 'process.env.NODE_OPTIONS'], { env });
  expect(ended.stdout).toBe(`--import ${REGISTER}\n`);
});

/** What a process prints that hands this down. */
const HANDS_DOWN = 'console.log(JSON.stringify([process.env.NODE_OPTIONS, process.execArgv]));';

async function handedDown(main: string, env: Record<string, string> = {}) {
  const NODE_OPTIONS = `--no-warnings --import=${pathToFileURL(REGISTER).href}`;
  const ended = await runNode(['--import', REGISTER, main], { env: { NODE_OPTIONS, ...env } });
  const [options, execArgv] = printed(ended);
  return options === NODE_OPTIONS && execArgv.length === 2 ? 'the preload' : [options, execArgv];
}

describe('child processes get no preload', () => {
  const NOTHING = ['--no-warnings', []];
  const SERVER = 'node_modules/@paperclipai/server';
  const DISABLED = { OTEL_SDK_DISABLED: 'true' };

  it.each<[string, string, string, Record<string, string>]>([
    ['that loads its runtime later', `${SERVER}/dist/index.js`, '2026.916.1', {}],
    ['from before the runtime', `${SERVER}/dist/index.js`, '2026.416.0', {}],
    ['in a checkout', 'server/src/index.js', '0.3.1', {}],
    ['where the instrumentation is switched off', `${SERVER}/dist/index.js`, '2026.916.1', DISABLED],
  ])('of a server %s', async (_, main, version, env) => {
    const folder = dirname(dirname(main));
    const root = tree({
      [`${folder}/package.json`]: manifest('@paperclipai/server', version),
      [main]: HANDS_DOWN,
    });
    expect(await handedDown(join(root, main), env)).toEqual(NOTHING);
  });

  /** A program that is no server, and loads this. */
  function loading(code: string): string {
    return join(tree({ 'main.mjs': `${code}\n${HANDS_DOWN}` }), 'main.mjs');
  }
  const importing = (runtime: string) => loading(`import ${JSON.stringify(pathToFileURL(runtime).href)};`);

  it.each([
    ['a runtime', importing(npmServer())],
    ['the runtime of another package', importing(npmServer('@acme/paperclip'))],
    ['the runtime of a version that is not supported', importing(npmServer(undefined, '2026.426.9'))],
  ])('of a process that loads %s', async (_, main) => {
    expect(await handedDown(main)).toEqual(NOTHING);
  });

  it('of a process that instruments its driver itself', async () => {
    const library = pathToFileURL(join(dirname(REGISTER), 'index.js')).href;
    const code = `import { PaperclipInstrumentation } from ${JSON.stringify(library)};
      new PaperclipInstrumentation().instrumentDriver({});`;
    expect(await handedDown(loading(code))).toEqual(NOTHING);
  });

  it('of a process where the preload failed, which says so', async () => {
    const breaking = `data:text/javascript,${encodeURIComponent(`
      import Module from 'node:module';
      const resolve = Module._resolveFilename;
      Module._resolveFilename = (name, ...others) => {
        if (name === 'import-in-the-middle/hook.mjs') throw new Error('there is no hook');
        return resolve.call(Module, name, ...others);
      };`)}`;
    const env = { NODE_OPTIONS: `--import=${breaking} --import=${pathToFileURL(REGISTER).href}` };
    const ended = await runNode([loading('')], { env });
    expect(printed(ended)).toEqual([`--import=${breaking}`, []]);
    expect(ended.stderr.match(/not attached: .*/g)).toEqual(['not attached: there is no hook']);
  });

  it.each([
    ['another program of the server', `${SERVER}/scripts/dev-watch.js`],
    ['another package', 'node_modules/tool/dist/index.js'],
  ])('but %s may start the server, and hands it on', async (_, main) => {
    const root = tree({
      [`${SERVER}/package.json`]: manifest('@paperclipai/server'),
      'node_modules/tool/package.json': manifest('tool'),
      [main]: HANDS_DOWN,
    });
    expect(await handedDown(join(root, main))).toBe('the preload');
  });
});

/** Preload that counts the load hooks that there are in this thread, as `loadHooks`. */
const COUNTING = `data:text/javascript,${encodeURIComponent(`
  import module, { syncBuiltinESMExports } from 'node:module';
  const { registerHooks } = module;
  globalThis.loadHooks = 0;
  module.registerHooks = (hooks) => {
    const registration = registerHooks(hooks);
    if (hooks.load === undefined) return registration;
    globalThis.loadHooks++;
    return { deregister() { globalThis.loadHooks--; registration.deregister(); } };
  };
  syncBuiltinESMExports();`)}`;

it.skipIf(!('registerHooks' in nodeModule))(
  'has no load hook when a runtime is loaded, or only resolved',
  async () => {
    const url = JSON.stringify(pathToFileURL(npmServer()).href);
    const main = join(
      tree({
        'main.mjs': `import { setImmediate as turn } from 'node:timers/promises';
          const counts = [loadHooks];
          import.meta.resolve(${url});
          counts.push(loadHooks);
          await turn();
          counts.push(loadHooks);
          await import(${url});
          counts.push(loadHooks);
          console.log(JSON.stringify(counts));`,
      }),
      'main.mjs',
    );
    expect(printed(await runNode(['--import', COUNTING, '--import', REGISTER, main]))).toEqual([0, 1, 0, 0]);
  },
);

it('does nothing in worker threads', async () => {
  const isPreloaded =
    "globalThis[Symbol.for('opentelemetry-instrumentation-paperclip.shared.4')]?.attachment.isPreloaded ?? false";
  const folder = tree({
    'main.mjs': `
      import { Worker } from 'node:worker_threads';
      console.log('main', ${isPreloaded});
      new Worker(new URL('worker.mjs', import.meta.url));`,
    'worker.mjs': `console.log('worker', ${isPreloaded});`,
  });
  const { stdout } = await runNode(['--import', REGISTER, join(folder, 'main.mjs')]);
  expect(stdout).toBe('main true\nworker false\n');
});

describe('zod', () => {
  /** The files of zod that a process with the preload loads, as V8 lists them for coverage. */
  async function zodFiles(env: Record<string, string>): Promise<string[]> {
    const coverage = tree({});
    const { code } = await runNode(['--import', REGISTER, '-e', ''], {
      env: { NODE_V8_COVERAGE: coverage, ...env },
    });
    expect(code).toBe(0);
    return readdirSync(coverage)
      .flatMap((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')).result)
      .map(({ url }) => url)
      .filter((url) => url.includes('/node_modules/zod/'));
  }

  it('is not loaded without an option', async () => {
    expect(await zodFiles({})).toEqual([]);
  });

  it('is loaded to validate one', async () => {
    expect(await zodFiles({ OTEL_INSTRUMENTATION_PAPERCLIP_CAPTURE_IDS: 'true' })).not.toEqual([]);
  });
});

it('explains what to use where it is required', async () => {
  const ended = await runNode(['--require', REQUIRE, '-e', 'console.log("runs")']);
  expect(ended.stdout).toBe('runs\n');
  expect(ended.stderr).toContain(
    'Use node --import opentelemetry-instrumentation-paperclip/register (or /start) instead of --require',
  );
});

it('stays away where it is switched off', async () => {
  const env = { OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'http,paperclip' };
  expect(printed(await runNode(hostArgs(npmServer(), '--import', REGISTER), { env })).spans).toEqual([]);
});
