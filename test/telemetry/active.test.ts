/** What is under way is counted for the process, whoever counts it and whichever meter asks. */
import { metrics } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PaperclipInstrumentation } from '../../src/index.js';
import { on } from '../support/host.js';
import { deferred, forgetRunning, TestTelemetry } from '../support/telemetry.js';

const OPERATIONS = 'paperclip.environment.operation.active';
const CHANNELS = 'paperclip.duplex.channel.active';

let telemetry: TestTelemetry;
let gate: ReturnType<typeof deferred<void>>;
beforeEach(() => {
  forgetRunning();
  telemetry = new TestTelemetry();
  gate = deferred();
});
afterEach(() => metrics.disable());

interface Instrumentation {
  instrumentDriver<T extends object>(driver: T): T;
}

/** Starts operations of a driver of its own, which end when the gate opens. */
function start(instrumentation: Instrumentation, count: number) {
  const driver = instrumentation.instrumentDriver({
    driver: 'sandbox',
    execute: (_input: object) => gate.promise,
  });
  for (let call = 0; call < count; call += 1) void driver.execute(on());
}

/** Opens channels of a driver of its own. */
function open(instrumentation: Instrumentation, count: number) {
  const driver = instrumentation.instrumentDriver({
    driver: 'sandbox',
    openDuplexChannel: (_input: object) => ({ close() {} }),
  });
  return Array.from({ length: count }, () => driver.openDuplexChannel(on()));
}

async function values(name: string, of = telemetry): Promise<number[]> {
  return (await of.counter(name)).map(({ value }) => value);
}

async function sum(name: string, of = telemetry): Promise<number> {
  return (await values(name, of)).reduce((total, value) => total + value, 0);
}

async function copyOfThePackage(): Promise<PaperclipInstrumentation> {
  vi.resetModules();
  const copy = await import('../../src/index.js');
  const instrumentation = new copy.PaperclipInstrumentation();
  telemetry.attach(instrumentation as never);
  return instrumentation as never;
}

const pairs = {
  'two instances on one meter': async () => [telemetry.instrument(), telemetry.instrument()] as const,
  'two copies of the package': async () => [telemetry.instrument(), await copyOfThePackage()] as const,
  'one instance': async () => {
    const one = telemetry.instrument();
    return [one, one] as const;
  },
};

describe.each(Object.entries(pairs))('%s', (_title, make) => {
  it('count all running operations of their drivers', async () => {
    const [one, other] = await make();
    start(one, 3);
    start(other, 5);
    expect(await values(OPERATIONS)).toEqual([8]);
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await values(OPERATIONS)).toEqual([0]);
  });

  it('count all open channels of their drivers', async () => {
    const [one, other] = await make();
    const channels = [...open(one, 3), ...open(other, 5)];
    expect(await values(CHANNELS)).toEqual([8]);
    for (const channel of channels) channel.close();
    expect(await values(CHANNELS)).toEqual([0]);
  });
});

describe('a meter that is used later', () => {
  const isGlobal = ({ meterProvider }: TestTelemetry) => {
    metrics.disable();
    metrics.setGlobalMeterProvider(meterProvider);
  };

  it('counts what began before the provider was replaced', async () => {
    const instrumentation = new PaperclipInstrumentation();
    const later = new TestTelemetry();
    isGlobal(telemetry);
    start(instrumentation, 3);
    const channels = open(instrumentation, 2);
    isGlobal(later);
    start(instrumentation, 1);
    expect(await values(OPERATIONS, later)).toEqual([4]);
    expect(await values(CHANNELS, later)).toEqual([2]);
    for (const channel of channels) channel.close();
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect([await values(OPERATIONS, later), await values(CHANNELS, later)]).toEqual([[0], [0]]);
    expect([await sum(OPERATIONS), await sum(CHANNELS)]).toEqual([0, 0]);
  });

  it('counts what began while there was none', async () => {
    const instrumentation = new PaperclipInstrumentation();
    instrumentation.setTracerProvider(telemetry.tracerProvider);
    start(instrumentation, 3);
    isGlobal(telemetry);
    start(instrumentation, 1);
    expect(await values(OPERATIONS)).toEqual([4]);
  });

  it('exports nothing of what ended before', async () => {
    const instrumentation = new PaperclipInstrumentation();
    const later = new TestTelemetry();
    isGlobal(telemetry);
    instrumentation.instrumentDriver({ driver: 'ssh', execute: () => {} }).execute();
    isGlobal(later);
    start(instrumentation, 1);
    expect(await values(OPERATIONS)).toEqual([0, 1]);
    expect(await values(OPERATIONS, later)).toEqual([1]);
  });
});

it('an instance that is disabled and enabled again has counted on', async () => {
  const instrumentation = telemetry.instrument();
  start(instrumentation, 3);
  instrumentation.disable();
  start(instrumentation, 2);
  expect(await values(OPERATIONS)).toEqual([3]);
  instrumentation.enable();
  start(instrumentation, 1);
  expect(await values(OPERATIONS)).toEqual([4]);
});
