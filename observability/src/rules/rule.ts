/** What a recording rule and an alert are, before they are written for Prometheus or for Grafana. */
import type { Timing } from '../limits.js';

/** An expression under a name. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

/**
 * How a rule refers to a recording: by its name where Prometheus records it, or by its expression where nothing
 * does.
 */
export type Reference = (recording: Recording) => string;

/** How a text refers to what an alert found; the notations of Prometheus and Grafana differ. */
export interface Words {
  /** The value of the alert's expression: a share, a whole number, or seconds. */
  value(as: 'percentage' | 'count' | 'age'): string;
  /** The value of a label, or other words where there is none. */
  label(name: string, otherwise: string): string;
}

export interface Alert {
  readonly name: string;
  readonly severity: 'critical' | 'warning';
  /** Seconds that the condition must hold. */
  readonly hold: number;
  readonly expr: (refer: Reference) => string;
  readonly summary: (words: Words) => string;
  readonly description: (words: Words) => string;
  /** Name of the page in `docs/runbooks/`, without the extension. */
  readonly runbook: string;
}

/** What makes an alert, with timing that a test may shorten. */
export type AlertFactory = (timing: Timing) => Alert;
