/** Answers with whether the preloads of this process have registered an SDK. */
import { setTimeout } from 'node:timers/promises';
import { isSdkRegistered } from '../../../base/api.js';
import { answer } from './answer.js';

/** A preload may start an SDK a little later. How long to wait for that, and how long between two looks, in milliseconds. */
const LIMIT = 500;
const PAUSE = 50;

for (let waited = 0; waited < LIMIT && !isSdkRegistered(); waited += PAUSE) await setTimeout(PAUSE);
answer<boolean>(isSdkRegistered());
