/** The instrumentation without options: what a preload needs where none is set. Loads no zod. */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { InstrumentationBase, type InstrumentationModuleDefinition } from '@opentelemetry/instrumentation';
import { listen } from './attach/interceptor.js';
import { patcher } from './attach/patches.js';
import { Watch } from './attach/watch.js';
import { attempt } from './base/faults.js';
import { isObject } from './base/values.js';
import { defaultSettings, type Settings } from './config.js';
import { Instrumenter } from './instrument/instrumenter.js';
import { OperationRunner } from './instrument/runner.js';
import { shared } from './shared.js';
import type { LoggerProvider } from './telemetry/logs-api.js';
import { Recorder } from './telemetry/recorder.js';
import type { PaperclipInstrumentationConfig } from './types.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from './version.js';

export class CoreInstrumentation extends InstrumentationBase<PaperclipInstrumentationConfig> {
  // The base constructor calls `setConfig` and `enable` before it could initialise fields of this class.
  declare private recorder: Recorder;
  declare private instrumenter: Instrumenter;
  declare private watch: Watch;
  declare private isActive: boolean;
  declare private isListening: boolean;

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
    if (!isObject(service)) return service;
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
    if (!isObject(driver)) return driver;
    this.watch.onInstrumented();
    return this.instrumenter.driver(driver);
  }

  override setConfig(config: PaperclipInstrumentationConfig = {}): void {
    const settings = this.settingsOf(config);
    super.setConfig(config);
    if (this.recorder !== undefined) {
      this.recorder.configure(settings, config);
      return;
    }
    this.recorder = new Recorder(settings, config);
    this.instrumenter = new Instrumenter(
      new OperationRunner(this.recorder, () => this.isActive),
      (database) => this.recorder.useDatabase(database),
    );
    this.watch = new Watch(() => this.settings.packages);
  }

  override setTracerProvider(provider: TracerProvider): void {
    super.setTracerProvider(provider);
    this.recorder.telemetry.tracers.pin(provider);
  }

  override setMeterProvider(provider: MeterProvider): void {
    super.setMeterProvider(provider);
    this.recorder.telemetry.meters.pin(provider);
  }

  override setLoggerProvider(provider: Parameters<InstrumentationBase['setLoggerProvider']>[0]): void {
    super.setLoggerProvider(provider);
    this.recorder.telemetry.loggers.pin(provider as LoggerProvider);
  }

  /** Wrappers that were handed out record again. */
  override enable(): void {
    this.isActive = true;
    shared.reporters.add(this.recorder.reports);
    if (!this.isListening) this.listenToLoader();
    this.watch.start();
    super.enable();
  }

  /** Wrappers that were handed out become transparent. Pending recoveries are counted with their current state. */
  override disable(): void {
    this.isActive = false;
    this.recorder.settle();
    shared.reporters.delete(this.recorder.reports);
    this.watch.stop();
    super.disable();
  }

  /** No module is left to the base class: it looks below `node_modules` only, and Paperclip may be elsewhere. */
  protected override init(): InstrumentationModuleDefinition[] {
    return [];
  }

  /** The settings that these options make. */
  protected settingsOf(_config: PaperclipInstrumentationConfig): Settings {
    return defaultSettings(process.env);
  }

  private get settings(): Settings {
    return this.recorder.telemetry.settings;
  }

  /** Patched modules stay patched: they are transparent while the instrumentation is disabled. */
  private listenToLoader(): void {
    this.isListening = true;
    attempt('listening to the module loader failed', () =>
      listen(patcher(() => this.settings, this.instrumenter, this.watch)),
    );
  }
}
