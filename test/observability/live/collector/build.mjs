// @ts-check
/**
 * Builds the OpenTelemetry Collector, of the components in `builder.yaml`, Jaeger 2, and Prometheus 3 with its promtool, all with
 * Go, into a cache folder: `LIVE_TOOLS_CACHE`, or one in the cache of the operating system. What is there already is used.
 *
 * Prints their paths as JSON, or nothing where a build is needed and there is no Go. What it does goes to
 * the standard error.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cacheOfSystem } from '../../../matrix/cache.mjs';

const MANIFEST = join(import.meta.dirname, 'builder.yaml');
const manifest = readFileSync(MANIFEST, 'utf8');
/** The Collector's, and of the builder that makes it. */
const COLLECTOR = /^ {2}version: (\S+)$/m.exec(manifest)?.[1];
const BUILDER = `go.opentelemetry.io/collector/cmd/builder@v${COLLECTOR}`;
/** Jaeger's versions 1 and 2 come from one module, which counts as version 1. */
const JAEGER = { module: 'github.com/jaegertracing/jaeger@v1.76.0', version: 'v2.13.0' };

/** Debian's is version 2. The versions of the module are those of the programs with a 0 before: v0.312.0 is 3.12.0. */
const PROMETHEUS = 'github.com/prometheus/prometheus@v0.312.0';

const FLAGS = ['build', '-trimpath', '-buildvcs=false'];
const LDFLAGS = '-s -w';
/** Of services of clouds, whose libraries take longest. */
const WITHOUT_DISCOVERY = '-tags=remove_all_sd';
const VERSION_VARIABLE = 'github.com/jaegertracing/jaeger/internal/version.latestVersion';
const JAEGER_LDFLAGS = `${LDFLAGS} -X ${VERSION_VARIABLE}=${JAEGER.version}`;

const NAME = 'opentelemetry-instrumentation-paperclip/live';
const cache = resolve(process.env.LIVE_TOOLS_CACHE || join(cacheOfSystem(), NAME));

/** @typedef {{ name: string, of: unknown, make: (folder: string, file: string) => Promise<void> }} Program */

/** @type {Program[]} */
const PROGRAMS = [
  {
    name: 'jaeger',
    of: [JAEGER, JAEGER_LDFLAGS],
    make: (_, file) => buildInModule(JAEGER.module, file, `-ldflags=${JAEGER_LDFLAGS}`, './cmd/jaeger'),
  },
  { name: 'collector', of: [manifest, LDFLAGS], make: buildCollector },
  ...['prometheus', 'promtool'].map((name) => ({
    name,
    of: [PROMETHEUS, LDFLAGS, WITHOUT_DISCOVERY],
    /** @type {Program['make']} */
    make: (_, file) =>
      buildInModule(PROMETHEUS, file, `-ldflags=${LDFLAGS}`, WITHOUT_DISCOVERY, `./cmd/${name}`),
  })),
];

const paths = PROGRAMS.map((program) => ({
  ...program,
  path: pathOf(program),
}));
const missing = paths.filter(({ path }) => !existsSync(path));
if (missing.length === 0 || (await hasGo())) {
  // The machine is somebody's, and this takes minutes.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  for (const program of missing) await build(program);
  console.log(JSON.stringify(Object.fromEntries(paths.map(({ name, path }) => [name, path]))));
} else {
  console.error(
    'there is no Go to build Jaeger, the Collector and Prometheus 3 with: what needs them is skipped',
  );
}

/**
 * A program that was built completely, of what is asked for now, is the file of this name.
 *
 * @param {Program} program
 */
function pathOf({ name, of }) {
  const made = JSON.stringify([of, FLAGS, process.platform, process.arch]);
  const digest = createHash('sha256').update(made).digest('hex').slice(0, 16);
  return join(cache, `${name}-${digest}${process.platform === 'win32' ? '.exe' : ''}`);
}

/** @param {Program & { path: string }} program */
async function build({ name, path, make }) {
  console.error(`building ${name} with Go; that takes some minutes, once …`);
  const started = performance.now();
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'build-'));
  try {
    const file = join(folder, 'program');
    await make(folder, file);
    renameSync(file, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.error(`built ${name} in ${Math.round((performance.now() - started) / 1000)} s: ${path}`);
}

/**
 * `go install` refuses modules that replace others, so such a program is built where Go keeps its source.
 *
 * @param {string} module with its version
 * @param {string} file
 * @param {string[]} args what Go is told besides: flags, and the program's folder
 */
async function buildInModule(module, file, ...args) {
  const { Dir } = JSON.parse(await go(['mod', 'download', '-json', module], cache));
  await go([...FLAGS, '-o', file, ...args], Dir);
}

/** @type {Program['make']} */
async function buildCollector(folder, file) {
  await go(['run', BUILDER, '--config', MANIFEST, '--skip-compilation'], folder);
  await go([...FLAGS, `-ldflags=${LDFLAGS}`, '-o', file, '.'], join(folder, 'source'));
}

function hasGo() {
  return go(['version'], '.').then(
    () => true,
    (error) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/**
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<string>} what it prints
 */
async function go(args, cwd) {
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
  const { stdout } = await promisify(execFile)('go', args, { cwd, env, maxBuffer: 2 ** 26 });
  return stdout;
}
