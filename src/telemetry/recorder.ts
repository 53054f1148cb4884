/** Records the operations, the recoveries and Paperclip's own reports of one instance. */

import { attempt } from '../base/faults.js';
import type { Settings } from '../config.js';
import type { Subject } from '../lease/subject.js';
import type { OperationRow } from '../operations/table.js';
import { parentContext } from './parents.js';
import { Recording } from './recording.js';
import { Recoveries } from './recoveries.js';
import { Reports } from './reports.js';
import { beforeShutdown } from './shutdown.js';
import { type Hooks, Telemetry } from './telemetry.js';

export class Recorder {
  readonly telemetry: Telemetry;
  readonly reports: Reports;
  readonly #recoveries: Recoveries;

  constructor(settings: Settings, hooks: Hooks) {
    this.telemetry = new Telemetry(settings, hooks, (meter, provider) =>
      attempt('following a recovery failed', () => {
        this.#recoveries.observe(meter);
        beforeShutdown(provider, () => this.#recoveries.settle());
      }),
    );
    this.reports = new Reports(this.telemetry, (fallback) => this.#recoveries.announce(fallback));
    this.#recoveries = new Recoveries(settings.recovery, this.reports);
  }

  configure(settings: Settings, hooks: Hooks): void {
    this.telemetry.settings = settings;
    this.telemetry.hooks = hooks;
    this.#recoveries.setLimits(settings.recovery);
  }

  /** Starts to record an operation, inside `parent` if that is another operation. */
  start(row: OperationRow, subject: Subject, args: readonly unknown[], parent?: Recording): Recording {
    return new Recording(this.telemetry, this.#recoveries, row, subject, args, parentContext(), parent);
  }

  /** Reports the pending recoveries with their current state. */
  settle(): void {
    this.#recoveries.settle();
  }
}
