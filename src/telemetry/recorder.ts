/** Records the operations, the recoveries and Paperclip's own reports of one instance. */

import { attempt } from '../base/faults.js';
import type { Settings } from '../config.js';
import type { Subject } from '../lease/subject.js';
import type { OperationRow } from '../operations/table.js';
import { shared } from '../shared.js';
import { LeaseInventory } from './inventory.js';
import { observeOldest } from './oldest.js';
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
  readonly #inventory: LeaseInventory;

  constructor(settings: Settings, hooks: Hooks) {
    this.telemetry = new Telemetry(settings, hooks, (meter, provider) => {
      attempt('recording a metric failed', () => observeOldest(meter));
      attempt('asking the table of leases failed', () => this.#inventory.observe(meter));
      attempt('following a recovery failed', () => {
        this.#recoveries.observe(meter);
        beforeShutdown(provider, () => this.#recoveries.settle());
      });
    });
    this.reports = new Reports(this.telemetry, (fallback) => this.#recoveries.announce(fallback));
    this.#recoveries = new Recoveries(settings.recovery, this.reports);
    this.#inventory = new LeaseInventory(() => {
      const { leaseInventory, providers } = this.telemetry.settings;
      return leaseInventory && shared.reporters.has(this.reports) ? providers : undefined;
    });
  }

  configure(settings: Settings, hooks: Hooks): void {
    this.telemetry.settings = settings;
    this.telemetry.hooks = hooks;
    this.#recoveries.setLimits(settings.recovery);
  }

  /** Takes the database that the host gives to its runtime. */
  useDatabase(database: unknown): void {
    attempt('asking the table of leases failed', () => {
      this.#inventory.use(database);
      // So that the first collection knows of the leases, also where no operation has looked up the meter.
      this.telemetry.meters.current();
    });
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
