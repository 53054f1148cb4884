import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EXACT, expectUnnoticed, type Played, playInstrumented, playPlain, SPANS } from './harness.js';

let plain: string[];
beforeAll(async () => {
  plain = await playPlain();
});

let passed = 0;
/** What a clock says instead of the time. */
const NONSENSE: [what: string, tell: (time: number) => unknown][] = [
  ['is not a number', () => Number.NaN],
  ['is nothing', () => undefined],
  ['is a text', () => 'noon'],
  ['never comes', () => Number.POSITIVE_INFINITY],
  ['was before the beginning', () => -1e15],
  ['runs backwards', (time) => time - 1e7 * passed++],
  ['jumps by years', (time) => time + 1e12 * passed++],
];
const CLOCKS = [
  ['performance.now', performance],
  ['Date.now', Date],
] as const;

/** The SDK has its own time from the same clock. */
const OURS = /^(?!.*node_modules).*\/src\//;

let restore = () => {};
afterEach(() => restore());

/** Plays with a clock that lies to this package alone. */
async function playWith(
  clock: { now(): number },
  tell: (time: number) => unknown,
  ours = OURS,
): Promise<Played> {
  const { now } = clock;
  restore = () => Object.assign(clock, { now });
  return await playInstrumented(undefined, () => {
    clock.now = () => {
      const [, , caller = ''] = new Error().stack?.split('\n') ?? [];
      const time = Reflect.apply(now, clock, []);
      return (ours.test(caller) ? tell(time) : time) as number;
    };
  });
}

const broken = () => {
  throw new Error('fault');
};

describe.each(CLOCKS)('%s', (name, clock) => {
  it('may throw', async () => {
    const played = await playWith(clock, broken);
    const kinds = {
      'performance.now': ['recording a metric failed', 'starting a span failed'],
      'Date.now': ['starting a span failed'],
    };
    expect(expectUnnoticed(played, plain)).toEqual(kinds[name]);
  });

  it('may throw from one call to the next', async () => {
    let calls = 0;
    const played = await playWith(clock, (time) => (++calls % 3 === 0 ? broken() : time));
    expectUnnoticed(played, plain);
    expect(played.lines.length).toBeGreaterThan(0);
    expect(played.measured.active).toBe(0);
  });

  it.each(NONSENSE)('may tell a time that %s', async (_what, tell) => {
    const played = await playWith(clock, tell);
    expect(expectUnnoticed(played, plain)).toEqual([]);
    // The SDK takes note of each span that it is told to have ended before it began. Of points it need not be.
    expect(played.sdkLines.filter((line) => !line.startsWith('Inconsistent start and end time'))).toEqual([]);
    expect(played.telemetry.spans()).toHaveLength(SPANS);
    expect(played.measured).toEqual(EXACT);
  });
});

describe('performance.now, where recoveries are followed', () => {
  it('may throw, and leaves operations as they are', async () => {
    const played = await playWith(performance, broken, /\/recoveries\.ts/);
    expect(expectUnnoticed(played, plain)).toEqual(['recording a metric failed']);
    expect(played.telemetry.spans()).toHaveLength(SPANS);
    expect(played.measured).toEqual(EXACT);
  });
});
