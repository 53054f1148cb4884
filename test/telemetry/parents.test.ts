import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Context, context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HostFunction } from '../../src/base/values.js';
import type { PaperclipInstrumentationConfig } from '../../src/index.js';
import { addStepSource, parentOfProviderSpans } from '../../src/telemetry/parents.js';
import { makeDriver, on } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

/** Like Paperclip's `activeStepContextStorage`, whose value is not in OpenTelemetry's context. */
const steps = new AsyncLocalStorage<unknown>();
addStepSource(() => steps.getStore() ?? null);

let telemetry: TestTelemetry;
beforeEach(() => {
  telemetry = new TestTelemetry();
});

describe("the parent of an operation's span", () => {
  const started = (name: string): [string, Context] => {
    const span = telemetry.tracerProvider.getTracer('paperclip').startSpan(name);
    return [span.spanContext().spanId, trace.setSpan(ROOT_CONTEXT, span)];
  };
  const execute = () => telemetry.instrument().instrumentDriver(makeDriver()).execute(on());
  const parentId = () => telemetry.span().parentSpanContext?.spanId;

  it("is Paperclip's step where no span is active", async () => {
    const [id, parentContext] = started('bridge.paperclip');
    await steps.run({ parentContext }, execute);
    expect(parentId()).toBe(id);
  });

  it('is the active span where there is one', async () => {
    const [, parentContext] = started('bridge.paperclip');
    const [id, active] = started('GET /');
    await steps.run({ parentContext }, () => context.with(active, execute));
    expect(parentId()).toBe(id);
  });

  it.each([
    undefined,
    null,
    {},
    { parentContext: null },
    { parentContext: {} },
    { parentContext: ROOT_CONTEXT },
  ])('is nothing where the step is %o', async (step) => {
    await steps.run(step, execute);
    expect(parentId()).toBeUndefined();
  });
});

describe("the step that Paperclip's worker manager reads", () => {
  const runWithRuntimeParent: HostFunction = (parentContext, work) =>
    steps.run({ span: 'none', parentContext, criticalPath: false }, work as () => unknown);
  const read = parentOfProviderSpans(() => steps.getStore() ?? null, runWithRuntimeParent);
  const step = { span: 'step', parentContext: ROOT_CONTEXT, criticalPath: true };
  const METHODS = ['acquireRunLease', 'execute', 'openDuplexChannel'] as const;

  /** The step that a method of the driver reads, `after` a while. */
  const readIn = async (
    method: (typeof METHODS)[number],
    config?: PaperclipInstrumentationConfig,
    after = (): unknown => undefined,
  ): Promise<unknown> => {
    let seen: unknown;
    const note = async () => {
      await after();
      seen = read();
    };
    const driver = { ...makeDriver(), acquireRunLease: note, execute: note, openDuplexChannel: note };
    await telemetry.instrument(config).instrumentDriver(driver)[method]();
    return seen;
  };
  const parentOf = (seen: unknown) =>
    trace.getSpanContext((seen as { parentContext: Context }).parentContext)?.spanId;

  it.each(METHODS)(
    "has the operation's span as its parent, and is the host's step else: %s",
    async (method) => {
      const seen = await steps.run(step, () => readIn(method, {}, nextTurn));
      expect(parentOf(seen)).toBe(telemetry.span().spanContext().spanId);
      expect(seen).toMatchObject({ span: 'step', criticalPath: true });
      expect(step.parentContext).toBe(ROOT_CONTEXT);
    },
  );

  it('is made by Paperclip where there is none', async () => {
    const seen = await readIn('acquireRunLease', {}, nextTurn);
    expect(parentOf(seen)).toBe(telemetry.span().spanContext().spanId);
    expect(seen).toMatchObject({ span: 'none', criticalPath: false });
  });

  it.each(['execute', 'openDuplexChannel'] as const)(
    'is none where there is none, for a driver that decides by it: %s',
    async (method) => {
      expect(await readIn(method)).toBeNull();
    },
  );

  it('is that of the innermost operation', async () => {
    const inner = { ...makeDriver(), driver: 'inner', execute: async () => read() };
    const instrumentation = telemetry.instrument();
    const { execute } = instrumentation.instrumentDriver(inner);
    const outer = instrumentation.instrumentDriver({ acquireRunLease: () => execute() });
    expect(await outer.acquireRunLease()).toBeNull();
    expect(parentOf(await steps.run(step, () => outer.acquireRunLease()))).toBe(
      telemetry.spans()[2]?.spanContext().spanId,
    );
  });

  it.each<[string, () => unknown]>([
    ['outside of operations', () => read()],
    ['with providerSpans off', () => readIn('acquireRunLease', { providerSpans: false })],
    [
      'after its operation',
      async () => {
        let later: Promise<unknown> = Promise.resolve();
        const driver = {
          acquireRunLease() {
            later = nextTurn().then(() => read());
          },
        };
        telemetry.instrument().instrumentDriver(driver).acquireRunLease();
        return await later;
      },
    ],
    [
      'where the span is not recorded',
      async () => {
        const instrumentation = telemetry.instrument();
        instrumentation.setTracerProvider(new TracerProvider({ sampler: new AlwaysOffSampler() }));
        return await instrumentation.instrumentDriver({ acquireRunLease: () => read() }).acquireRunLease();
      },
    ],
  ])("is the host's own %s", async (_when, readThere) => {
    expect(await readThere()).toBeNull();
    expect(await steps.run(step, readThere)).toBe(step);
  });

  it('is wrapped once', () => {
    expect(parentOfProviderSpans(read, undefined)).toBe(read);
  });
});
