/** Yarn's Plug'n'Play, which has zip files and no node_modules. Stand-ins of Paperclip's packages are installed by the real Yarn. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { cache } from '../cache.mjs';
import { OPENTELEMETRY, PINNED } from '../dimensions.mjs';
import { npmInstall, OURS, project } from '../installs.mjs';
import { must, run } from '../process.mjs';
import { putLauncher, putServer, REFUSED, write } from '../stand-in.mjs';

const YARN = { '@yarnpkg/cli-dist': '4.18.1' };

export default {
  name: "a project of Yarn's Plug'n'Play",
  promise:
    'it attaches, with service.version; doctor finds the server, or says that Yarn has to start it; assets are written',
  async check({ scratch, tarball, tree, node }) {
    const yarn = await install(scratch, tarball);
    // The hooks are in a thread of their own in the one, and in the server's in the other.
    for (const line of ['20', '24']) {
      const PATH = `${dirname(await node(line))}${delimiter}${process.env.PATH}`;
      const options = {
        cwd: join(scratch, 'project'),
        env: { ...process.env, PATH, OTEL_EXPORTER_OTLP_ENDPOINT: NOBODY },
        limit: 120,
      };
      const ours = (...args) => run(process.execPath, [yarn, OURS, ...args], options);

      await attaches(yarn, options);
      await isDiagnosed(ours);
      const assets = join(scratch, `assets-${line}`);
      assert.equal((await ours('assets', assets)).code, 0);
      assert.deepEqual(readdirSync(join(assets, 'dashboards')), DASHBOARDS);
    }
    await isDiagnosedFromOutside(join(await tree(), 'node_modules', OURS), join(scratch, 'project'));
  },
};

/** Where no collector is. */
const NOBODY = 'http://127.0.0.1:9';

const DASHBOARDS = ['paperclip-leases.json', 'paperclip-overview.json', 'paperclip-recovery.json'];

/** Makes the project, and returns the path of Yarn's program. */
async function install(scratch, tarball) {
  const tools = await project('yarn', { dependencies: YARN }, (cwd) => npmInstall(cwd, '--ignore-scripts'));
  const yarn = join(tools, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js');
  assert.ok(existsSync(yarn));
  putServer(join(scratch, 'packages/server'));
  putLauncher(join(scratch, 'packages/launcher'));
  cpSync(tarball, join(scratch, 'ours.tgz'));
  const folder = join(scratch, 'project');
  const dependencies = {
    paperclipai: 'file:../packages/launcher',
    [OURS]: 'file:../ours.tgz',
    ...OPENTELEMETRY[PINNED],
  };
  const resolutions = { '@paperclipai/server': 'file:../packages/server' };
  write(folder, {
    'package.json': JSON.stringify({
      name: 'project',
      private: true,
      type: 'module',
      dependencies,
      resolutions,
    }),
    'yarn.lock': '',
    '.yarnrc.yml': JSON.stringify({
      nodeLinker: 'pnp',
      enableTelemetry: false,
      enableImmutableInstalls: false,
      globalFolder: join(cache, 'yarn-packages'),
    }),
  });
  await must(process.execPath, [yarn, 'install'], { cwd: folder });
  return yarn;
}

/** Behind `run --start`, the launcher's server records, and what is sent names its version. */
async function attaches(yarn, { env, ...options }) {
  const bodies = [];
  const collector = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      bodies.push(JSON.parse(body));
      response.end('{}');
    });
  });
  await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
  try {
    const variables = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.address().port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    };
    const command = [yarn, OURS, 'run', '--start', '--', process.execPath, yarn, 'paperclipai', '--late'];
    const ended = await run(process.execPath, command, { ...options, env: { ...env, ...variables } });
    assert.deepEqual(
      { code: ended.code, stdout: ended.stdout },
      { code: 0, stdout: `${REFUSED}\n` },
      ended.stderr,
    );
  } finally {
    collector.close();
  }
  const resources = bodies.flatMap(({ resourceSpans }) => resourceSpans);
  const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  assert.deepEqual(
    spans.map(({ name }) => name),
    ['open_duplex_channel sandbox'],
  );
  const version = resources[0].resource.attributes.find(({ key }) => key === 'service.version');
  assert.equal(version?.value.stringValue, '2026.916.1');
}

async function isDiagnosed(ours) {
  const { stdout, stderr } = await ours('doctor', '--json');
  assert.equal(stderr, '');
  const { findings } = JSON.parse(stdout);
  const about = (id) =>
    findings
      .filter(({ check }) => check === id)
      .map(({ mark, found }) => `${mark}: ${found}`)
      .join();
  assert.match(
    about('paperclip'),
    /^ok: @paperclipai\/server 2026\.916\.1 in .*\.zip.* \(stable; layout: pnp\), found from this folder$/,
  );
  assert.match(about('copies'), /^ok: one copy of @opentelemetry\/api: 1\.9\.1 /);
  assert.match(about('hook'), /^ok: attached to @paperclipai\/server 2026\.916\.1 \(layout: pnp\)/);
  // Nothing but the collector, which is not there.
  assert.deepEqual(
    [...new Set(findings.filter(({ mark }) => mark === 'problem').map(({ check }) => check))],
    ['collector'],
  );
}

/** A doctor that Yarn has not started cannot read the packages. */
async function isDiagnosedFromOutside(ours, folder) {
  const { stdout } = await run(process.execPath, [join(ours, 'dist/cli/main.js'), 'doctor', '--json'], {
    cwd: folder,
  });
  const { found, remedy } = JSON.parse(stdout).findings.find(({ check }) => check === 'paperclip');
  assert.equal(found, `${folder} uses Plug'n'Play, and only what Yarn starts there can read its packages`);
  assert.equal(remedy, `cd ${folder} && yarn add ${OURS} && yarn ${OURS} doctor`);
}
