import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Call, RecoveryLimits } from '../../src/recovery/outcomes.js';
import { RecoveryTracker, type TrackedCall } from '../../src/recovery/tracker.js';
import { runs } from '../support/runs.js';
import { Ledger, type LedgerCall, type LedgerRequest, MISSING } from './ledger.js';

const numRuns = runs(10_000);

/** The tracker and what it reported. */
class System {
  readonly outcomes: string[] = [];
  readonly tracker: RecoveryTracker<number>;
  readonly underWay: [TrackedCall<number>, LedgerCall][] = [];
  readonly announced: [() => void, LedgerRequest][] = [];
  now = 0;
  nextRef = 0;
  #compared = 0;

  constructor(limits: RecoveryLimits) {
    this.tracker = new RecoveryTracker(limits, {
      onRequest: ({ outcome, reason, errorType }) => {
        same(reason, outcome === 'fallback' ? errorType : undefined);
        this.outcomes.push(`request ${outcome}${outcome === 'fallback' ? ` ${errorType}` : ''}`);
      },
      onReacquire: ({ outcome, duration }) => this.outcomes.push(`reacquire ${outcome} after ${duration}`),
    });
  }

  /** Both must have come to the same new outcomes. */
  compareWith(ledger: Ledger): void {
    same(this.outcomes.slice(this.#compared).sort(), ledger.outcomes.slice(this.#compared).sort());
    this.#compared = this.outcomes.length;
    same(this.tracker.size, ledger.size);
  }
}

/** `expect` alone would take most of the time of a million runs. */
function same(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
}

class Start implements fc.Command<Ledger, System> {
  constructor(private readonly call: Call) {}
  check = () => true;
  run(ledger: Ledger, system: System): void {
    const tracked = system.tracker.start(this.call, system.now);
    const kept = ledger.start(this.call, system.now);
    same(tracked.recovery && [tracked.recovery.kind, tracked.recovery.from], kept.recovery);
    system.underWay.push([tracked, kept]);
    system.compareWith(ledger);
  }
  toString = () => `start ${JSON.stringify(this.call)}`;
}

class End implements fc.Command<Ledger, System> {
  constructor(
    private readonly which: number,
    private readonly errorType: string | undefined,
    private readonly leaseId: string | undefined,
  ) {}
  check = () => true;
  run(ledger: Ledger, system: System): void {
    const index = this.which < 0 ? this.which : this.which % Math.max(1, system.underWay.length);
    const [ended] = system.underWay.splice(index, 1);
    if (ended === undefined) return;
    const ref = system.nextRef;
    system.nextRef += 1;
    const { errorType, leaseId } = this;
    system.tracker.end(ended[0], { errorType, acquiredLeaseId: leaseId, ref }, system.now);
    ledger.end(ended[1], errorType, leaseId, ref, system.now);
    system.compareWith(ledger);
  }
  toString = () => `end ${this.which} ${this.errorType} ${this.leaseId}`;
}

/** A call that ends before anything else happens. */
class Do implements fc.Command<Ledger, System> {
  private readonly steps: readonly fc.Command<Ledger, System>[];
  constructor(call: Call, errorType: string | undefined, leaseId: string | undefined) {
    this.steps = [new Start(call), new End(-1, errorType, leaseId)];
  }
  check = () => true;
  run(ledger: Ledger, system: System): void {
    for (const step of this.steps) step.run(ledger, system);
  }
  toString = () => this.steps.join(' and ');
}

class Wait implements fc.Command<Ledger, System> {
  constructor(
    private readonly time: number,
    private readonly isCollected: boolean,
  ) {}
  check = () => true;
  run(ledger: Ledger, system: System): void {
    system.now += this.time;
    if (!this.isCollected) return;
    system.tracker.advance(system.now);
    ledger.expire(system.now);
    system.compareWith(ledger);
  }
  toString = () => `wait ${this.time}${this.isCollected ? ' and collect' : ''}`;
}

class Announce implements fc.Command<Ledger, System> {
  constructor(private readonly reason: string) {}
  check = () => true;
  run(ledger: Ledger, system: System): void {
    const { reason } = this;
    const goOn = system.tracker.announce({ reason, errorType: reason }, system.now);
    system.announced.push([goOn, ledger.announce(reason, system.now)]);
    system.compareWith(ledger);
  }
  toString = () => `announce ${this.reason}`;
}

/** The work of an announced fallback begins, once or several times. */
class GoOn implements fc.Command<Ledger, System> {
  constructor(private readonly which: number) {}
  check = () => true;
  run(ledger: Ledger, system: System): void {
    const announced = system.announced[this.which % Math.max(1, system.announced.length)];
    if (announced === undefined) return;
    announced[0]();
    ledger.goOn(announced[1]);
    system.compareWith(ledger);
  }
  toString = () => `go on ${this.which}`;
}

class Settle implements fc.Command<Ledger, System> {
  check = () => true;
  run(ledger: Ledger, system: System): void {
    system.tracker.settle(system.now);
    ledger.settle(system.now);
    system.compareWith(ledger);
    same(system.tracker.size, 0);
  }
  toString = () => 'settle';
}

const id = (prefix: string, count: number) =>
  fc.option(
    fc.nat(count - 1).map((n) => `${prefix}${n}`),
    { nil: undefined, freq: 4 },
  );
const operation = fc.constantFrom(
  'open_duplex_channel',
  'execute',
  'acquire_run_lease',
  'sync_in',
  'release_run_lease',
);
const call: fc.Arbitrary<Call> = fc.record({
  operation: operation as fc.Arbitrary<Call['operation']>,
  environmentId: fc.constantFrom('e0', 'e0', 'e0', 'e1'),
  leaseId: id('l', 3),
  owner: fc.oneof(
    fc.constantFrom({ runId: 'r0' }, { issueId: 'i0' }, { companyId: 'c0' }),
    fc.record({ runId: id('r', 2), issueId: id('i', 2), workspaceId: id('w', 2), companyId: id('c', 2) }),
  ),
  isCountedElsewhere: fc.constantFrom(undefined, undefined, false, true),
});
const errorType = fc.constantFrom(undefined, undefined, MISSING, MISSING, 'unsupported-driver-operation');
const lease = id('l', 3);
const commands = fc.commands(
  [
    fc.tuple(call, errorType, lease).map(([done, error, leaseId]) => new Do(done, error, leaseId)),
    fc.tuple(call, errorType, lease).map(([done, error, leaseId]) => new Do(done, error, leaseId)),
    fc.tuple(call, errorType, lease).map(([done, error, leaseId]) => new Do(done, error, leaseId)),
    call.map((started) => new Start(started)),
    fc.tuple(fc.nat(9), errorType, lease).map(([which, error, leaseId]) => new End(which, error, leaseId)),
    fc.tuple(fc.nat(40), fc.boolean()).map(([time, isCollected]) => new Wait(time, isCollected)),
    fc.constantFrom('ready_timeout', 'route_busy').map((reason) => new Announce(reason)),
    fc.nat(9).map((which) => new GoOn(which)),
    fc.constantFrom(new Settle(), new Wait(0, true), new Wait(1, true), new Wait(1, false)),
  ],
  { maxCommands: 60, size: 'max' },
);
const limits: fc.Arbitrary<RecoveryLimits> = fc.record({
  fallbackWindowMs: fc.constantFrom(1, 50, 300),
  reacquireWindowMs: fc.constantFrom(1, 60, 300),
  maxTrackedRecoveries: fc.constantFrom(1, 2, 5, 1000),
});

it('no request and no episode is lost or counted twice, in any interleaving', () => {
  fc.assert(
    fc.property(limits, commands, (limit, steps) => {
      fc.modelRun(() => {
        const model = new Ledger(limit.fallbackWindowMs, limit.reacquireWindowMs, limit.maxTrackedRecoveries);
        return { model, real: new System(limit) };
      }, steps);
    }),
    { numRuns },
  );
}, 0);
