/** What the pictures show: what Prometheus answers to the panels of dashboards, and the spans of the demo. */

/** When a picture's data begins and ends, in milliseconds since the epoch, and how far apart its points are. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
}

/** What an expression returned for one set of labels. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** What the legend calls it. */
  readonly name: string;
  /** Milliseconds since the epoch, and the value; there is one point where the range was not asked for. */
  readonly points: readonly (readonly [time: number, value: number])[];
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string;
  /** `service.name` of its resource. */
  readonly service: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** OpenTelemetry's `SpanStatusCode`. */
  readonly status: number;
  /** Microseconds since the epoch. */
  readonly start: number;
  /** Microseconds. */
  readonly duration: number;
  /** Ids of the spans that it links to. */
  readonly links: readonly string[];
}

export interface Measured {
  readonly range: Range;
  readonly seed: number;
  /** By the title of the dashboard and of the panel, as {@link panelKey} joins them. */
  readonly panels: Readonly<Record<string, readonly Series[]>>;
  readonly spans: readonly Span[];
}

export function panelKey(dashboard: string, panel: string): string {
  return `${dashboard} / ${panel}`;
}
