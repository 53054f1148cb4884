// @ts-check
/**
 * Measures one case in a process of its own, since an SDK is registered once in a process and what one case teaches
 * the compiler is of no use to another. `node one-case.mjs <case> <rounds> <warm-up>` prints the rounds as JSON.
 */
import { inTurns } from './measure.mjs';

/** @typedef {Record<'subject' | 'reference', typeof import('./loops.mjs')>} Loops */

const [name, rounds, warmUp] = process.argv.slice(2);
/** A copy of the module for each side. */
const load = (/** @type {keyof Loops} */ side) => import(`./loops.mjs?${side}`);
/** @type {Loops} */
const loops = { subject: await load('subject'), reference: await load('reference') };
const { default: prepare } = await import(`../cases/${name}.mjs`);
const { subject, reference } = await prepare(loops);
const measured = await inTurns(subject, reference, { rounds: Number(rounds), warmUp: Number(warmUp) });
process.stdout.write(JSON.stringify(measured));
