import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AWKWARD_NAME, DEPENDENCIES, installed } from '../support/tree.js';
import { NODES, run } from './harness.js';

/** Options that Node.js takes for the whole process only. It refuses them in the environment of a worker thread of its own. */
const OPTIONS = ['--title=x', '--use-openssl-ca', '--disable-proto=throw', '--v8-pool-size=2'];

describe.each(NODES)('on $name', ({ path }) => {
  test.each(OPTIONS)(
    "Paperclip's log works with a preload in a folder with a strange name, and %s in NODE_OPTIONS",
    async (option) => {
      const main = join(installed(AWKWARD_NAME, DEPENDENCIES), 'dist/cli/main.js');
      const { stdout } = await run(path, [main, 'run', '--', path, 'host/logs.mjs'], {
        NODE_OPTIONS: option,
      });
      expect(JSON.parse(stdout)).toMatchObject({ isPreloaded: true });
    },
    120_000,
  );
});
