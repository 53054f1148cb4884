// @ts-check
/**
 * One library, instrumented or bare, in a process of its own. `node one-peer.mjs <peer> instrumented|bare`, with a
 * channel to the parent: measures a round for each message, and answers with the nanoseconds of an operation.
 */
import { round } from './measure.mjs';
import { startSdk } from './sdk.mjs';

const [name, kind] = process.argv.slice(2);
const settle = startSdk();
const { default: prepare } = await import(`../peers/${name}.mjs`);
const side = { run: await prepare(kind === 'instrumented'), settle };
process.on('message', async () => process.send?.(await round(side)));
