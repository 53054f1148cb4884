// @ts-check
/** What a typical server does: drivers `local`, `ssh` and `sandbox`, and four providers. */
import { openDuplexChannelWithRecovery } from 'opentelemetry-instrumentation-paperclip';
import * as semconv from 'opentelemetry-instrumentation-paperclip/semconv';
import { createFacade, environmentOf, failing, leaseOf, METHODS, ownerOf } from './host.mjs';

/** @import { Host } from './host.mjs' */

const PROVIDERS = ['daytona', 'e2b', 'kubernetes', 'modal'];
const HOST_DRIVERS = ['local', 'ssh'];
const ACQUISITIONS = ['created', 'resumed', 'replacement'];
/** Operations of a sandbox on a lease, beside release and destruction. */
const ON_LEASE = METHODS.filter((method) => !/^(?:acquire|release|destroy)RunLease$/.test(method));

const UNSUPPORTED = 'Sandbox driver does not support duplex channels for this lease.';
const MISSING =
  'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.';
/** The operations that need what an incomplete lease lacks, and that other leases than a plug-in's cannot do. */
const NEEDS_IDENTITY = ['syncIn', 'syncOut', 'openDuplexChannel', 'getRunnerIngressEndpoint'];
/** What else goes wrong: each another `error.type`. */
const ERRORS = ['ETIMEDOUT', 'ECONNRESET', undefined].map((code) => Object.assign(new Error('no'), { code }));

/** Each operation on each environment has succeeded. @param {Host} host */
export async function everythingOnce(host) {
  await host.releaseAll('run', () => []);
  for (const driver of HOST_DRIVERS) {
    const { environment, owner, lease } = place(driver, undefined, 'non_plugin');
    await host.call('acquireRunLease', { environment, ...owner }, () => lease);
    await host.call('realizeWorkspace', { environment, lease });
    await release(host, { environment, lease }, 'released');
  }
  for (const provider of PROVIDERS) {
    const { environment, owner, lease } = place('sandbox', provider, 'plugin_complete');
    for (const acquisition of ACQUISITIONS)
      await host.call('acquireRunLease', { environment, ...owner }, () =>
        leaseOf(environment, 'plugin_complete', owner, acquisition),
      );
    for (const method of ON_LEASE) await host.call(method, { environment, lease });
    await release(host, { environment, lease }, 'released');
    await host.call('destroyRunLease', { environment, lease }, () => ({ ...lease, status: 'released' }));
    await talk(host, { environment, lease }, 'exit');
    createFacade(provider).recordRequest({ latencyMs: 5, outcome: 'ok' });
  }
}

/** Each operation on each environment has failed in every way, and each recovery has ended in every way. @param {Host} host */
export async function everyFailureOnce(host) {
  for (const error of ERRORS) await host.releaseAll('run', failing(error));
  for (const driver of HOST_DRIVERS) {
    const { environment, owner, lease } = place(driver, undefined, 'non_plugin');
    for (const error of ERRORS) {
      await host.call('acquireRunLease', { environment, ...owner }, failing(error));
      for (const method of ['realizeWorkspace', 'releaseRunLease'])
        await host.call(method, { environment, lease }, failing(error));
    }
    for (const end of ['expired', 'failed']) await release(host, { environment, lease }, end);
  }
  for (const provider of PROVIDERS) await everyFailureOf(host, provider);
}

/** @param {Host} host @param {string} provider */
async function everyFailureOf(host, provider) {
  const complete = place('sandbox', provider, 'plugin_complete');
  for (const error of ERRORS) {
    const { environment, owner, lease } = complete;
    await host.call('acquireRunLease', { environment, ...owner }, failing(error));
    for (const method of [...ON_LEASE, 'releaseRunLease', 'destroyRunLease'])
      await host.call(method, { environment, lease }, failing(error));
  }
  for (const [shape, message] of /** @type {const} */ ([
    ['plugin_incomplete', MISSING],
    ['non_plugin', UNSUPPORTED],
  ])) {
    const { environment, lease } = place('sandbox', provider, shape);
    for (const method of NEEDS_IDENTITY)
      await host.call(method, { environment, lease }, failing(new Error(message)));
    for (const method of ['execute', 'realizeWorkspace']) await host.call(method, { environment, lease });
    for (const end of ['released', 'expired', 'failed']) await release(host, { environment, lease }, end);
  }
  await everyReacquireOf(host, provider);
  accountOf(provider);
  for (const end of /** @type {const} */ (['exit', 'transportClosed', 'stop', 'close']))
    await talk(host, complete, end);
}

/** @param {string} provider */
function accountOf(provider) {
  const facade = createFacade(provider);
  for (const reason of semconv.FALLBACK_REASONS) facade.recordFallback(reason);
  for (const lossClass of semconv.LOSS_CLASSES)
    for (const reason of semconv.LOSS_REASONS) facade.recordLoss(lossClass, reason);
  facade.recordRequest({ latencyMs: 5, outcome: 'error' });
  facade.recordSessionLeak();
}

/** @param {Host} host @param {string} provider */
async function everyReacquireOf(host, provider) {
  const { lease: fresh } = place('sandbox', provider, 'plugin_complete');
  const { environment, owner, lease } = place('sandbox', provider, 'plugin_incomplete');
  const aborted = AbortSignal.abort();
  const acquire = () => fresh;
  /** @type {{ open: () => unknown, acquire?: () => typeof fresh, signal?: AbortSignal }[]} */
  const ways = [
    { open: () => 'channel', acquire },
    { open: () => 'channel', acquire: /** @type {() => never} */ (failing(new Error('none left'))) },
    { open: failing(new Error(MISSING)), acquire },
    { open: failing(ERRORS[0]), acquire },
    { open: () => 'channel', acquire, signal: aborted },
  ];
  for (const way of ways) await openDuplexChannelWithRecovery({ lease, ...way }).catch(() => {});
  // The fresh lease is never used, as is known when the telemetry is closed.
  await host.call('openDuplexChannel', { environment, lease }, failing(new Error(MISSING)));
  await host.call('acquireRunLease', { environment, ...owner }, acquire);
}

/**
 * @param {Host} host
 * @param {Pick<ReturnType<typeof place>, 'environment' | 'lease'>} where
 * @param {'exit' | 'transportClosed' | 'stop' | 'close'} end
 */
async function talk(host, { environment, lease }, end) {
  const channel = createChannel();
  await host.call('openDuplexChannel', { environment, lease }, () => channel);
  channel.onData(() => {});
  channel.onExit(() => {});
  channel.write('ping');
  channel.tell.data?.('pong');
  if (end === 'stop' || end === 'close') channel[end]();
  else channel.tell.exit?.({ transportClosed: end === 'transportClosed' });
}

/**
 * One run of an agent in a sandbox: 8 operations and its commands.
 *
 * @param {Host} host
 * @param {object} options
 * @param {number} options.commands how many
 * @param {boolean} options.refused whether the channel is refused, so that each command is run by itself
 */
export async function agentRun(host, { commands, refused }) {
  const shape = refused ? 'non_plugin' : 'plugin_complete';
  const { environment, owner, lease } = place('sandbox', 'daytona', shape);
  await host.call('acquireRunLease', { environment, ...owner }, () => lease);
  await host.call('realizeWorkspace', { environment, lease });
  await host.call('syncIn', { environment, lease });
  await host.call('openDuplexChannel', { environment, lease }, () => {
    if (refused) throw new Error(UNSUPPORTED);
    return 'channel';
  });
  const result = { exitCode: 0, timedOut: false };
  for (let command = 0; command < commands; command += 1)
    await host.call('execute', { environment, lease }, () => result);
  await host.call('getRunnerIngressEndpoint', { environment, lease });
  await host.call('syncOut', { environment, lease });
  await host.releaseAll(owner.heartbeatRunId, () => release(host, { environment, lease }, 'released'));
}

/**
 * @param {string} driver
 * @param {string | undefined} provider
 * @param {Parameters<typeof leaseOf>[1]} shape
 */
function place(driver, provider, shape) {
  const environment = environmentOf(driver, provider);
  const owner = ownerOf();
  return { environment, owner, lease: leaseOf(environment, shape, owner) };
}

/**
 * @param {Host} host
 * @param {Pick<ReturnType<typeof place>, 'environment' | 'lease'>} input
 * @param {string} status
 */
async function release(host, input, status) {
  await host.call('releaseRunLease', { ...input, status }, () => ({ ...input.lease, status }));
}

function createChannel() {
  /** @type {{ data?: (chunk: string) => void, exit?: (exit: object) => void }} */
  const tell = {};
  return {
    tell,
    write(/** @type {string} */ _data) {},
    onData(/** @type {(chunk: string) => void} */ listener) {
      tell.data = listener;
    },
    onExit(/** @type {(exit: object) => void} */ listener) {
      tell.exit = listener;
    },
    stop() {},
    close() {},
  };
}
