/** What has come so far, in bounded memory: counts of operations, failures that others recover from, and servers. */
import { VALUE_OTHER } from '../../semconv.js';
import type { Operation } from './otlp.js';

/** As many failures as an instrumentation follows recoveries of, by default. */
const MAX_FAILURES = 10_000;
const MAX_ENDS = 1_000;
const MAX_SERVERS = 1_000;

/** Outcome of an operation that did not fail. */
export const OK = 'ok';

/** A failure that others recover from. */
export type Failure = Pick<Operation, 'name' | 'endedAt'>;

/** How often an operation ended in one way. */
export interface End {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
}

interface Server {
  /** When the first of its operations that came had ended, and its latest metrics were collected; 0 before any. */
  endedAt: bigint;
  collectedAt: bigint;
}

export class Tally {
  operations = 0;
  failed = 0;
  /** Spans that are none of this package's. */
  others = 0;
  readonly #failures = new Map<string, Failure>();
  readonly #ends = new Map<string, End>();
  readonly #servers = new Map<string, Server>();

  /** Those that anything of this package came from. */
  get servers(): number {
    return this.#servers.size;
  }

  /** Whether some server has sent operations, and metrics that it collected after one of them. */
  get isComplete(): boolean {
    return [...this.#servers.values()].some(
      ({ endedAt, collectedAt }) => endedAt > 0n && collectedAt >= endedAt,
    );
  }

  /** The ends that there were, by operation and outcome. */
  get ends(): readonly End[] {
    return [...this.#ends.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  add(operation: Operation): void {
    const { name, errorType, endedAt, id, source } = operation;
    this.operations += 1;
    this.#countEnd(name, errorType ?? OK);
    const server = this.#serverOf(source.server);
    if (server.endedAt === 0n) server.endedAt = endedAt;
    if (errorType === undefined) return;
    this.failed += 1;
    this.#failures.set(id, { name, endedAt });
    if (this.#failures.size > MAX_FAILURES)
      this.#failures.delete(this.#failures.keys().next().value as string);
  }

  /** @param collectedAt when metrics were collected, by server */
  addMetrics(collectedAt: ReadonlyMap<string, bigint>): void {
    for (const [name, at] of collectedAt) {
      const server = this.#serverOf(name);
      if (at > server.collectedAt) server.collectedAt = at;
    }
  }

  /** What an operation recovers from, unless that did not come, or too long ago. */
  failureOf({ recovery }: Operation): Failure | undefined {
    const id = recovery?.from.find((from) => this.#failures.has(from));
    return id === undefined ? undefined : this.#failures.get(id);
  }

  #countEnd(operation: string, outcome: string): void {
    let end: End = { operation, outcome, count: 0 };
    if (!this.#ends.has(keyOf(end)) && this.#ends.size >= MAX_ENDS)
      end = { operation: VALUE_OTHER, outcome: VALUE_OTHER, count: 0 };
    const count = (this.#ends.get(keyOf(end))?.count ?? 0) + 1;
    this.#ends.set(keyOf(end), { ...end, count });
  }

  #serverOf(name: string): Server {
    const server = this.#servers.get(name) ?? { endedAt: 0n, collectedAt: 0n };
    if (this.#servers.size < MAX_SERVERS) this.#servers.set(name, server);
    return server;
  }
}

function keyOf({ operation, outcome }: Pick<End, 'operation' | 'outcome'>): string {
  return `${operation} ${outcome}`;
}
