/**
 * Runs the matrix: `node test/matrix/run.mjs [--write | --full | filter...]`. README.md has the details. A filter is a
 * part of a line of the table; of several, a line must have all.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { requirePlaces } from '../support/blocks.mjs';
import { play, prepare } from './cells.mjs';
import { CHECKS, check } from './checks.mjs';
import { allCells, DIMENSIONS, impossible, replaced } from './dimensions.mjs';
import { BLOCKS, publish } from './documents.mjs';
import { pack } from './installs.mjs';
import { pairwise } from './pairwise.mjs';

const { values, positionals: filters } = parseArgs({
  options: { full: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL('../..', import.meta.url));
/** The pages tell of the whole pairwise choice. */
const isDocumented = !values.full && filters.length === 0;
if (values.write && !isDocumented) refuse('--write goes with no filter and without --full');
try {
  // Before minutes of running.
  if (isDocumented) requirePlaces(root, BLOCKS);
} catch (error) {
  refuse(error.message);
}
const widths = Object.entries(DIMENSIONS).map(([name, of]) =>
  Math.max(...[name, ...of].map(({ length }) => length)),
);
const possible = allCells();
const cells = (values.full ? possible : pairwise(possible)).map((cell) => ({
  cell,
  line: row(Object.values(cell)),
}));
const checks = CHECKS.map((one) => ({ check: one, line: `install beside ${one.title}` }));
const [chosenCells, chosenChecks] = [cells, checks].map((all) => all.filter(({ line }) => isWanted(line)));

console.log(
  `${chosenCells.length} cells of ${possible.length} that can be, and ${chosenChecks.length} installs`,
);
const tarball = await pack();
// One after the other: most cells share what they are made of.
for (const job of chosenCells) {
  await attempt(job, async () => {
    job.how = await prepare(job.cell, tarball);
  });
}
const waiting = chosenCells.filter(({ how }) => how !== undefined);
await Promise.all(Array.from({ length: availableParallelism() }, playAll));
for (const job of chosenChecks) await attempt(job, () => check(job.check, tarball), 'passed');
report();
if (isDocumented) settle();

async function playAll() {
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
    const { cell, how } = job;
    await attempt(job, () => play(cell, how), 'passed');
  }
}

/** Notes the result of a step, which is a failure, or `result` where that is the last step. */
async function attempt(job, step, result) {
  const started = performance.now();
  try {
    await step();
    job.result = result;
  } catch (error) {
    job.result = 'FAILED';
    job.reason = error.message;
  }
  if (job.result === undefined) return;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${job.result} in ${seconds} s: ${job.line}${job.reason === undefined ? '' : `\n${job.reason}\n`}`,
  );
}

function report() {
  console.log(
    `\n${row(Object.keys(DIMENSIONS))} | result\n${row(widths.map((width) => '-'.repeat(width)))} | ------`,
  );
  for (const { line, result } of [...chosenCells, ...chosenChecks]) console.log(`${line} | ${result}`);
  console.log(`\nnot possible:\n${lines(impossible())}\nnot as published:\n${lines(replaced())}\n`);
  const passed = (jobs) => jobs.filter(({ result }) => result === 'passed').length;
  const all = chosenCells.length + chosenChecks.length;
  const good = passed(chosenCells) + passed(chosenChecks);
  console.log(`of these, ${passed(chosenCells)} cells and ${passed(chosenChecks)} installs passed`);
  console.log(`matrix: ${good} passed, ${all - good} failed`);
  if (good < all || all === 0) process.exitCode = 1;
}

/** Has the pages say what was run, or says where they do not. */
function settle() {
  const { isGood, text } = publish(root, { cells: chosenCells, checks: chosenChecks }, values.write);
  console.log(`\n${text}`);
  if (!isGood) process.exitCode = 1;
}

function refuse(message) {
  console.error(message);
  process.exit(2);
}

function lines(sentences) {
  return sentences.map((sentence) => `  ${sentence}`).join('\n');
}

function row(texts) {
  return texts.map((text, index) => text.padEnd(widths[index])).join(' | ');
}

function isWanted(line) {
  return filters.every((filter) => line.includes(filter));
}
