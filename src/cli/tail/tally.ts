/** Counts operations by outcome, and remembers failures and servers, in bounded memory. */
import { VALUE_OTHER } from '../../semconv.js';
import type { Operation } from './otlp.js';

/** The default of `maxTrackedRecoveries`: recoveries of older failures are not reported. */
const MAX_FAILURES = 10_000;
const MAX_OUTCOMES = 1_000;
const MAX_SERVERS = 1_000;

/** A failed operation. */
export type Failure = Pick<Operation, 'name' | 'endedAt'>;

/** How often an operation had an outcome. */
export interface OutcomeCount {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
}

interface Server {
  /** When the first of its operations ended; 0 if unknown. */
  endedAt: bigint;
  /** When its latest metrics were collected; 0 if unknown. */
  collectedAt: bigint;
}

export class Tally {
  operations = 0;
  failed = 0;
  /** Spans that are not from this package. */
  others = 0;
  readonly #failures = new Map<string, Failure>();
  readonly #outcomes = new Map<string, OutcomeCount>();
  readonly #servers = new Map<string, Server>();

  /** Servers that sent telemetry of this package. */
  get servers(): number {
    return this.#servers.size;
  }

  /** Whether a server has sent operations, and metrics that it collected after one of them ended. */
  get isComplete(): boolean {
    return [...this.#servers.values()].some(
      ({ endedAt, collectedAt }) => endedAt > 0n && collectedAt >= endedAt,
    );
  }

  /** Sorted by operation and outcome. */
  get outcomes(): readonly OutcomeCount[] {
    return [...this.#outcomes.values()].sort((a, b) => (outcomeKey(a) < outcomeKey(b) ? -1 : 1));
  }

  add(operation: Operation): void {
    const { name, errorType, outcome, endedAt, id, source } = operation;
    this.operations += 1;
    this.#countOutcome(name, outcome);
    const server = this.#serverOf(source.server);
    if (server.endedAt === 0n || (endedAt > 0n && endedAt < server.endedAt)) server.endedAt = endedAt;
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

  /** @returns the failure that an operation recovers from, if it arrived and is still remembered */
  failureOf({ recovery }: Operation): Failure | undefined {
    const id = recovery?.from.find((from) => this.#failures.has(from));
    return id === undefined ? undefined : this.#failures.get(id);
  }

  #countOutcome(operation: string, outcome: string): void {
    let counted: OutcomeCount = { operation, outcome, count: 0 };
    if (!this.#outcomes.has(outcomeKey(counted)) && this.#outcomes.size >= MAX_OUTCOMES)
      counted = { operation: VALUE_OTHER, outcome: VALUE_OTHER, count: 0 };
    const count = (this.#outcomes.get(outcomeKey(counted))?.count ?? 0) + 1;
    this.#outcomes.set(outcomeKey(counted), { ...counted, count });
  }

  #serverOf(name: string): Server {
    const server = this.#servers.get(name) ?? { endedAt: 0n, collectedAt: 0n };
    if (this.#servers.size < MAX_SERVERS) this.#servers.set(name, server);
    return server;
  }
}

function outcomeKey({ operation, outcome }: OutcomeCount): string {
  return `${operation} ${outcome}`;
}
