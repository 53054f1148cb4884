// @ts-check
/**
 * What an operation costs: `npm run bench [-- --short] [-- --only <case>]`. A whole run writes `bench/RESULTS.md` and
 * fails where a target is missed; a short one writes nothing and fails where a target is missed by half again as much.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { HEAP, PEERS, SIDES, TOLERANCE } from './cases.mjs';
import { NODE, prepare } from './install.mjs';
import { toConsole, write } from './report.mjs';
import { quantile } from './support/measure.mjs';
import { overheads } from './support/peers.mjs';

/** @import { Case } from './cases.mjs' */
/** @import { Row } from './report.mjs' */

const { short, only } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' } },
}).values;

/** Processes for each case: what the compiler makes of the code differs from one to the next. */
const PROCESSES = short ? 2 : 5;
const WARM_UP = short ? 4 : 8;
const PEER_ROUNDS = short ? 6 : 10;
const FAILING_OPERATIONS = short ? 200_000 : 1_000_000;
const FIRST_FAILING_OPERATIONS = 10_000;

const isWanted = (/** @type {Case} */ { name }) => only === undefined || only === name;
if (![...SIDES, ...PEERS, HEAP].some(isWanted)) throw new Error(`no such case: ${only}`);

prepare();
/** @type {Row[]} */
const rows = [];
for (const each of SIDES.filter(isWanted)) add(await sides(each));
for (const row of await peers(PEERS.filter(isWanted))) add(row);
if (isWanted(HEAP)) add(await heap());

if (!short && only === undefined) write(rows);
const missed = rows.filter(
  ({ target, ratio }) => target !== undefined && ratio > target * (short ? TOLERANCE : 1),
);
for (const { name, ratio, target } of missed)
  console.error(`missed: ${name} is ${ratio.toFixed(2)}, target ${target}`);
if (missed.length > 0) process.exitCode = 1;

function add(/** @type {Row} */ row) {
  rows.push(row);
  console.log(toConsole(row));
}

/**
 * @param {Case & { rounds: number }} each
 * @returns {Promise<Row>}
 */
async function sides(each) {
  /** @type {{ subject: number, reference: number }[]} */
  const rounds = [];
  for (let number = 0; number < PROCESSES; number += 1) {
    const wanted = [short ? Math.ceil(each.rounds / 3) : each.rounds, Math.min(WARM_UP, each.rounds)];
    rounds.push(...(await output('support/one-case.mjs', each.name, ...wanted.map(String))));
  }
  const median = (/** @type {'subject' | 'reference'} */ side) =>
    quantile(
      rounds.map((round) => round[side]),
      0.5,
    );
  const ratios = rounds.map(({ subject, reference }) => subject / reference);
  return {
    ...each,
    ...spread(ratios),
    subject: median('subject'),
    reference: median('reference'),
    unit: 'ns',
  };
}

/**
 * @param {readonly Case[]} wanted
 * @returns {Promise<Row[]>}
 */
async function peers(wanted) {
  if (wanted.length === 0) return [];
  const names = ['ours', ...wanted.map(({ name }) => name)];
  /** @type {Record<string, number>[]} */
  const rounds = [];
  for (let number = 0; number < PROCESSES; number += 1) {
    rounds.push(...(await overheads(NODE, names, { rounds: PEER_ROUNDS, warmUp: WARM_UP })));
  }
  return wanted.map((each) => {
    const ratios = rounds.map((round) => round.ours / round[each.name]);
    const median = (/** @type {string} */ name) =>
      quantile(
        rounds.map((round) => round[name]),
        0.5,
      );
    return { ...each, ...spread(ratios), subject: median('ours'), reference: median(each.name), unit: 'ns' };
  });
}

/** @returns {Promise<Row>} */
async function heap() {
  const operations = [FIRST_FAILING_OPERATIONS, FAILING_OPERATIONS];
  const [before, after] = await output('--expose-gc', 'support/heap.mjs', ...operations.map(String));
  const what = `${HEAP.what} (${FAILING_OPERATIONS.toLocaleString('en')})`;
  return { ...HEAP, what, ...spread([after / before]), subject: after, reference: before, unit: 'bytes' };
}

/** The median and the quartiles. */
function spread(/** @type {readonly number[]} */ ratios) {
  const [low, ratio, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share));
  return { ratio, low, high };
}

/** What a program of this folder prints, which is JSON. */
async function output(/** @type {string[]} */ ...args) {
  const { stdout } = await promisify(execFile)(NODE, args, {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });
  return JSON.parse(stdout);
}
