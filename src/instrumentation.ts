/** What is patched, and where configuration and signals meet. */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import {
  InstrumentationBase,
  InstrumentationNodeModuleDefinition,
  InstrumentationNodeModuleFile,
} from '@opentelemetry/instrumentation';
import { resolveSettings, validateOptions } from './config.js';
import type { HostFunction } from './operations/disguise.js';
import { Instrumenter } from './operations/instrumenter.js';
import { OperationRunner } from './operations/runner.js';
import { warnOperator } from './signals/faults.js';
import type { LoggerProvider } from './signals/logs-api.js';
import { Telemetry } from './signals/telemetry.js';
import type { PaperclipInstrumentationConfig } from './types.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from './version.js';

/**
 * The first version with `environment-runtime.js`. There is no upper bound: Paperclip's versions are dates,
 * and a method that a later one no longer has stays missing.
 */
const SUPPORTED_VERSIONS = ['>=2026.427.0'];
const RUNTIME_FILE = 'dist/services/environment-runtime.js';
const FACTORY = 'environmentRuntimeService';

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
  declare private isActive: boolean;

  /**
   * @param config options; each also has an environment variable, and the one given here wins
   * @throws TypeError that names each option that is wrong and what is wrong with it
   */
  constructor(config: PaperclipInstrumentationConfig = {}) {
    super(PACKAGE_NAME, PACKAGE_VERSION, config);
  }

  /** Names of the packages that are treated as Paperclip's server. */
  get packages(): readonly string[] {
    return this.telemetry.settings.packages;
  }

  /**
   * Instruments a runtime service that the host built itself, and the drivers behind it.
   *
   * @param service what Paperclip's `environmentRuntimeService` returns, or an object of that shape
   * @returns the same object with its methods wrapped in place; where it is frozen or a proxy, a stand-in
   *   that behaves as it
   */
  instrumentRuntime<T extends object>(service: T): T {
    return isInstrumentable(service) ? this.instrumenter.runtime(service) : service;
  }

  /**
   * Instruments a driver that the host built itself.
   *
   * @param driver an object of the shape of Paperclip's `EnvironmentRuntimeDriver`; methods may be missing
   * @returns the same object with its methods wrapped in place; where it is frozen or a proxy, a stand-in
   *   that behaves as it
   */
  instrumentDriver<T extends object>(driver: T): T {
    return isInstrumentable(driver) ? this.instrumenter.driver(driver) : driver;
  }

  /** @throws TypeError that names each option that is wrong and what is wrong with it */
  override setConfig(config: PaperclipInstrumentationConfig = {}): void {
    super.setConfig(validateOptions(config));
    const settings = resolveSettings(config, process.env, warnOperator);
    this.telemetry ??= new Telemetry(settings, config);
    this.telemetry.settings = settings;
    this.telemetry.hooks = config;
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
    super.enable();
  }

  /** Every wrapper that was handed out becomes transparent. */
  override disable(): void {
    this.isActive = false;
    super.disable();
  }

  protected override init(): InstrumentationNodeModuleDefinition[] {
    const runner = new OperationRunner(
      () => this.telemetry,
      () => this.isActive,
    );
    this.instrumenter = new Instrumenter(runner);
    return this.packages.map((name) => {
      const file = new InstrumentationNodeModuleFile(
        `${name}/${RUNTIME_FILE}`,
        SUPPORTED_VERSIONS,
        (moduleExports: RuntimeModule) => patchFactory(moduleExports, this.instrumenter),
        // A wrapped factory stays: its services are transparent while the instrumentation is disabled.
        () => {},
      );
      const definition = new InstrumentationNodeModuleDefinition(
        name,
        SUPPORTED_VERSIONS,
        undefined,
        undefined,
        [file],
      );
      return Object.assign(definition, { includePrerelease: true });
    });
  }
}

interface RuntimeModule {
  [FACTORY]?: HostFunction;
}

function patchFactory(moduleExports: RuntimeModule, instrumenter: Instrumenter): RuntimeModule {
  const factory = moduleExports[FACTORY];
  if (typeof factory === 'function') moduleExports[FACTORY] = instrumenter.factory(factory);
  return moduleExports;
}

function isInstrumentable(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
