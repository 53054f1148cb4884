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

/**
 * How long a case is measured: in how many processes, since what the compiler makes of the code differs from one to the
 * next, in what share of its rounds, and after how many to warm up.
 */
const SHORT = { processes: 2, share: 1 / 3, warmUp: 4, peerRounds: 6, failing: 200_000 };
const WHOLE = { processes: 5, share: 1, warmUp: 8, peerRounds: 10, failing: 1_000_000 };
const FIRST_FAILING_OPERATIONS = 10_000;

const isWanted = (/** @type {Case} */ { name }) => only === undefined || only === name;
if (![...SIDES, ...PEERS, HEAP].some(isWanted)) throw new Error(`no such case: ${only}`);

prepare();
const length = short ? SHORT : WHOLE;
/** @type {Row[]} */
const rows = [];
for await (const row of measure(isWanted, length)) add(row);

if (!short && only === undefined) write(rows);
const isMissed = (/** @type {Row} */ { target, ratio }) =>
  target !== undefined && ratio > target * (short ? TOLERANCE : 1);
let missed = rows.filter(isMissed);
if (short && missed.length > 0) {
  console.log('missed in a short run, so measured again in a whole one:');
  const names = missed.map(({ name }) => name);
  missed = [];
  for await (const row of measure(({ name }) => names.includes(name), WHOLE)) {
    add(row);
    if (isMissed(row)) missed.push(row);
  }
}
for (const { name, ratio, target } of missed)
  console.error(`missed: ${name} is ${ratio.toFixed(2)}, target ${target}`);
if (missed.length > 0) process.exitCode = 1;

/**
 * @param {(each: Case) => boolean} wanted
 * @param {typeof WHOLE} length
 */
async function* measure(wanted, length) {
  for (const each of SIDES.filter(wanted)) yield await sides(each, length);
  yield* await peers(PEERS.filter(wanted), length);
  if (wanted(HEAP)) yield await heap(length);
}

function add(/** @type {Row} */ row) {
  rows.push(row);
  console.log(toConsole(row));
}

/**
 * @param {Case & { rounds: number }} each
 * @param {typeof WHOLE} length
 * @returns {Promise<Row>}
 */
async function sides(each, { processes, share, warmUp }) {
  /** @type {{ subject: number, reference: number }[]} */
  const rounds = [];
  for (let number = 0; number < processes; number += 1) {
    const wanted = [Math.ceil(each.rounds * share), Math.min(warmUp, each.rounds)];
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
 * @param {typeof WHOLE} length
 * @returns {Promise<Row[]>}
 */
async function peers(wanted, { processes, peerRounds, warmUp }) {
  if (wanted.length === 0) return [];
  const names = ['ours', ...wanted.map(({ name }) => name)];
  /** @type {Record<string, number>[]} */
  const rounds = [];
  for (let number = 0; number < processes; number += 1) {
    rounds.push(...(await overheads(NODE, names, { rounds: peerRounds, warmUp })));
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

/**
 * @param {typeof WHOLE} length
 * @returns {Promise<Row>}
 */
async function heap({ failing }) {
  const operations = [FIRST_FAILING_OPERATIONS, failing];
  const [before, after] = await output('--expose-gc', 'support/heap.mjs', ...operations.map(String));
  const what = `${HEAP.what} (${failing.toLocaleString('en')})`;
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
