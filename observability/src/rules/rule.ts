/** What a recording rule and an alert are, before they are written for Prometheus or for Grafana. */
import type { Timing } from '../limits.js';
import type { Matcher } from '../promql.js';

/** An expression under a name. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

/** Something to look up for a text: an expression about the labels of the alert. */
export interface LookUp {
  /** The labels of the alert that the expression is to have. */
  readonly labels: readonly string[];
  /** @param matchers conditions for these labels, as they stand between braces */
  readonly expr: (matchers: Matcher[]) => string;
}

/** How often something failed, for a text. */
export interface Counted {
  /** What was attempted, in the plural. */
  readonly things: string;
  readonly failed: LookUp;
  readonly all: LookUp;
}

/** Label of {@link Counted.failed}: the window in words. */
export const WINDOW = 'window';

/** How a text refers to what an alert found; the notations of Prometheus and Grafana differ. */
export interface Words {
  /** The value of the alert's expression: a share, a whole number, or seconds. */
  value(as: 'percentage' | 'count' | 'age'): string;
  /** The value of a label, or other words where there is none. */
  label(name: string, otherwise: string): string;
  /** How many of how many; the share, where the engine cannot look that up. */
  counts(counted: Counted): string;
  /**
   * A sentence that names the most frequent value of a label; nothing, where there is none or the engine cannot look it up.
   *
   * @param before what the sentence begins with
   */
  most(label: string, before: string, lookUp: LookUp): string;
}

export interface Alert {
  readonly name: string;
  readonly severity: 'critical' | 'warning';
  /** Seconds that the condition must hold. */
  readonly hold: number;
  /** Has series where there is something to say, and none where not. Refers to recordings by their names. */
  readonly expr: string;
  readonly summary: (words: Words) => string;
  readonly description: (words: Words) => string;
  /** Name of the page in `docs/runbooks/`, without the extension. */
  readonly runbook: string;
  /** The panel that shows what the alert is about. */
  readonly panel: { readonly dashboard: string; readonly title: string };
}

/** What makes an alert, with timing that a test may shorten. */
export type AlertFactory = (timing: Timing) => Alert;
