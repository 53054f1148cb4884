/** What is patched, and where configuration and signals meet. */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { InstrumentationBase, type InstrumentationModuleDefinition } from '@opentelemetry/instrumentation';
import { listen } from './attach/loader.js';
import { patcher } from './attach/patches.js';
import { Watch } from './attach/watch.js';
import { resolveSettings, validateOptions } from './config.js';
import { Instrumenter } from './operations/instrumenter.js';
import { OperationRunner } from './operations/runner.js';
import { shared } from './operations/shared.js';
import { attempt, warnOperator } from './signals/faults.js';
import type { LoggerProvider } from './signals/logs-api.js';
import { Telemetry } from './signals/telemetry.js';
import type { PaperclipInstrumentationConfig } from './types.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from './version.js';

/**
 * Instruments Paperclip's environment runtime and its drivers: one span and one point of the duration
 * histogram for each lease operation, with the shape of the lease and the class of the error.
 *
 * Works before any SDK is started, and follows the global providers until it is given others.
 */
export class PaperclipInstrumentation extends InstrumentationBase<PaperclipInstrumentationConfig> {
  // The base constructor calls the methods below before fields of this class could be initialised.
  declare private telemetry: Telemetry;
  declare private instrumenter: Instrumenter;
  declare private watch: Watch;
  declare private isActive: boolean;
  declare private isListening: boolean;

  /**
   * @param config options; each also has an environment variable, and the one given here wins
   * @throws TypeError that names each option that is wrong and what is wrong with it
   */
  constructor(config: PaperclipInstrumentationConfig = {}) {
    super(PACKAGE_NAME, PACKAGE_VERSION, config);
  }

  /**
   * Instruments a runtime service that the host built itself, and the drivers behind it.
   *
   * @param service what Paperclip's `environmentRuntimeService` returns, or an object of that shape
   * @returns the same object with its methods wrapped in place; where it is frozen or a proxy, a stand-in
   *   that behaves as it
   */
  instrumentRuntime<T extends object>(service: T): T {
    if (!isInstrumentable(service)) return service;
    this.watch.onInstrumented();
    return this.instrumenter.runtime(service);
  }

  /**
   * Instruments a driver that the host built itself.
   *
   * @param driver an object of the shape of Paperclip's `EnvironmentRuntimeDriver`; methods may be missing
   * @returns the same object with its methods wrapped in place; where it is frozen or a proxy, a stand-in
   *   that behaves as it
   */
  instrumentDriver<T extends object>(driver: T): T {
    if (!isInstrumentable(driver)) return driver;
    this.watch.onInstrumented();
    return this.instrumenter.driver(driver);
  }

  /** @throws TypeError that names each option that is wrong and what is wrong with it */
  override setConfig(config: PaperclipInstrumentationConfig = {}): void {
    super.setConfig(validateOptions(config));
    const settings = resolveSettings(config, process.env, warnOperator);
    this.telemetry ??= new Telemetry(settings, config);
    this.telemetry.configure(settings, config);
  }

  override setTracerProvider(provider: TracerProvider): void {
    super.setTracerProvider(provider);
    this.telemetry.tracers.pin(provider);
  }

  override setMeterProvider(provider: MeterProvider): void {
    super.setMeterProvider(provider);
    this.telemetry.meters.pin(provider);
  }

  override setLoggerProvider(provider: Parameters<InstrumentationBase['setLoggerProvider']>[0]): void {
    super.setLoggerProvider(provider);
    this.telemetry.loggers.pin(provider as LoggerProvider);
  }

  /** Wrappers that were handed out record again. */
  override enable(): void {
    this.isActive = true;
    shared.reporters.add(this.telemetry.reports);
    if (!this.isListening) this.listenToLoader();
    this.watch.start();
    super.enable();
  }

  /** Every wrapper that was handed out becomes transparent, and recoveries that are pending are counted as they stand. */
  override disable(): void {
    this.isActive = false;
    this.telemetry.recoveries.settle();
    shared.reporters.delete(this.telemetry.reports);
    this.watch.stop();
    super.disable();
  }

  /**
   * No module is left to the base class: it finds them by the folder below `node_modules`, and Paperclip's
   * may be under none.
   */
  protected override init(): InstrumentationModuleDefinition[] {
    const runner = new OperationRunner(
      () => this.telemetry,
      () => this.isActive,
    );
    this.instrumenter = new Instrumenter(runner);
    this.watch = new Watch(() => this.telemetry.settings.packages);
    return [];
  }

  /** What was patched stays: it is transparent while the instrumentation is disabled. */
  private listenToLoader(): void {
    this.isListening = true;
    attempt('listening to the module loader failed', () =>
      listen(patcher(() => this.telemetry.settings.packages, this.instrumenter, this.watch)),
    );
  }
}

function isInstrumentable(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
