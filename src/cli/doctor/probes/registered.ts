/** Answers with the signals for which the preloads of this process have registered an SDK. */
import { setTimeout } from 'node:timers/promises';
import { type Signal, servedSignals } from '../../../base/api.js';
import { wantedSignals } from '../../../config.js';
import { answer } from './answer.js';

/** A preload may start an SDK a little later. How long to wait for that, and how long between two looks, in milliseconds. */
const LIMIT = 500;
const PAUSE = 50;

const isComplete = () => wantedSignals(process.env).every((signal) => servedSignals().includes(signal));
for (let waited = 0; waited < LIMIT && !isComplete(); waited += PAUSE) await setTimeout(PAUSE);
answer<Signal[]>(servedSignals());
