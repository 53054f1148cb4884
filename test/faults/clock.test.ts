import { afterEach, expect, it } from 'vitest';
import { EXACT, expectUnnoticed, playInstrumented, playPlain, SPANS } from './harness.js';

/** Where this package reads the time of day: the SDK has its own time from it. */
const OURS = /^(?!.*node_modules).*\/src\/telemetry\//;

const { now } = Date;
afterEach(() => {
  Date.now = now;
});

let passed = 0;
it.each([
  ['runs backwards', (time: number) => time - 1e7 * passed++],
  ['jumps by years', (time: number) => time + 1e12 * passed++],
])('a time of day that %s loses no span and no point', async (_what, tell) => {
  const plain = await playPlain();
  const played = await playInstrumented(undefined, () => {
    Date.now = () => {
      const [, , caller = ''] = new Error().stack?.split('\n') ?? [];
      return OURS.test(caller) ? tell(now()) : now();
    };
  });
  expect(expectUnnoticed(played, plain)).toEqual([]);
  expect(played.telemetry.spans()).toHaveLength(SPANS);
  expect(played.measured).toEqual(EXACT);
});
