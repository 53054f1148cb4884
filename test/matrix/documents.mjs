// @ts-check
/** What README and `docs/compatibility.md` say of a run: the blocks of each, in Markdown. */
import { differences, write } from '../support/blocks.mjs';
import { CHECK_ON } from './checks.mjs';
import { DIMENSIONS, impossible, LAYOUTS, NODE, OPENTELEMETRY, replaced, TOOLS } from './dimensions.mjs';

/**
 * @import { Pages } from '../support/blocks.mjs'
 *
 * @typedef {Record<keyof typeof DIMENSIONS, string>} Cell
 * @typedef {{ title: string, otel: string, dependencies: Record<string, string> }} Check
 * @typedef {'passed' | 'FAILED'} Result
 * @typedef {object} Results
 * @property {readonly { cell: Cell, result: Result }[]} cells
 * @property {readonly { check: Check, result: Result }[]} checks
 */

/** A line of OpenTelemetry JS is known by this package's version. */
const SDK = '@opentelemetry/sdk-node';

/**
 * What each block says, by its name and the path of its page.
 *
 * @type {Record<string, Record<string, (results: Results) => string>>}
 */
export const BLOCKS = {
  'README.md': { compatibility: summary },
  'docs/compatibility.md': {
    versions,
    matrix,
    installs,
    impossible: () => list(impossible()),
    replaced: () => list(replaced()),
  },
};

/**
 * @param {Results} results of a whole run
 * @returns {Pages}
 */
export function documents(results) {
  return Object.fromEntries(
    Object.entries(BLOCKS).map(([path, blocks]) => [
      path,
      Object.fromEntries(Object.entries(blocks).map(([name, block]) => [name, block(results)])),
    ]),
  );
}

/**
 * Writes what was run into the pages, where everything passed, or compares it with what they say.
 *
 * @param {string} root folder below which the pages are
 * @param {Results} results of a whole run
 * @param {boolean} isWriting
 * @returns {{ isGood: boolean, text: string }} whether the pages now say what was run, and what to tell
 */
export function publish(root, results, isWriting) {
  const pages = documents(results);
  const paths = Object.keys(pages).join(' and ');
  if (isWriting) {
    const passed = [...results.cells, ...results.checks].every(({ result }) => result === 'passed');
    if (!passed) return { isGood: false, text: `nothing was written into ${paths}: not everything passed` };
    write(root, pages);
    return { isGood: true, text: `written into ${paths}` };
  }
  const differing = differences(root, pages);
  if (differing.length === 0) return { isGood: true, text: `${paths} say what was run` };
  const remedy =
    '`npm run test:matrix -- --write` runs it again and writes what was run, where everything passes.';
  return { isGood: false, text: ['This is not what was run.', ...differing, remedy].join('\n\n') };
}

/**
 * The values of each dimension. One with which a cell failed, or none ran, is left out.
 *
 * @param {Results} results
 */
function summary({ cells }) {
  /** @type {(dimension: keyof typeof DIMENSIONS, label: (value: string) => string) => string} */
  const passed = (dimension, label) => {
    const good = DIMENSIONS[dimension].filter((value) => {
      const its = cells.filter(({ cell }) => cell[dimension] === value);
      return its.length > 0 && its.every(({ result }) => result === 'passed');
    });
    return good.map(label).join(', ') || 'none';
  };
  return table(
    ['', 'run and passed'],
    [
      ['Paperclip', passed('paperclip', (version) => version)],
      ['installed', passed('layout', (layout) => at(LAYOUTS, layout))],
      ['OpenTelemetry JS', passed('otel', openTelemetry)],
      ['Node.js', passed('node', (line) => at(NODE, line))],
    ],
  );
}

function versions() {
  const lines = Object.keys(OPENTELEMETRY);
  const packages = new Set(Object.values(OPENTELEMETRY).flatMap((line) => Object.keys(line)));
  return table(
    ['', ...lines.map((line) => `OpenTelemetry JS ${line}`)],
    [...packages].map((name) => [code(name), ...lines.map((line) => at(OPENTELEMETRY, line)[name] ?? '')]),
  ).concat(`\nTools: ${specifiers(TOOLS)}.\n`);
}

/** @param {Results} results */
function matrix({ cells }) {
  return table(
    ['Paperclip', 'layout', 'OpenTelemetry JS', 'Node.js', 'version', 'preload', 'result'],
    cells.map(({ cell: { paperclip, layout, otel, node, version, preload }, result }) => [
      paperclip,
      layout,
      at(at(OPENTELEMETRY, otel), SDK),
      at(NODE, node),
      version,
      preload,
      result,
    ]),
  );
}

/** @param {Results} results */
function installs({ checks }) {
  const { paperclip, node } = CHECK_ON;
  return table(
    ['beside', 'installed before', 'attached to', 'SDK', 'Node.js', 'result'],
    checks.map(({ check: { title, dependencies, otel }, result }) => [
      title,
      specifiers(dependencies),
      paperclip,
      at(at(OPENTELEMETRY, otel), SDK),
      at(NODE, node),
      result,
    ]),
  );
}

/** @param {string} line */
function openTelemetry(line) {
  const version = (/** @type {string} */ name) => at(at(OPENTELEMETRY, line), name);
  return `${version('@opentelemetry/sdk-trace')} (${code('sdk-node')} ${version(SDK)}, API ${version('@opentelemetry/api')})`;
}

/** @param {Record<string, string>} packages */
function specifiers(packages) {
  return Object.entries(packages)
    .map(([name, version]) => code(`${name}@${version}`))
    .join(', ');
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  /** @type {(cells: readonly string[]) => string} */
  const line = (cells) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}

/** @param {readonly string[]} sentences */
function list(sentences) {
  return sentences.map((sentence) => `- ${sentence}\n`).join('');
}

/**
 * @template T
 * @param {Record<string, T>} record
 * @param {string} key
 */
function at(record, key) {
  const value = record[key];
  if (value === undefined) throw new Error(`nothing for ${key}`);
  return value;
}

/** @param {string} text */
function code(text) {
  return `\`${text}\``;
}
