import { propagation } from '@opentelemetry/api';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { AlwaysOffSampler, AlwaysOnSampler, type Sampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { PaperclipInstrumentation, type PaperclipInstrumentationConfig } from '../../src/index.js';
// Sets the context manager, too.
import '../support/telemetry.js';
import type { Mode } from './spec.js';

/** Instances that are used for many hosts, as memory would not do for one of each. */
export interface RunningMode {
  readonly instrumentations: readonly PaperclipInstrumentation[];
  start(): void;
  /** Off, or on again. */
  toggle(): void;
  end(): void;
}

/** How many spans were recorded: a test that records none tests nothing. */
export const recorded = { spans: 0 };

propagation.setGlobalPropagator(
  new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
);

function recording(sampler: Sampler, config?: PaperclipInstrumentationConfig): PaperclipInstrumentation {
  const onEnd = () => {
    recorded.spans += 1;
  };
  const instrumentation = new PaperclipInstrumentation(config);
  const processor = { onStart() {}, onEnd, forceFlush: async () => {}, shutdown: async () => {} };
  instrumentation.setTracerProvider(new TracerProvider({ sampler, spanProcessors: [processor] }));
  instrumentation.setMeterProvider(new MeterProvider());
  return instrumentation;
}

function mode(instrumentations: readonly PaperclipInstrumentation[], startsEnabled = true): RunningMode {
  let isEnabled = true;
  const set = (enabled: boolean) => {
    if (isEnabled === enabled) return;
    isEnabled = enabled;
    for (const one of instrumentations) enabled ? one.enable() : one.disable();
  };
  set(false);
  return {
    instrumentations,
    start: () => set(startsEnabled),
    toggle: () => set(!isEnabled),
    end: () => set(false),
  };
}
export const modes: Record<Mode, RunningMode> = {
  recording: mode([recording(new AlwaysOnSampler())]),
  'sampled out': mode([recording(new AlwaysOffSampler())]),
  'no SDK': mode([new PaperclipInstrumentation()]),
  disabled: mode([recording(new AlwaysOnSampler())], false),
  'two instances': mode([recording(new AlwaysOnSampler()), recording(new AlwaysOffSampler())]),
  'passing the context on': mode([
    recording(new AlwaysOnSampler(), { propagateContext: true, providerSpans: false }),
  ]),
};
