// @ts-check
/** What is measured, and how much it may be. */

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} what what is compared with what
 * @property {number} [target] the highest ratio; without one, the ratio is shown for orientation
 */

/**
 * Two sides in one process; the modules are in `cases/`.
 *
 * @type {readonly (Case & { rounds: number })[]}
 */
export const SIDES = [
  {
    name: 'recording',
    what: 'one operation, SDK recording, against the same span, histogram point and active count by hand',
    target: 1.15,
    rounds: 30,
  },
  {
    name: 'recording-without-active',
    what: 'the same, against span and histogram point by hand without the active count',
    rounds: 30,
  },
  {
    name: 'unsampled',
    what: 'one operation, SDK recording, span not sampled, against the same by hand',
    target: 1.15,
    rounds: 30,
  },
  {
    name: 'unheard',
    what: 'one operation, no SDK, against a bare `async` pass-through',
    target: 1.5,
    rounds: 100,
  },
  {
    name: 'disabled',
    what: 'one operation, instrumentation disabled, against the same pass-through',
    target: 1.2,
    rounds: 100,
  },
  {
    name: 'failure',
    what: 'one classified failure, SDK recording, against the same by hand with `recordException`',
    target: 1.25,
    rounds: 10,
  },
  {
    name: 'failure-with-frames',
    what: 'the same, against by hand that leaves errors the frames of the host',
    rounds: 10,
  },
  {
    name: 'episodes',
    what: 'one operation with 10,000 open recovery episodes, against with none',
    target: 1.05,
    rounds: 30,
  },
];

/**
 * What this instrumentation adds to an operation, against what another one adds to one of its library; the modules
 * are in `peers/`.
 *
 * @type {readonly Case[]}
 */
export const PEERS = [
  {
    name: 'floor',
    what: 'overhead of one operation, against that of the same calls to the SDK alone',
  },
  { name: 'undici', what: 'overhead of one operation, against `instrumentation-undici`', target: 1 },
  { name: 'pg', what: 'overhead of one operation, against `instrumentation-pg`', target: 1 },
  {
    name: 'generic-pool',
    what: 'overhead of one operation, against `instrumentation-generic-pool` (bare span)',
  },
  { name: 'dataloader', what: 'overhead of one operation, against `instrumentation-dataloader` (bare span)' },
];

/** @type {Case} */
export const HEAP = {
  name: 'heap',
  what: 'heap after the failing operations on distinct leases, against after the first 10,000',
  target: 1.1,
};

/** How much more than its target a case may be where only gross misses count. */
export const TOLERANCE = 1.5;
