/** What has come, from the first request to the last. */
import { type Operation, readMetrics, readTraces } from './otlp.js';
import { Rates } from './rates.js';
import { Tally } from './tally.js';

/** By how much the times of spans of one process can contradict their order, in nanoseconds: an SDK's start times are whole milliseconds. */
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
 * Operations by the time at which they ended. They come in the order in which their spans ended, and keep it where the times
 * do not clearly say otherwise: so a recovery stays behind its failure, and a child before its parent.
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
