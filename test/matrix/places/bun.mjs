/** Bun, which has no loader hooks. */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { npmInstall, OURS, project } from '../installs.mjs';
import { must, run } from '../process.mjs';
import { HOST, putServer, RECORDED, REFUSED, write } from '../stand-in.mjs';

const VERSION = '1.4.5';

const WARNING =
  'not attached: Bun is not supported, and this preload does nothing in it. Start the Paperclip server with Node.js';

export default [
  {
    name: 'a server on Bun',
    promise:
      'it runs as without the preload, which warns once that Bun is not supported, and doctor and run say so, too',
    async check({ scratch, tree }) {
      const folder = await tree();
      const bun = await bunOf();
      const server = join(scratch, 'node_modules', '@paperclipai', 'server');
      putServer(server);
      const preloads = ['register', 'start'].flatMap((entry) => [
        '--preload',
        join(folder, 'node_modules', OURS, 'dist', `${entry}.js`),
      ]);
      const main = join(server, 'dist', 'index.js');
      const ran = await run(bun, [...preloads, main], { cwd: scratch, limit: 60 });
      assert.deepEqual({ code: ran.code, stdout: ran.stdout }, { code: 0, stdout: `${REFUSED}\n` });
      assert.equal(ran.stderr.split(WARNING).length, 2, ran.stderr);

      const cli = join(folder, 'node_modules', OURS, 'dist', 'cli', 'main.js');
      const { stdout } = await run(bun, [cli, 'doctor', '--json', server], { cwd: scratch, limit: 60 });
      const { findings } = JSON.parse(stdout);
      assert.deepEqual(
        findings.find(({ check }) => check === 'node'),
        {
          check: 'node',
          mark: 'problem',
          found: `Bun ${VERSION} is not supported: no preload attaches in it`,
          remedy: 'start the server, and doctor, with Node.js',
        },
      );
      assert.equal(findings.find(({ check }) => check === 'hook').found, 'Bun is not supported');

      const behind = await run(process.execPath, [cli, 'run', '--', bun, main], { cwd: scratch, limit: 60 });
      assert.deepEqual(behind, {
        code: 0,
        stdout: `${REFUSED}\n`,
        stderr:
          'warning: Bun is not supported: it does not read NODE_OPTIONS, so what it runs itself is not attached to\n',
      });
    },
  },
  {
    name: 'the library on Bun',
    promise: 'nothing is: Bun is not supported. instrumentDriver and instrumentRuntime were seen to record',
    async check({ scratch, tree }) {
      symlinkSync(join(await tree(), 'node_modules'), join(scratch, 'node_modules'));
      write(scratch, { 'index.mjs': HOST });
      const printed = await must(await bunOf(), [join(scratch, 'index.mjs')], { cwd: scratch, limit: 60 });
      assert.deepEqual(JSON.parse(printed), RECORDED);
    },
  },
];

/** The program. The install script of its package brings it. */
async function bunOf() {
  const manifest = { dependencies: { bun: VERSION }, allowScripts: { [`bun@${VERSION}`]: true } };
  return join(await project('bun', manifest, npmInstall), 'node_modules', '.bin', 'bun');
}
