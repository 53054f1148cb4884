/**
 * Runs the places: ways to run Paperclip that the matrix's layouts are not, each with what is promised there.
 * `node test/matrix/places/run.mjs [filter...]` runs those whose names have all filters.
 *
 * Every other `.mjs` file of this folder is a place, or several: its default export is a {@link Place}, or an array of them.
 * What places share with the matrix, such as installs in the cache, is imported from the folder above.
 *
 * @typedef {object} Place
 * @property {string} name how Paperclip is run there, in words; one that no other place has
 * @property {string} promise what a user may rely on there, in a sentence
 * @property {(context: Context) => Promise<void>} check throws, with what was wrong in the message, where the promise is not kept
 *
 * @typedef {object} Context
 * @property {string} scratch an empty folder of this place alone; it is removed afterwards
 * @property {string} tarball our package, as `npm pack` makes it
 * @property {(line?: string) => Promise<string>} tree the folder of a project with our package, unpacked in `node_modules`,
 *   and with its peers and an SDK beside it, of a line of OpenTelemetry JS in `dimensions.mjs`: the one that Paperclip
 *   pins, where none is given. It is shared: nothing may be written there
 * @property {(line: string) => Promise<string>} node the executable of a line of Node.js in `dimensions.mjs`, such as `'20'`
 */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PINNED } from '../dimensions.mjs';
import { node, otelTree, pack } from '../installs.mjs';

const filters = process.argv.slice(2);
const places = (await all()).filter(({ name }) => filters.every((filter) => name.includes(filter)));
const tarball = await pack();
let passed = 0;
// One after the other: some need a port, or all of the machine.
for (const place of places) {
  const started = performance.now();
  const failure = await failureOf(place);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (failure === undefined) passed++;
  console.log(`${failure === undefined ? 'passed' : 'FAILED'} in ${seconds} s: ${place.name}`);
  console.log(failure === undefined ? `  ${place.promise}` : failure);
}
console.log(`places: ${passed} passed, ${places.length - passed} failed`);
if (passed < places.length || places.length === 0) process.exitCode = 1;

/** @returns {Promise<Place[]>} */
async function all() {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const others = readdirSync(folder).filter(
    (file) => file.endsWith('.mjs') && file !== basename(import.meta.filename),
  );
  const modules = await Promise.all(others.map((file) => import(pathToFileURL(join(folder, file)).href)));
  return modules.flatMap((module) => module.default);
}

/** What was wrong, or nothing. */
async function failureOf(place) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'place-')));
  try {
    await place.check({ scratch, tarball, node, tree: (line = PINNED) => otelTree(line, tarball) });
    return undefined;
  } catch (error) {
    return error.stack ?? String(error);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
