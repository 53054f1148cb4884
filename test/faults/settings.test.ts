import { DiagLogLevel, diag } from '@opentelemetry/api';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestTelemetry } from '../support/telemetry.js';
import { expectUnnoticed, load, playInstrumented, playPlain, watchRejections } from './harness.js';
import { revoked, untouchable } from './inject.js';
import { play, SPANS_OF_A_PLAY } from './scenario.js';

let plain: string[];
beforeAll(async () => {
  plain = await playPlain();
});

const throwing = () => {
  throw new Error('fault');
};
const NONSENSE: [what: string, value: unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 7],
  ['an object', {}],
  ['what throws at every touch', untouchable()],
  ['a revoked proxy', revoked()],
  ['one whose methods throw', { getTracer: throwing, getMeter: throwing, getLogger: throwing }],
  ['one whose methods return nothing', { getTracer() {}, getMeter() {}, getLogger() {} }],
];

describe.each(['setTracerProvider', 'setMeterProvider', 'setLoggerProvider'] as const)('%s', (set) => {
  it.each(NONSENSE)('with %s changes nothing for the host', async (_what, provider) => {
    const loaded = await load();
    const telemetry = new TestTelemetry();
    telemetry.attach(loaded.instrumentation as never);
    const { done: seen, unhandled } = await watchRejections(async () => {
      const before = await play(loaded);
      attempt(() => loaded.instrumentation[set](provider as never));
      return [before, await play(loaded)];
    });
    loaded.instrumentation.disable();
    expect({ seen, unhandled }).toEqual({ seen: [plain, plain], unhandled: [] });
  });
});

/** Who sets nonsense may be told so at once. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}

describe('setConfig', () => {
  it.each([
    ['null', null],
    ['an unknown option', { nonsense: 1 }],
    ['a hook that is no function', { requestHook: 7 }],
    ['a window of nothing', { fallbackWindowMs: Number.NaN }],
  ])('with %s throws, and leaves everything as it is', async (_what, config) => {
    const loaded = await load({ captureIds: false });
    const telemetry = new TestTelemetry();
    telemetry.attach(loaded.instrumentation as never);
    expect(() => loaded.instrumentation.setConfig(config as never)).toThrow(TypeError);
    expect(await play(loaded)).toEqual(plain);
    loaded.instrumentation.disable();
    const ids = telemetry.spans().filter(({ attributes }) => 'paperclip.lease.id' in attributes);
    expect({ spans: telemetry.spans().length, ids }).toEqual({ spans: SPANS_OF_A_PLAY, ids: [] });
  });
});

describe('enable and disable', () => {
  it('may come in any order, as often as anybody likes, also during an operation', async () => {
    const loaded = await load();
    const telemetry = new TestTelemetry();
    telemetry.attach(loaded.instrumentation as never);
    for (const method of ['disable', 'disable', 'enable', 'enable', 'disable', 'enable'] as const) {
      const playing = play(loaded);
      loaded.instrumentation[method]();
      expect(await playing).toEqual(plain);
    }
    loaded.instrumentation.disable();
    expect(await telemetry.active()).toBe(0);
  });
});

describe('a diag logger', () => {
  afterEach(() => diag.disable());

  it('that throws is not noticed', async () => {
    let calls = 0;
    const warn = () => {
      calls += 1;
      return throwing();
    };
    const played = await playInstrumented({ requestHook: throwing }, () => {
      diag.setLogger(
        { error: throwing, warn, info: throwing, debug: throwing, verbose: throwing },
        { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
      );
    });
    expect(calls).toBe(1);
    expect(expectUnnoticed(played, plain)).toEqual([]);
  });
});
