/**
 * Runs the places: ways to run Paperclip that the matrix's layouts are not, each with what is promised there.
 * `node test/matrix/places/run.mjs [--write | filter...]` runs those whose names have all filters. Without a filter,
 * docs/compatibility.md must list them; with `--write` they are written there, where all promises are kept.
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
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { differences, write } from '../../support/blocks.mjs';
import { allPlaces, pagesOf } from '../all-places.mjs';
import { PINNED } from '../dimensions.mjs';
import { node, otelTree, pack } from '../installs.mjs';

const { values, positionals: filters } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL('../../..', import.meta.url));
const all = await allPlaces();
const places = all.filter(({ name }) => filters.every((filter) => name.includes(filter)));
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
else if (filters.length === 0) settle();

function settle() {
  if (values.write) write(root, pagesOf(all));
  const differing = differences(root, pagesOf(all));
  if (differing.length === 0) return;
  console.log([...differing, '`npm run test:places -- --write` writes it.'].join('\n\n'));
  process.exitCode = 1;
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
