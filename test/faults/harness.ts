/** The package as freshly loaded, with a real SDK behind the global API, and what is said of its faults. */
import { logs } from '@opentelemetry/api-logs';
import { expect, vi } from 'vitest';
import type { PaperclipInstrumentationConfig } from '../../src/index.js';
import { METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION } from '../../src/semconv.js';
import { PACKAGE_NAME } from '../../src/version.js';
import { type HistogramPoint, TestTelemetry } from '../support/telemetry.js';
import { DURATIONS_OF_A_PLAY, type Instrumentation, play, SPANS_OF_A_PLAY } from './scenario.js';

/** The API itself: what a test does with it is no call of this package. */
const { DiagLogLevel, diag, metrics, ROOT_CONTEXT, trace } =
  await vi.importActual<typeof import('@opentelemetry/api')>('@opentelemetry/api');

const PLAYS = 4;
/** How many spans {@link playInstrumented} leaves where nothing fails. */
export const SPANS = PLAYS * SPANS_OF_A_PLAY;
const DURATIONS = PLAYS * DURATIONS_OF_A_PLAY;

/** Loads the package anew: it reports each kind of fault once for a process. */
export async function load(config?: PaperclipInstrumentationConfig) {
  vi.resetModules();
  const { PaperclipInstrumentation, openDuplexChannelWithRecovery } = await import('../../src/index.js');
  const { observeDuplexFactory } = await import('../../src/duplex/observability.js');
  const { addStepSource } = await import('../../src/telemetry/parents.js');
  const instrumentation = new PaperclipInstrumentation(config);
  return {
    instrumentation,
    addStepSource,
    driver: <T extends object>(driver: T) => instrumentation.instrumentDriver(driver),
    runtime: <T extends object>(service: T) => instrumentation.instrumentRuntime(service),
    duplexFactory: observeDuplexFactory,
    open: openDuplexChannelWithRecovery,
  } satisfies Instrumentation & { instrumentation: unknown; addStepSource: unknown };
}

/** The same scenario with nothing instrumented: what a host must see. */
export async function playPlain(): Promise<string[]> {
  const { open } = await load({ enabled: false });
  return await play({
    driver: (driver) => driver,
    runtime: (service) => service,
    duplexFactory: (factory) => factory,
    open,
  });
}

/** What came of a hundred operations and more. */
export interface Played {
  readonly telemetry: TestTelemetry;
  /** What the host saw in each play. */
  readonly seen: string[][];
  /** What this package told `diag`. */
  readonly lines: string[];
  /** What the SDK told it. */
  readonly sdkLines: string[];
  readonly unhandled: unknown[];
  /** What was measured before the meter provider was shut down. */
  readonly measured: Measured;
}

interface Measured {
  /** Operations under way. */
  readonly active: number;
  /** Points of the histogram of operations, and of that of channels. */
  readonly durations: number;
  readonly channels: number;
  /** What callbacks of ours threw when metrics were collected. */
  readonly errors: readonly unknown[];
}

/** Everything that a process does with the package, on SDK providers that were registered with the API. */
export async function playInstrumented(
  config?: PaperclipInstrumentationConfig,
  onLoaded = () => {},
): Promise<Played> {
  const telemetry = new TestTelemetry();
  for (const api of [trace, metrics, logs]) api.disable();
  trace.setGlobalTracerProvider(telemetry.tracerProvider);
  metrics.setGlobalMeterProvider(telemetry.meterProvider);
  logs.setGlobalLoggerProvider(telemetry.loggerProvider);
  const said = listen();
  const { done, unhandled } = await watchRejections(() => playAll(telemetry, config, onLoaded));
  return { telemetry, ...done, ...said, unhandled };
}

/** Does the work, and collects the rejections that nobody handled meanwhile. */
export async function watchRejections<T>(work: () => Promise<T>): Promise<{ done: T; unhandled: unknown[] }> {
  const unhandled: unknown[] = [];
  const collect = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', collect);
  try {
    const done = await work();
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return { done, unhandled };
  } finally {
    process.off('unhandledRejection', collect);
  }
}

async function playAll(
  telemetry: TestTelemetry,
  config: PaperclipInstrumentationConfig | undefined,
  onLoaded: () => void,
): Promise<Pick<Played, 'seen' | 'measured'>> {
  const loaded = await load(config);
  const { instrumentation } = loaded;
  const step = telemetry.tracerProvider.getTracer('paperclip').startSpan('step');
  const parentContext = trace.setSpan(ROOT_CONTEXT, step);
  loaded.addStepSource(() => ({ parentContext }));
  const seen: string[][] = [];
  const errors: unknown[] = [];
  onLoaded();
  try {
    while (seen.length < PLAYS) {
      if (seen.length === PLAYS - 1) {
        instrumentation.disable();
        instrumentation.enable();
      }
      seen.push(await play(loaded));
      errors.push(...(await telemetry.reader.collect()).errors);
    }
    const measured = {
      active: await telemetry.active(),
      durations: countOf(await telemetry.durations()),
      channels: countOf(await telemetry.histogram(METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION.name)),
      errors,
    };
    await telemetry.meterProvider.shutdown();
    return { seen, measured };
  } finally {
    instrumentation.disable();
  }
}

function countOf(points: readonly HistogramPoint[]): number {
  return points.reduce((sum, { count }) => sum + count, 0);
}

/** What is measured where nothing fails. */
export const EXACT: Measured = { active: 0, durations: DURATIONS, channels: 4, errors: [] };

/** Collects what is told to `diag` from now on. */
export function listen(): Pick<Played, 'lines' | 'sdkLines'> {
  const lines: string[] = [];
  const sdkLines: string[] = [];
  const collect = (...parts: unknown[]) => {
    const line = parts.join(' ');
    if (line.startsWith(PACKAGE_NAME)) lines.push(line.slice(PACKAGE_NAME.length).trim());
    else sdkLines.push(line);
  };
  diag.setLogger(
    { error: collect, warn: collect, info: collect, debug() {}, verbose() {} },
    { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true },
  );
  return { lines, sdkLines };
}

/** That the host saw what it sees without the package, and diag each kind of fault once. @returns the kinds */
export function expectUnnoticed(
  { seen, lines, unhandled }: Pick<Played, 'seen' | 'lines' | 'unhandled'>,
  plain: string[],
): string[] {
  for (const journal of seen) expect(journal).toEqual(plain);
  expect(unhandled).toEqual([]);
  const kinds = lines.map(
    (line) =>
      / ?(.*) \(.*\); the operation itself is not affected\. Reported once\.$/.exec(line)?.[1] ?? line,
  );
  expect(new Set(kinds).size).toBe(kinds.length);
  return kinds.sort();
}
