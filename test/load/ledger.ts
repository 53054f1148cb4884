/**
 * What the load did, written down by the load itself, in the plainest way: rows that are added up. It knows nothing of the
 * instrumentation.
 */

export type Attributes = Record<string, unknown>;

/** How the span of one call must look. A call is told by its number. */
export interface SpanRow {
  readonly name: string;
  readonly errorType?: string | undefined;
  /** What it is, and of which call's failure. */
  readonly recovery?: { readonly kind: string; readonly from: number | undefined } | undefined;
  /** The call that it was made in. */
  readonly parent?: number | undefined;
  /** Whether the error is recorded on this span: a classified one, on that of the innermost call that it left. */
  readonly hasException: boolean;
}

/** Something that will be counted once, as what it turns out to be; where nothing more happens, as it stands. */
export class Pending {
  isOpen = true;
  standing: string;
  readonly #count: (outcome: string) => void;

  constructor(standing: string, count: (outcome: string) => void) {
    this.standing = standing;
    this.#count = count;
  }

  end(outcome: string = this.standing): void {
    if (this.isOpen) this.#count(outcome);
    this.isOpen = false;
  }

  /** It becomes part of something else, and is not counted itself. */
  drop(): void {
    this.isOpen = false;
  }
}

export class Ledger {
  /** How many calls were recorded. */
  get operations(): number {
    return this.spans.size;
  }
  readonly points = new Map<string, number>();
  /** How many values make up the points. */
  measurements = 0;
  /** By the call's number. */
  readonly spans = new Map<number, SpanRow>();
  #pending = new Set<Pending>();

  add(metric: string, attributes: Attributes, value = 1): void {
    this.measurements += 1;
    addTo(this.points, metric, attributes, value);
  }

  pend(standing: string, count: (outcome: string) => void): Pending {
    const pending = new Pending(standing, (outcome) => {
      this.#pending.delete(pending);
      count(outcome);
    });
    this.#pending.add(pending);
    return pending;
  }

  /** What is pending is counted as it stands. */
  settle(): void {
    for (const pending of [...this.#pending]) pending.end();
    this.#pending = new Set();
  }
}

/** Adds to the point of a metric that has these attributes. */
export function addTo(
  points: Map<string, number>,
  metric: string,
  attributes: Attributes,
  value: number,
): void {
  const known = Object.entries(attributes).filter(([, attribute]) => attribute !== undefined);
  const key = `${metric} ${JSON.stringify(known.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
  points.set(key, (points.get(key) ?? 0) + value);
}

/** One line for each point that both do not have with the same value. */
export function pointDifferences(
  ledger: ReadonlyMap<string, number>,
  measured: ReadonlyMap<string, number>,
): string[] {
  return [...new Set([...ledger.keys(), ...measured.keys()])]
    .filter((key) => ledger.get(key) !== measured.get(key))
    .map((key) => `${key}: ledger ${ledger.get(key) ?? 'none'}, measured ${measured.get(key) ?? 'none'}`);
}

/** One line for each span that both do not have alike. Where some are not sampled, only those that are count. */
export function spanDifferences(
  ledger: ReadonlyMap<number, SpanRow>,
  exported: ReadonlyMap<number, string>,
  isSampled: boolean,
): string[] {
  const shown = (call: number | undefined) =>
    call === undefined || !isSampled || exported.has(call) ? call : 'unsampled';
  const expected = (row: SpanRow) => spanText(row, shown(row.recovery?.from), shown(row.parent));
  const calls = isSampled ? exported.keys() : new Set([...ledger.keys(), ...exported.keys()]);
  return [...calls].flatMap((call) => {
    const row = ledger.get(call);
    const text = row && expected(row);
    return text === exported.get(call)
      ? []
      : [`call ${call}: ledger ${text ?? 'none'}, exported ${exported.get(call) ?? 'none'}`];
  });
}

/** A span as one line. */
export function spanText(
  { name, errorType, recovery, hasException }: SpanRow,
  from: unknown,
  parent: unknown,
): string {
  const parts = [name, errorType ?? 'ok', hasException ? 'with exception' : 'without exception'];
  if (recovery !== undefined) parts.push(`${recovery.kind} of ${from ?? 'nothing'}`);
  if (parent !== undefined) parts.push(`in ${parent}`);
  return parts.join(', ');
}
