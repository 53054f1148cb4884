/** Answers with whether the preloads of this process have registered an SDK. */
import { setTimeout } from 'node:timers/promises';
import { isSdkRegistered } from '../../../base/api.js';
import { answer } from './answer.js';

/** How long a preload may start one after it has been loaded, and how often that is looked at, in milliseconds. */
const LIMIT = 500;
const PAUSE = 50;

for (let waited = 0; waited < LIMIT && !isSdkRegistered(); waited += PAUSE) await setTimeout(PAUSE);
answer<boolean>(isSdkRegistered());
