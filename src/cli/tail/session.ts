/** Everything that was received since `tail` started. */
import { type Operation, readMetrics, readTraces } from './otlp.js';
import { Rates } from './rates.js';
import { Tally } from './tally.js';

/** In nanoseconds. Times of spans can contradict their order by this much, because an SDK's start times are whole milliseconds. */
const CLOCK_ERROR = 2_000_000n;

export class Session {
  readonly tally = new Tally();
  readonly rates = new Rates();

  /** @returns the operations of a request for traces, in the order in which they ended */
  takeTraces(request: object): Operation[] {
    const { operations, others } = readTraces(request);
    for (const operation of operations) this.tally.add(operation);
    this.tally.others += others;
    return inOrder(operations);
  }

  takeMetrics(request: object): void {
    const { points, collectedAt } = readMetrics(request);
    for (const point of points) this.rates.add(point);
    this.tally.addMetrics(collectedAt);
  }
}

/**
 * Sorts operations by the time at which they ended. An SDK sends spans in the order in which they ended, and this order is kept
 * unless the times clearly contradict it. So a recovery stays after its failure, and a child before its parent.
 */
function inOrder(operations: readonly Operation[]): Operation[] {
  let latest = 0n;
  const placed = operations.map((operation) => {
    const { endedAt } = operation;
    const isOlder = endedAt + CLOCK_ERROR < latest;
    if (endedAt > latest) latest = endedAt;
    return { operation, at: isOlder ? endedAt : latest };
  });
  return placed.sort((a, b) => Number(a.at - b.at)).map(({ operation }) => operation);
}
