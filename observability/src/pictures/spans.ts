/** A span of the demo, as its picture needs it. */
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
