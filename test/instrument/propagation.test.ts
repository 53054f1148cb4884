/** With `propagateContext`: what a process that an operation starts is told of the operation. */
import { context, propagation, ROOT_CONTEXT, type TextMapPropagator, trace } from '@opentelemetry/api';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostFunction } from '../../src/base/values.js';
import type { OperationRequest, OperationResponse } from '../../src/index.js';
import { passContextOn } from '../../src/instrument/processes.js';
import { makeDriver, makeService, on } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

const ON = { propagateContext: true };
let telemetry: TestTelemetry;
const w3c = new CompositePropagator({
  propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
});
const use = (propagator: TextMapPropagator) => {
  propagation.disable();
  propagation.setGlobalPropagator(propagator);
};
beforeEach(() => {
  telemetry = new TestTelemetry();
  use(w3c);
});
afterEach(() => propagation.disable());

/** A driver that keeps the input of its last call. */
function keeping() {
  const kept: { input?: Record<string, unknown> } = {};
  const keep = async (input: object) => {
    kept.input = input as Record<string, unknown>;
  };
  return { kept, driver: { ...makeDriver(), execute: keep, openDuplexChannel: keep, acquireRunLease: keep } };
}

type Method = 'execute' | 'openDuplexChannel' | 'acquireRunLease';
/** What the driver's method gets for an input. */
async function givenFor(input: object, config: object = ON, method: Method = 'execute') {
  const { kept, driver } = keeping();
  await telemetry.instrument(config).instrumentDriver(driver)[method](input);
  return kept.input;
}
const traceparent = () => {
  const { traceId, spanId } = telemetry.span().spanContext();
  return `00-${traceId}-${spanId}-01`;
};
const withBaggage = (value: string) =>
  propagation.setBaggage(ROOT_CONTEXT, propagation.createBaggage({ team: { value } }));

describe('the environment of an execute', () => {
  it('names the span of the operation', async () => {
    const input = { ...on(), command: 'codex', env: { HOME: '/home' } };
    expect(await givenFor(input)).toEqual({ ...input, env: { HOME: '/home', TRACEPARENT: traceparent() } });
  });

  it.each([undefined, null])('is made where there is none: %s', async (env) => {
    expect(await givenFor({ ...on(), env })).toEqual({ ...on(), env: { TRACEPARENT: traceparent() } });
  });

  it('has trace state and baggage where there are any', async () => {
    const remote = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1, isRemote: true };
    const traceState = new W3CTraceContextPropagator().extract(
      ROOT_CONTEXT,
      { traceparent: `00-${remote.traceId}-${remote.spanId}-01`, tracestate: 'vendor=1' },
      { get: (carrier, key) => (carrier as Record<string, string>)[key], keys: Object.keys },
    );
    const parent = trace.setSpanContext(withBaggage('a b'), trace.getSpanContext(traceState) ?? remote);
    const given = await context.with(parent, () => givenFor(on()));
    expect(given?.env).toEqual({ TRACEPARENT: traceparent(), TRACESTATE: 'vendor=1', BAGGAGE: 'team=a%20b' });
  });

  it('has no baggage where the propagator passes none on', async () => {
    use(new W3CTraceContextPropagator());
    const given = await context.with(withBaggage('secret'), () => givenFor(on()));
    expect(given?.env).toEqual({ TRACEPARENT: traceparent() });
  });

  it('says that the trace is not sampled', async () => {
    const instrumentation = telemetry.instrument(ON);
    instrumentation.setTracerProvider(new TracerProvider({ sampler: new AlwaysOffSampler() }));
    const { kept, driver } = keeping();
    await instrumentation.instrumentDriver(driver).execute(on());
    expect(kept.input?.env).toEqual({
      TRACEPARENT: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
    });
  });

  it('is that of the operation, through service and driver', async () => {
    const { kept, driver } = keeping();
    await telemetry
      .instrument(ON)
      .instrumentRuntime(makeService({}, { drivers: [driver] }))
      .execute(on());
    expect(kept.input?.env).toEqual({ TRACEPARENT: traceparent() });
  });

  it.each([{ TRACEPARENT: 'host' }, { TRACESTATE: 'host' }, { TRACEPARENT: '' }])(
    "keeps the host's own trace: %o",
    async (env) => {
      const given = await context.with(withBaggage('a'), () => givenFor({ env }));
      expect(given?.env).toEqual({ ...env, BAGGAGE: 'team=a' });
    },
  );

  it("keeps the host's own baggage", async () => {
    const given = await context.with(withBaggage('a'), () => givenFor({ env: { BAGGAGE: 'host' } }));
    expect(given?.env).toEqual({ BAGGAGE: 'host', TRACEPARENT: traceparent() });
  });
});

describe('the command of a duplex channel', () => {
  const open = (command: unknown, config?: object) =>
    givenFor({ ...on(), command }, config, 'openDuplexChannel');

  it('is started with the variables', async () => {
    expect(await context.with(withBaggage('a'), () => open(['sh', '-c', 'exec "$0"']))).toEqual({
      ...on(),
      command: ['env', `TRACEPARENT=${traceparent()}`, 'BAGGAGE=team=a', 'sh', '-c', 'exec "$0"'],
    });
  });

  it.each([[['a=b', 'c']], [[]], [[7]], ['sh -c true'], [undefined]])(
    '%o stays as it is',
    async (command) => {
      expect((await open(command))?.command).toBe(command);
    },
  );
});

describe("the host's own arguments", () => {
  it('are copied, not changed', async () => {
    const env = Object.freeze({ HOME: '/home' });
    const command = Object.freeze(['sh']);
    const input = Object.freeze({ ...on(), env, command });
    expect(await givenFor(input)).not.toBe(input);
    expect(await givenFor(input, ON, 'openDuplexChannel')).not.toBe(input);
    expect(input).toEqual({ ...on(), env: { HOME: '/home' }, command: ['sh'] });
  });

  it('are what hooks see', async () => {
    const seen: unknown[] = [];
    const hook = (_span: unknown, { args }: OperationRequest | OperationResponse) => void seen.push(args[0]);
    const input = { ...on(), env: {} };
    await givenFor(input, { ...ON, requestHook: hook, responseHook: hook });
    expect(seen).toEqual([input, input]);
    expect(seen[0]).toBe(input);
    expect(seen[1]).toBe(input);
  });

  class Input {
    env = {};
  }
  const getter = {
    get env(): object {
      throw new Error('not to be called');
    },
  };
  it.each<[string, object]>([
    ['an instance of a class', new Input()],
    ['a proxy', new Proxy({}, {})],
    ['an input with a getter', getter],
    ['an environment of a class', { env: new Input() }],
    ['an environment that is a proxy', { env: new Proxy({}, {}) }],
    ['an environment that is none', { env: 'HOME=/' }],
  ])('reach the driver themselves where they cannot be copied: %s', async (_what, input) => {
    expect(await givenFor(input)).toBe(input);
  });

  it.each<[string, object, Method]>([
    ['by default', {}, 'execute'],
    ['with the option off', { propagateContext: false }, 'openDuplexChannel'],
    ['in other operations', ON, 'acquireRunLease'],
  ])('reach the driver themselves %s', async (_when, config, method) => {
    const input = { ...on(), env: {}, command: ['sh'] };
    expect(await givenFor(input, config, method)).toBe(input);
  });

  const saying = (fields: Record<string, string>): TextMapPropagator => ({
    inject: (_context, carrier, setter) => {
      for (const [field, value] of Object.entries(fields)) setter.set(carrier, field, value);
    },
    extract: (given) => given,
    fields: () => Object.keys(fields),
  });
  it.each<[string, Record<string, string>]>([
    ['of another name', { 'x-b3-traceid': '1', PATH: '/nowhere' }],
    ['that no process can be started with', { traceparent: '00\0', baggage: 'a=1;\n' }],
    ['that is very long', { baggage: 'a'.repeat(1025) }],
    ['that is empty', { tracestate: '' }],
  ])('get no variable %s', async (_what, fields) => {
    use(saying(fields));
    const input = on();
    expect(await givenFor(input)).toBe(input);
  });

  it('stay as they are where the propagator throws', async () => {
    use({
      ...saying({}),
      inject: () => {
        throw new Error('fault');
      },
    });
    const input = on();
    expect(await givenFor(input)).toBe(input);
  });
});

describe('a process on the machine of the server', () => {
  const started: unknown[][] = [];
  const runChildProcess: HostFunction = (...args) => void started.push(args);
  const active = trace.setSpanContext(ROOT_CONTEXT, {
    traceId: '1'.repeat(32),
    spanId: '2'.repeat(16),
    traceFlags: 1,
  });
  const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  beforeEach(() => void started.splice(0));

  it('is told of the active span', () => {
    const options = { cwd: '/', env: { HOME: '/home' } };
    context.with(active, () => passContextOn(runChildProcess, () => true)('run', 'codex', ['exec'], options));
    const expected = { cwd: '/', env: { HOME: '/home', TRACEPARENT } };
    expect(started).toEqual([['run', 'codex', ['exec'], expected]]);
    expect(options).toEqual({ cwd: '/', env: { HOME: '/home' } });
  });

  it.each<[string, () => boolean, object | undefined]>([
    ['where it is off', () => false, active],
    ['where no span is active', () => true, undefined],
  ])('gets what the host gave %s', (_when, isOn, there = ROOT_CONTEXT) => {
    const options = { env: {} };
    context.with(there as typeof active, () =>
      passContextOn(runChildProcess, isOn)('run', 'codex', [], options),
    );
    expect(started[0]?.[3]).toBe(options);
  });

  it.each([[[]], [['run', 'codex', []]], [['run', 'codex', [], null]]])('with the arguments %o', (args) => {
    context.with(active, () => passContextOn(runChildProcess, () => true)(...args));
    expect(started).toEqual([args]);
  });

  it('is wrapped once', () => {
    const wrapped = passContextOn(runChildProcess, () => true);
    expect(passContextOn(wrapped, () => true)).toBe(wrapped);
  });
});
