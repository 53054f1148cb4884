/** Runs tests that Paperclip publishes inside its packages, as they are. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../node_modules/@paperclipai', import.meta.url));
/** What they are about, by their names: leases, sandboxes, duplex channels, and startup steps, whose file is patched. */
const ABOUT = /(lease|sandbox|duplex|startup-timing)[\w-]*\.test\.js$/;
const include = ['adapter-utils/dist', 'server/dist'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ABOUT.test(file))
    .map((file) => join(folder, file)),
);

/** Where the results go, what is loaded first, and, where not all are to be run, which files; separated by commas. */
const { OWN_TESTS_OUTPUT: output, OWN_TESTS_PRELOADS: preloads, OWN_TESTS_ONLY: only } = process.env;
export default defineConfig({
  root,
  test: {
    include: only ? only.split(',') : include,
    exclude: [],
    // A process for each file, which loads what the tests import by Node.js itself: only there preloads see it.
    pool: 'forks',
    maxWorkers: 2,
    execArgv: (preloads ? preloads.split(',') : []).flatMap((preload) => ['--import', preload]),
    setupFiles: [fileURLToPath(new URL('setup.mjs', import.meta.url))],
    reporters: [['json', { outputFile: `${output}/results.json` }]],
    testTimeout: 60_000,
  },
});
