/** Does all that a host can do, with new names of everything at each call. */
import { openDuplexChannelWithRecovery } from '../../src/index.js';
import { OPERATIONS } from '../../src/operations/table.js';
import * as semconv from '../../src/semconv.js';
import { type Database, shared } from '../../src/shared.js';
import { MISSING, UNSUPPORTED } from './host.js';
import { inventoryRow } from './inventory.js';
import { Channel, type Choice, failing, type Host, invent, leaseOf, type Outcome } from './told-host.js';

/** A value of each closed set, one outside of it, and none. */
const withInvented = (set: readonly string[], kind: string): (() => Choice)[] => [
  ...set.map((value) => () => value),
  () => invent(kind),
  () => undefined,
];
const DRIVERS = withInvented(semconv.DRIVERS, 'driver');
const PROVIDERS = withInvented(semconv.PROVIDERS, 'provider');
const ACQUISITIONS = withInvented(semconv.ACQUISITION_OUTCOMES, 'acquisition');
/** Made once: what they cost is no matter here. */
const unsupported = new Error(UNSUPPORTED);
const missing = new Error(MISSING);

const FAILURES = [unsupported, missing, invent('thrown')].map(failing);

/** What operations return that fail without throwing. */
const keptSandbox: Outcome = () => ({ id: invent('lease'), cleanupStatus: 'failed' });
const RETURNED: Partial<Record<semconv.OperationName, Outcome>> = {
  execute: () => ({ timedOut: true }),
  release_run_lease: keptSandbox,
  destroy_run_lease: keptSandbox,
  retry_pending_sandbox_teardown: keptSandbox,
};

/** Every operation by every driver and provider, on leases of every shape, with every outcome. */
async function everyOperation(host: Host): Promise<void> {
  for (const outcome of [() => undefined, ...FAILURES]) await host.releaseAll(outcome);
  for (const driver of DRIVERS) {
    for (const provider of PROVIDERS) {
      const acquired = ACQUISITIONS.map((acquisition) => () => ({
        metadata: { sandboxLeaseAcquisition: { outcome: acquisition() } },
      }));
      for (const outcome of [...acquired, ...FAILURES])
        await host.call('acquireRunLease', { outcome }, driver(), provider());
      for (const shape of [...semconv.LEASE_SHAPES, undefined])
        for (const { name, method } of OPERATIONS) {
          if (method.driver === undefined || name === 'acquire_run_lease') continue;
          const returned = RETURNED[name] === undefined ? [] : [RETURNED[name]];
          for (const outcome of [() => undefined, ...FAILURES, ...returned]) {
            const key = provider();
            // Without a provider, no lease is complete.
            const lease = leaseOf(shape, key);
            await host.call(method.driver, { lease, outcome }, driver(), key);
          }
        }
    }
  }
}

/** Every end of a lease, by every driver and provider. */
async function everyLeaseEnd(host: Host): Promise<void> {
  for (const driver of DRIVERS)
    for (const provider of PROVIDERS)
      for (const status of [...semconv.LEASE_ENDS, invent('status')]) {
        const key = provider();
        const lease = leaseOf('non_plugin', key);
        const outcome = () => ({ ...lease, status: status === 'destroyed' ? 'released' : status });
        await host.call(
          status === 'destroyed' ? 'destroyRunLease' : 'releaseRunLease',
          { lease, outcome },
          driver(),
          key,
        );
      }
}

/**
 * Every way in which a request for a channel ends, for every provider: as Paperclip accounts for it, by single
 * calls, and by the recovery that this package offers. What is not recovered from is pending afterwards.
 */
export async function everyRequest(host: Host): Promise<void> {
  const reasons = withInvented(semconv.FALLBACK_REASONS, 'reason');
  for (const provider of PROVIDERS) {
    await host.call('openDuplexChannel', {
      lease: leaseOf('non_plugin', provider()),
      outcome: () => 'channel',
    });
    for (const outcome of FAILURES) {
      const key = provider();
      await host.call('openDuplexChannel', { lease: leaseOf('non_plugin', key), outcome });
      const lease = leaseOf('non_plugin', key);
      await host.call('openDuplexChannel', { lease, outcome });
      await host.call('execute', { lease, outcome: () => 'result' });
    }
    for (const reason of reasons) {
      host.createFacade(provider()).recordFallback?.(reason());
      for (const outcome of FAILURES) await attempted(host, provider(), reason(), outcome, true);
    }
    await attempted(host, provider(), undefined, failing(unsupported), false);
    const lease = leaseOf('non_plugin', provider()) ?? {};
    await openDuplexChannelWithRecovery({ lease, open: () => 'channel', execute: () => 'result' });
  }
}

/** An attempt that Paperclip accounts for, whose open fails. The run goes on without it, or was stopped. */
async function attempted(
  host: Host,
  provider: Choice,
  reason: Choice,
  outcome: Outcome,
  goesOn: boolean,
): Promise<void> {
  // What an attempt is the scope of, begins at the last await; as in Paperclip, it is not the caller's.
  await null;
  const attempt = host.createFacade(provider).startChannelOpen?.() as {
    fallback(reason: Choice): void;
  };
  await host.call('openDuplexChannel', { lease: leaseOf('non_plugin', provider), outcome });
  attempt.fallback(reason);
  const lease = leaseOf('non_plugin', provider);
  if (goesOn) await host.call('execute', { lease, outcome: () => 'result' });
}

/** Every outcome of a re-acquire, for every provider; some are pending afterwards. */
export async function everyReacquire(host: Host): Promise<void> {
  const retries: (Outcome | undefined)[] = [() => 'channel', failing(missing), failing('other'), undefined];
  for (const provider of PROVIDERS) {
    const fail = async () => {
      const environment = { id: invent('environment') };
      const lease = leaseOf('non_plugin', provider());
      await host.call('openDuplexChannel', { environment, lease, outcome: failing(missing) });
      return { environment, ...lease };
    };
    await fail();
    await host.call('acquireRunLease', { ...(await fail()), outcome: failing('none left') });
    for (const retry of retries) {
      const { environment, ...stale } = await fail();
      const lease = { ...stale, id: invent('lease') };
      await host.call('acquireRunLease', { environment, ...stale, outcome: () => lease });
      if (retry !== undefined) await host.call('openDuplexChannel', { environment, lease, outcome: retry });
    }
  }
}

/** Bytes in both directions and every end of a channel, for every provider; the last one stays open. */
async function everyChannel(host: Host): Promise<void> {
  const ends: ((channel: Channel) => void)[] = [
    (channel) => channel.exit({ exitCode: 0 }),
    (channel) => channel.exit({ transportClosed: true }),
    (channel) => channel.stop(),
    (channel) => channel.close(),
    () => {},
  ];
  for (const provider of PROVIDERS)
    for (const end of ends) {
      const channel = new Channel();
      await host.call('openDuplexChannel', {
        lease: leaseOf('non_plugin', provider()),
        outcome: () => channel,
      });
      channel.onData(() => {});
      channel.onExit(() => {});
      channel.write('ping');
      channel.data('pong');
      end(channel);
    }
}

/** Everything else that Paperclip reports of its channels, for every provider. */
function everyAccount(host: Host): void {
  const classes = withInvented(semconv.LOSS_CLASSES, 'class');
  const reasons = withInvented(semconv.LOSS_REASONS, 'reason');
  const outcomes = withInvented(semconv.FORWARD_OUTCOMES, 'outcome');
  for (const provider of PROVIDERS) {
    const facade = host.createFacade(provider());
    for (const lossClass of classes) for (const reason of reasons) facade.recordLoss?.(lossClass(), reason());
    for (const outcome of outcomes) facade.recordRequest?.({ latencyMs: 1, outcome: outcome() });
    facade.recordSessionLeak?.();
  }
}

/** Every operation by every driver and provider, without end. */
function everyRunning(host: Host): void {
  const outcome = () => new Promise(() => {});
  void host.releaseAll(outcome);
  for (const driver of DRIVERS)
    for (const provider of PROVIDERS)
      for (const { method } of OPERATIONS)
        if (method.driver !== undefined) void host.call(method.driver, { outcome }, driver(), provider());
}

/** A database whose leases that are not over are of every kind. */
function everyLease(): Database {
  const providers = [...semconv.PROVIDERS, semconv.VALUE_OTHER];
  const kinds = [
    ...['local', 'ssh', ''].map((driver) => [driver, '']),
    ['plugin', semconv.VALUE_OTHER],
    ...providers.map((provider) => ['sandbox', provider]),
  ];
  const rows = semconv.HELD_LEASE_STATUSES.flatMap((status) =>
    [...semconv.LEASE_POLICIES, semconv.VALUE_OTHER].flatMap((policy) =>
      [...semconv.LEASE_RUNS, semconv.VALUE_OTHER].flatMap((run) =>
        kinds.map(([driver = '', provider = '']) => inventoryRow({ status, policy, driver, provider, run })),
      ),
    ),
  );
  return { execute: async () => [rows] };
}

/** All that a host can do. */
export async function everything(host: Host): Promise<void> {
  await everyOperation(host);
  await everyLeaseEnd(host);
  await everyRequest(host);
  await everyReacquire(host);
  await everyChannel(host);
  everyAccount(host);
  everyRunning(host);
  shared.inventory.database = everyLease();
}

/**
 * One run of an agent that leaves a point in every metric: for a company, on an environment, of a driver and a
 * provider that were never seen before.
 */
export async function unheardOfRun(host: Host): Promise<void> {
  const [driver, provider] = [invent('driver'), invent('provider')];
  const lease = leaseOf('plugin_complete', provider);
  const channel = new Channel();
  const steps: [method: string, outcome: Outcome][] = [
    ['acquireRunLease', () => lease],
    ['openDuplexChannel', failing(unsupported)],
    ['execute', () => ({ exitCode: 0 })],
    ['openDuplexChannel', () => channel],
    ['syncOut', failing(missing)],
    ['releaseRunLease', () => ({ ...lease, status: 'released' })],
  ];
  for (const [method, outcome] of steps) {
    const input = method === 'acquireRunLease' ? { outcome } : { lease, outcome };
    await host.call(method, input, driver, provider);
  }
  channel.write('ping');
  channel.close();
  const facade = host.createFacade(provider);
  facade.recordFallback?.(invent('reason'));
  facade.recordLoss?.(invent('class'), invent('reason'));
  facade.recordRequest?.({ latencyMs: 1, outcome: invent('outcome') });
  facade.recordSessionLeak?.();
}
