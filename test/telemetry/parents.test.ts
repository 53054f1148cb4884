import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { addStepSource } from '../../src/telemetry/parents.js';
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
