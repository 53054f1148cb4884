/** The three signals of one instance: where they go, and the start of a recording. */
import type { Meter, MeterProvider } from '@opentelemetry/api';
import type { Settings } from '../config.js';
import { ErrorTypes } from '../errors/error-types.js';
import type { Subject } from '../lease/subject.js';
import type { OperationRow } from '../operations/table.js';
import type { PaperclipInstrumentationConfig } from '../types.js';
import { attempt } from './faults.js';
import { createInstruments, type Instruments } from './instruments.js';
import { parentContext } from './parents.js';
import { LoggerFollower, MeterFollower, TracerFollower } from './providers.js';
import { Recording } from './recording.js';
import { Recoveries } from './recoveries.js';
import { Reports } from './reports.js';
import { beforeShutdown } from './shutdown.js';

export type Hooks = Pick<PaperclipInstrumentationConfig, 'requestHook' | 'responseHook'>;

export class Telemetry {
  readonly tracers = new TracerFollower();
  readonly meters = new MeterFollower((provider, meter) => this.#meet(provider, meter));
  readonly loggers = new LoggerFollower();
  readonly reports = new Reports(this);
  readonly recoveries: Recoveries;
  readonly #errorTypes = new ErrorTypes();
  readonly #instruments = new WeakMap<Meter, Instruments>();

  constructor(
    public settings: Settings,
    public hooks: Hooks,
  ) {
    this.recoveries = new Recoveries(settings.recovery, this.reports);
  }

  configure(settings: Settings, hooks: Hooks): void {
    this.settings = settings;
    this.hooks = hooks;
    this.recoveries.setLimits(settings.recovery);
  }

  /** Whether anybody would see what is recorded. */
  isHeard(): boolean {
    return this.tracers.current() !== undefined || this.meters.current() !== undefined;
  }

  /** The name that a failure is counted under, which is one of not too many. */
  errorType(name: string): string {
    return this.#errorTypes.bounded(name, this.settings.errorTags);
  }

  instruments(): Instruments | undefined {
    const meter = this.meters.current();
    return meter && this.#instruments.get(meter);
  }

  /** Starts recording an operation, inside `parent` if that is another operation. */
  start(row: OperationRow, subject: Subject, args: readonly unknown[], parent?: Recording): Recording {
    return new Recording(this, row, subject, args, parentContext(), parent);
  }

  #meet(provider: MeterProvider, meter: Meter): void {
    if (this.#instruments.has(meter)) return;
    this.#instruments.set(meter, createInstruments(meter));
    attempt('following a recovery failed', () => {
      this.recoveries.observe(meter);
      beforeShutdown(provider, () => this.recoveries.settle());
    });
  }
}
