/** The three signals of one instance: where they go, and the start of a recording. */
import { context } from '@opentelemetry/api';
import type { Settings } from '../config.js';
import type { Subject } from '../lease/subject.js';
import type { OperationRow } from '../operations/table.js';
import type { PaperclipInstrumentationConfig } from '../types.js';
import { type Instruments, instrumentsOf } from './instruments.js';
import { LoggerFollower, MeterFollower, TracerFollower } from './providers.js';
import { Recording } from './recording.js';

export type Hooks = Pick<PaperclipInstrumentationConfig, 'requestHook' | 'responseHook'>;

export class Telemetry {
  readonly tracers = new TracerFollower();
  readonly meters = new MeterFollower();
  readonly loggers = new LoggerFollower();

  constructor(
    public settings: Settings,
    public hooks: Hooks,
  ) {}

  /** Whether anybody would see what is recorded. */
  isHeard(): boolean {
    return this.tracers.current() !== undefined || this.meters.current() !== undefined;
  }

  instruments(): Instruments | undefined {
    const meter = this.meters.current();
    return meter && instrumentsOf(meter);
  }

  /** Starts recording an operation inside the active span, and inside `parent` if that is another operation. */
  start(row: OperationRow, subject: Subject, args: readonly unknown[], parent?: Recording): Recording {
    return new Recording(this, row, subject, args, context.active(), parent);
  }
}
