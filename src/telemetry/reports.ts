/** Records outcomes of recoveries, and what Paperclip reports of its duplex channels, as metrics. */
import type { Attributes } from '@opentelemetry/api';
import { attempt } from '../base/faults.js';
import type { ReacquireResult, RequestOutcome } from '../recovery/outcomes.js';
import * as semconv from '../semconv.js';
import type { Forward, Loss, Reporter, SessionLeak } from '../shared.js';
import { closedProvider, known } from './attributes.js';
import type { Instruments } from './instruments.js';
import type { Telemetry } from './telemetry.js';

export class Reports implements Reporter {
  /** @param onFallbackAnnounced follows a fallback whose work has not begun */
  constructor(
    private readonly telemetry: Telemetry,
    readonly onFallbackAnnounced: Reporter['onFallbackAnnounced'],
  ) {}

  onRequest({ provider, outcome, reason, errorType }: RequestOutcome): void {
    const attributes = this.#attributes(provider, {
      [semconv.ATTR_PAPERCLIP_DUPLEX_OUTCOME]: outcome,
      [semconv.ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON]: reason,
      [semconv.ATTR_ERROR_TYPE]: errorType && this.telemetry.errorType(errorType),
    });
    this.#record(({ duplexRequests }) => duplexRequests.add(1, attributes));
  }

  onReacquire({ provider, outcome, duration }: ReacquireResult): void {
    const attributes = this.#attributes(provider, {
      [semconv.ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME]: outcome,
    });
    this.#record(({ reacquires, reacquireDuration }) => {
      reacquires.add(1, attributes);
      reacquireDuration.record(duration / 1000, attributes);
    });
  }

  onForward({ provider, outcome, latencyMs }: Forward): void {
    const attributes = this.#attributes(provider, {
      [semconv.ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME]: outcome,
    });
    this.#record(({ forwardDuration }) => forwardDuration.record(latencyMs / 1000, attributes));
  }

  onLoss({ provider, lossClass, reason }: Loss): void {
    const attributes = this.#attributes(provider, {
      [semconv.ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS]: lossClass,
      [semconv.ATTR_PAPERCLIP_DUPLEX_LOSS_REASON]: reason,
    });
    this.#record(({ losses }) => losses.add(1, attributes));
  }

  onSessionLeak({ provider }: SessionLeak): void {
    const attributes = this.#attributes(provider, {});
    this.#record(({ sessionLeaks }) => sessionLeaks.add(1, attributes));
  }

  #attributes(provider: string | undefined, others: Record<string, string | undefined>): Attributes {
    return known({
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: closedProvider(provider, this.telemetry.settings),
      ...others,
    });
  }

  #record(record: (instruments: Instruments) => void): void {
    attempt('recording a metric failed', () => {
      const instruments = this.telemetry.instruments();
      if (instruments !== undefined) record(instruments);
    });
  }
}
