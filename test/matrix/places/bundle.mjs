/** The library in a bundle, and a server that is a bundle itself. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DIMENSIONS } from '../dimensions.mjs';
import { npmInstall, OURS, project } from '../installs.mjs';
import { run } from '../process.mjs';
import { HOST, putServer, RECORDED, REFUSED, write } from '../stand-in.mjs';

const BUNDLERS = { esbuild: '0.28.2', webpack: '5.113.0' };

/** OpenTelemetry's CommonJS needs a `require`, which esbuild's ES modules lack. esbuild's users put this in front. */
const BANNER = "import { createRequire } from 'module'; const require = createRequire(import.meta.url);";

/** Each bundles an entry into a file. */
const BUILDS = {
  'esbuild.cjs': ({ esbuild }, entry, file) => buildByEsbuild(esbuild, entry, file, { format: 'cjs' }),
  'esbuild.mjs': ({ esbuild }, entry, file) =>
    buildByEsbuild(esbuild, entry, file, { format: 'esm', banner: { js: BANNER } }),
  'webpack.cjs': ({ webpack }, entry, file) => buildByWebpack(webpack, entry, file, {}),
  'webpack.mjs': ({ webpack }, entry, file) =>
    buildByWebpack(webpack, entry, file, { experiments: { outputModule: true }, output: { module: true } }),
};

export default [
  {
    name: 'the library in a bundle of esbuild or webpack',
    promise:
      'instrumentDriver and instrumentRuntime record, in CommonJS and in ES modules, away from node_modules',
    async check({ scratch, tree }) {
      const bundlers = await loadBundlers();
      for (const line of DIMENSIONS.otel) {
        const folder = join(scratch, line);
        cpSync(await tree(line), folder, { recursive: true });
        write(folder, { 'index.js': HOST });
        const files = Object.keys(BUILDS).map((name) => join(scratch, `out-${line}`, name));
        for (const file of files) await BUILDS[basename(file)](bundlers, join(folder, 'index.js'), file);
        // What is not on another machine must not be found on this one.
        rmSync(folder, { recursive: true });
        for (const file of files) {
          const { stdout, stderr } = await run(process.execPath, [file], { cwd: scratch });
          // Node.js shows the line with an error, which is the whole bundle.
          assert.equal(stderr.slice(-1000), '', file);
          assert.deepEqual(JSON.parse(stdout), RECORDED, file);
        }
      }
    },
  },
  {
    name: 'a server bundled into one file, away from node_modules',
    promise: 'it works as without the preload, and a warning says that a bundle cannot be attached to',
    async check({ scratch, tree }) {
      const { esbuild } = await loadBundlers();
      const server = join(scratch, 'build', 'server');
      putServer(server);
      const file = join(scratch, 'server.mjs');
      await buildByEsbuild(esbuild, join(server, 'dist', 'index.js'), file, { format: 'esm' });
      rmSync(join(scratch, 'build'), { recursive: true });
      const preload = pathToFileURL(join(await tree(), 'node_modules', OURS, 'dist', 'register.js')).href;
      const { stdout, stderr } = await firstWarning([
        '--import',
        QUICK_CLOCK,
        '--import',
        preload,
        file,
        '--listen',
      ]);
      assert.equal(stdout, `${REFUSED}\n`);
      assert.match(
        stderr,
        /not attached: .* bundled into one file, start it unbundled: a bundle cannot be attached to/,
      );
    },
  },
];

/** The warning comes a minute after the server listens. By this clock, that is two seconds. */
const QUICK_CLOCK = `data:text/javascript,${encodeURIComponent(
  'const now = performance.now.bind(performance); performance.now = () => now() * 30;',
)}`;

async function loadBundlers() {
  const install = (cwd) => npmInstall(cwd, '--ignore-scripts');
  const require = createRequire(
    join(await project('bundlers', { dependencies: BUNDLERS }, install), 'package.json'),
  );
  return { esbuild: require('esbuild'), webpack: require('webpack') };
}

async function buildByEsbuild(esbuild, entry, outfile, options) {
  await esbuild.build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    logLevel: 'silent',
    ...options,
  });
}

function buildByWebpack(webpack, entry, file, options) {
  const output = { path: dirname(file), filename: basename(file), ...options.output };
  return new Promise((resolve, reject) => {
    webpack({ mode: 'production', target: 'node20', entry, ...options, output }, (error, stats) => {
      if (error) reject(error);
      else if (stats.hasErrors()) reject(new Error(stats.toString({ all: false, errors: true })));
      else resolve();
    });
  });
}

/** Runs Node.js until it has written a warning and ended its line, and ends it. */
function firstWarning(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    const timer = setTimeout(() => child.kill(), 60_000);
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (text) => {
        output[stream] += text;
        if (output.stderr.includes('\n')) child.kill();
      });
    }
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      resolve(output);
    });
  });
}
