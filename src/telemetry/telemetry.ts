/** The providers, instruments and settings of one instance. */
import type { Meter, MeterProvider } from '@opentelemetry/api';
import type { Settings } from '../config.js';
import { ErrorTypes } from '../errors/error-type.js';
import type { PaperclipInstrumentationConfig } from '../types.js';
import { createInstruments, type Instruments } from './instruments.js';
import { LoggerFollower, MeterFollower, TracerFollower } from './providers.js';

export type Hooks = Pick<PaperclipInstrumentationConfig, 'requestHook' | 'responseHook'>;

export class Telemetry {
  readonly tracers = new TracerFollower();
  readonly meters: MeterFollower;
  readonly loggers = new LoggerFollower();
  readonly #errorTypes = new ErrorTypes();
  readonly #instruments = new WeakMap<Meter, Instruments>();

  /** @param onMeter called once for each meter that is used */
  constructor(
    public settings: Settings,
    public hooks: Hooks,
    onMeter: (meter: Meter, provider: MeterProvider) => void,
  ) {
    this.meters = new MeterFollower((meter, provider) => {
      if (this.#instruments.has(meter)) return;
      this.#instruments.set(meter, createInstruments(meter));
      onMeter(meter, provider);
    });
  }

  /** Whether there is a provider that spans, metrics or log records can go to. */
  isHeard(): boolean {
    if (this.tracers.current() !== undefined || this.meters.current() !== undefined) return true;
    return this.settings.exceptionSignals.log && this.loggers.current() !== undefined;
  }

  /** The name under which a failure is counted. The number of names is bounded. */
  errorType(name: string): string {
    return this.#errorTypes.bounded(name, this.settings.errorTags);
  }

  instruments(): Instruments | undefined {
    const meter = this.meters.current();
    return meter && this.#instruments.get(meter);
  }
}
