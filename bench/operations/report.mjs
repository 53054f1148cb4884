// @ts-check
/** Shows what was measured: on the console, and in `bench/RESULTS.md`. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { NODE } from './install.mjs';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} what
 * @property {number} [target]
 * @property {number} ratio median over the rounds
 * @property {number} low lower quartile
 * @property {number} high upper quartile
 * @property {number} subject what is measured, in units
 * @property {number} reference what it is measured against, in units
 * @property {'ns' | 'bytes'} unit
 */

/** One line. */
export function toConsole(/** @type {Row} */ row) {
  const { name, ratio, target, low, high } = row;
  const goal = target === undefined ? '' : ` (at most ${target})`;
  return `${name.padEnd(26)}${ratio.toFixed(2)}${goal}, quartiles ${low.toFixed(2)} to ${high.toFixed(2)}; ${values(row)}`;
}

/** Writes the last figures. */
export function write(/** @type {readonly Row[]} */ rows) {
  const lines = rows.map(
    (row) =>
      `| ${row.what} | ${row.target ?? ''} | **${row.ratio.toFixed(2)}** | ${row.low.toFixed(2)} to ${row.high.toFixed(2)} | ${values(row)} |`,
  );
  const text = `# Results

Written by \`npm run bench\`; [README.md](README.md) says how it measures.

${machine()}

| | at most | median ratio | quartiles | values |
| --- | --- | --- | --- | --- |
${lines.join('\n')}
`;
  writeFileSync(new URL('../RESULTS.md', import.meta.url), text);
}

function values(/** @type {Row} */ { subject, reference, unit }) {
  const show = (/** @type {number} */ value) => Math.round(value).toLocaleString('en');
  return `${show(subject)} against ${show(reference)} ${unit}`;
}

function machine() {
  const date = new Date().toISOString().slice(0, 10);
  const node = execFileSync(NODE, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
  const versions = Object.entries(dependencies)
    .filter(([name]) => /^@opentelemetry\/(api|sdk|instr)|^(undici|pg|generic-pool|dataloader)$/.test(name))
    .map(([name, version]) => `${name} ${version}`);
  return `${date}, ${availableParallelism()} × ${cpus()[0].model}, Node.js ${node}, ${versions.join(', ')}.`;
}
