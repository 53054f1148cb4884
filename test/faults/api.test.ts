import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, OPERATION_NAMES } from '../../src/semconv.js';
import { isFull } from '../support/runs.js';
import { EXACT, expectUnnoticed, playInstrumented, playPlain, SPANS } from './harness.js';
import type { Misbehaviour } from './inject.js';
import { SPANS_OF_A_PLAY } from './scenario.js';

const seam = await vi.hoisted(async () => {
  const { Seam } = await import('./inject.js');
  return new Seam();
});
// The SDK has its own copy of these modules: what is seen here are the calls of this package.
vi.mock('@opentelemetry/api', async (importOriginal) => {
  const api = await importOriginal<typeof import('@opentelemetry/api')>();
  const { trace, metrics, context, propagation, diag } = api;
  return {
    ...api,
    trace: seam.show('trace', trace),
    metrics: seam.show('metrics', metrics),
    context: seam.show('context', context),
    propagation: seam.show('propagation', propagation),
    diag: seam.show('diag', diag),
  };
});
vi.mock('@opentelemetry/instrumentation', async (importOriginal) => {
  const module = await importOriginal<typeof import('@opentelemetry/instrumentation')>();
  return {
    ...module,
    registerInstrumentations({
      instrumentations = [],
    }: {
      instrumentations: { setLoggerProvider(p: object): void }[];
    }) {
      const shown = instrumentations.map((one) => ({
        ...one,
        setLoggerProvider: (provider: object) => one.setLoggerProvider(seam.show('LoggerProvider', provider)),
      }));
      return seam.use('registerInstrumentations', () =>
        module.registerInstrumentations({ instrumentations: shown as never }),
      );
    },
  };
});

const START = 'starting a span failed';
const END = 'ending a span failed';
const EXCEPTION = 'recording an exception failed';
const METRIC = 'recording a metric failed';
const CHANNEL = 'observing a duplex channel failed';
const RECOVERY = 'following a recovery failed';
const PROVIDER = 'looking up a provider failed';
const PARENT = 'finding the parent span failed';
const INVENTORY = 'asking the table of leases failed';
const PASS_ON = 'passing the context on failed';
const ACTIVATE = 'activating a span failed';
const KINDS = [
  ACTIVATE,
  START,
  END,
  EXCEPTION,
  METRIC,
  CHANNEL,
  RECOVERY,
  PROVIDER,
  PARENT,
  INVENTORY,
  PASS_ON,
];

/** Every member of the API that this package uses in its work, and what is said of one that throws. */
const WORKING: Record<string, string[]> = {
  'Counter.add': [CHANNEL, METRIC],
  'Histogram.record': [CHANNEL, METRIC],
  'Logger.emit': [EXCEPTION],
  'LoggerProvider.constructor': [PROVIDER],
  'LoggerProvider.getLogger': [PROVIDER],
  'Meter.addBatchObservableCallback': [INVENTORY],
  'Meter.createCounter': [PROVIDER],
  'Meter.createHistogram': [PROVIDER],
  'Meter.createObservableGauge': [INVENTORY, METRIC, RECOVERY],
  'Meter.createObservableUpDownCounter': [PROVIDER],
  'MeterProvider.constructor': [PROVIDER],
  'MeterProvider.getMeter': [PROVIDER],
  'MeterProvider.shutdown': [RECOVERY],
  'ObservableGauge.addCallback': [METRIC, RECOVERY],
  'ObservableUpDownCounter.addCallback': [PROVIDER],
  'Span.addEvent': [EXCEPTION],
  'Span.end': [END],
  'Span.isRecording': [END, EXCEPTION, START],
  'Span.setAttributes': [END, START],
  'Span.setStatus': [END],
  // OpenTelemetry's SDK uses this one of its parent's, too.
  'Span.spanContext': [RECOVERY, EXCEPTION, START],
  'Span.updateName': [START],
  'Tracer.startSpan': [START],
  'TracerProvider.constructor': [PROVIDER],
  'TracerProvider.getDelegate': [PROVIDER],
  'TracerProvider.getTracer': [PROVIDER],
  'context.active': [START],
  'context.with': [ACTIVATE],
  'metrics.getMeterProvider': [PROVIDER],
  'propagation.inject': [PASS_ON],
  registerInstrumentations: [PROVIDER],
  'trace.getSpan': [START],
  'trace.getTracerProvider': [PROVIDER],
  'trace.isSpanContextValid': [RECOVERY],
  'trace.setSpan': [START],
};
/** And those that it uses to say that something failed. */
const TELLING = ['DiagLogger.warn', 'diag.createComponentLogger'];
/** Members that return nothing: what they return after all is never looked at. */
const GIVES_NOTHING = [
  'Counter.add',
  'Histogram.record',
  'Logger.emit',
  'Meter.addBatchObservableCallback',
  'ObservableGauge.addCallback',
  'ObservableUpDownCounter.addCallback',
  'Span.addEvent',
  'Span.end',
  'Span.setAttributes',
  'Span.setStatus',
  'Span.updateName',
  'propagation.inject',
];
/** Interfaces whose faults leave the metrics exact, and those whose faults leave the spans. */
const LEAVES_METRICS: (string | undefined)[] = [
  'Tracer',
  'TracerProvider',
  'Span',
  'Logger',
  'LoggerProvider',
];
const LEAVES_SPANS: (string | undefined)[] = [
  ...['MeterProvider', 'Meter', 'Counter', 'Histogram', 'ObservableGauge'],
  'ObservableUpDownCounter',
  ...['Logger', 'LoggerProvider'],
];
const NOTHING: Misbehaviour[] = ['returns what throws at every touch'];
const SOMETHING: Misbehaviour[] = [
  'returns undefined',
  'returns null',
  'returns a number',
  'returns what throws at every touch',
];
/** A `shutdown` that is another function would be the provider's own, which the host calls. */
function misbehavioursOf(member: string): Misbehaviour[] {
  if (GIVES_NOTHING.includes(member)) return NOTHING;
  return member === 'MeterProvider.shutdown' ? SOMETHING.slice(0, -1) : SOMETHING;
}
const failingHook = {
  requestHook: () => {
    throw new Error('fault');
  },
};

let plain: string[];
beforeAll(async () => {
  vi.stubEnv('OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', 'logs/dup');
  vi.stubEnv('OTEL_INSTRUMENTATION_PAPERCLIP_PROPAGATE_CONTEXT', 'true');
  plain = await playPlain();
});
beforeEach(() => seam.reset());
afterAll(() => {
  vi.unstubAllEnvs();
});

describe('the host', () => {
  it('is played with every operation, and sees what it sees without the package', async () => {
    const played = await playInstrumented();
    expect(expectUnnoticed(played, plain)).toEqual([]);
    const operations = played.telemetry
      .spans()
      .map(({ attributes }) => attributes[ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]);
    expect([...new Set(operations)].sort()).toEqual([...OPERATION_NAMES].sort());
    expect(operations, 'plays times SPANS_OF_A_PLAY').toHaveLength(SPANS);
    expect(played.measured).toEqual(EXACT);
  });

  it('makes the package use all that it ever uses of the API', async () => {
    await playInstrumented(failingHook);
    expect([...seam.used].sort()).toEqual([...Object.keys(WORKING), ...TELLING].sort());
  });
});

describe.each(Object.entries(WORKING))('the host does not notice where %s', (member, kinds) => {
  it('throws', async () => {
    seam.arm({ member, misbehaviour: 'throws' });
    const played = await playInstrumented();
    expect(expectUnnoticed(played, plain)).toEqual([...kinds].sort());
    const [of] = member.split('.');
    if (LEAVES_METRICS.includes(of)) expect(played.measured).toEqual(EXACT);
    if (LEAVES_SPANS.includes(of)) expect(played.telemetry.spans()).toHaveLength(SPANS);
  });

  it.runIf(isFull).each([1, 2])(
    'throws in call %i alone, of which nothing is left afterwards',
    async (only) => {
      seam.arm({ member, misbehaviour: 'throws', only });
      const played = await playInstrumented();
      const said = expectUnnoticed(played, plain);
      expect(said).toHaveLength(seam.calls < only ? 0 : 1);
      expect(KINDS).toEqual(expect.arrayContaining(said));
      if (member === 'trace.getSpan' && only === 2) expect(said).toEqual([PARENT]);
      expect(played.telemetry.spans().length).toBeGreaterThanOrEqual(SPANS - 2);
    },
  );

  it.runIf(isFull).each(misbehavioursOf(member))('%s', async (misbehaviour) => {
    seam.arm({ member, misbehaviour });
    const played = await playInstrumented();
    const said = expectUnnoticed(played, plain);
    expect(seam.calls).toBeGreaterThan(0);
    expect(said.filter((kind) => !KINDS.includes(kind))).toEqual([]);
  });
});

describe.runIf(isFull)('Span.end', () => {
  it.each(Array.from({ length: SPANS_OF_A_PLAY }, (_, index) => index + 1))(
    'that throws in call %i loses that span alone',
    async (only) => {
      seam.arm({ member: 'Span.end', misbehaviour: 'throws', only });
      const played = await playInstrumented();
      expect(expectUnnoticed(played, plain)).toEqual([END]);
      expect(played.telemetry.spans()).toHaveLength(SPANS - 1);
    },
  );
});

describe.each(TELLING)('neither does it where %s', (member) => {
  it.each<Misbehaviour>(['throws', ...SOMETHING])('%s', async (misbehaviour) => {
    seam.arm({ member, misbehaviour });
    const played = await playInstrumented(failingHook);
    expect(expectUnnoticed(played, plain)).toEqual([]);
    expect(seam.calls).toBe(1);
  });
});
