/** All that a host does with leases, played on a host of its own; what the host saw of it is the result. */

import type { HostFunction } from '../../src/base/values.js';
import type { OpenDuplexChannelOptions, OpenDuplexChannelResult } from '../../src/index.js';
import {
  completeLease,
  environment,
  incompleteLease,
  MISSING,
  nonPluginLease,
  UNSUPPORTED,
} from '../support/host.js';
import { Host } from './journal.js';

type Input = { readonly environment?: unknown; readonly lease?: { readonly metadata?: unknown } };
type Opening = OpenDuplexChannelOptions<typeof completeLease, unknown, unknown>;

/** How the host's objects are instrumented, or not. */
export interface Instrumentation {
  driver<T extends object>(driver: T): T;
  runtime<T extends object>(service: T): T;
  duplexFactory(factory: HostFunction): HostFunction;
  open(options: Opening): Promise<OpenDuplexChannelResult<typeof completeLease, unknown, unknown>>;
}

/** How many operations a play has, and so spans. */
export const SPANS_OF_A_PLAY = 26;
/** A thenable is an operation whose outcome is unknown: it has no duration. */
export const DURATIONS_OF_A_PLAY = SPANS_OF_A_PLAY - 1;

/** Plays everything once. @returns what the host saw, line by line */
export async function play(instrumentation: Instrumentation): Promise<string[]> {
  const host = new Host();
  const driver = instrumentation.driver(makeDriver(host, 'the driver'));
  await playOperations(host, driver);
  await playChannel(host, driver);
  await playService(host, instrumentation);
  await playFacade(host, instrumentation);
  await playOpening(host, driver, instrumentation);
  return host.journal;
}

function makeDriver(host: Host, owner: string) {
  const unsupported = host.known(`refusal of ${owner}`, new Error(UNSUPPORTED));
  const missing = host.known(`lack of metadata of ${owner}`, new Error(MISSING));
  const lease = host.known(`lease of ${owner}`, { ...completeLease, id: 'lease-2' });
  const channel = host.known(`channel of ${owner}`, makeChannel(host));
  const names = ['resumeRunLease', 'realizeWorkspace', 'syncIn', 'syncOut', 'getRunnerIngressEndpoint'];
  return {
    driver: 'sandbox',
    acquireRunLease: host.method('acquireRunLease', async () => lease),
    releaseRunLease: host.method('releaseRunLease', async () => lease),
    destroyRunLease: host.method('destroyRunLease', async () => {
      throw host.known(
        `custom failure of ${owner}`,
        Object.assign(new RangeError('gone'), { code: 'ENOENT' }),
      );
    }),
    execute: host.method('execute', async () =>
      host.known(`result of ${owner}`, { exitCode: 3, timedOut: false }),
    ),
    openDuplexChannel: host.method('openDuplexChannel', async (input: Input) => {
      if (input.lease === nonPluginLease) throw unsupported;
      if (input.lease === incompleteLease) throw missing;
      return channel;
    }),
    retryPendingSandboxTeardown: host.method('retryPendingSandboxTeardown', () => {
      throw host.known(`primitive of ${owner}`, 'thrown text');
    }),
    ...Object.fromEntries(
      names.map((name) => [
        name,
        host.method(name, () => host.known(`answer of ${owner}'s ${name}`, { name })),
      ]),
    ),
  };
}

function makeChannel(host: Host) {
  const listeners: Record<string, ((argument: unknown) => unknown) | undefined> = {};
  const listen = (name: string) =>
    host.method(name, (listener) => {
      listeners[name] = listener;
    });
  return {
    write: host.method('write', () => 'written'),
    onData: listen('onData'),
    onExit: listen('onExit'),
    stop: host.method('stop', async () => 'stopped'),
    close: host.method('close', async () => 'closed'),
    emit: (name: string, argument: unknown) => listeners[name]?.(argument),
  };
}

async function playOperations(host: Host, driver: object): Promise<void> {
  const on = (lease: unknown) => ({ environment, lease });
  await host.call(driver, 'acquireRunLease', { environment, issueId: 'issue-1', companyId: 'company-1' });
  for (const name of ['execute', 'resumeRunLease', 'realizeWorkspace', 'syncIn', 'syncOut'])
    await host.call(driver, name, on(completeLease));
  for (const name of ['getRunnerIngressEndpoint', 'retryPendingSandboxTeardown', 'destroyRunLease'])
    await host.call(driver, name, on(completeLease), 'second');
  await host.call(driver, 'releaseRunLease', { ...on(completeLease), status: 'released' });
  // A refused open and its fallback; a lease without metadata and its re-acquire.
  await host.call(driver, 'openDuplexChannel', on(nonPluginLease));
  await host.call(driver, 'execute', on(nonPluginLease));
  await host.call(driver, 'openDuplexChannel', on(incompleteLease));
  await host.call(driver, 'acquireRunLease', { environment, issueId: 'issue-1', companyId: 'company-1' });
  await host.call(driver, 'openDuplexChannel', on({ ...completeLease, id: 'lease-2' }));
}

async function playChannel(host: Host, driver: object): Promise<void> {
  const channel = (await host.call(driver, 'openDuplexChannel', {
    environment,
    lease: completeLease,
  })) as ReturnType<typeof makeChannel>;
  const listener = (name: string) => (argument: unknown) => {
    host.note(`${name} hears ${host.describe(argument)}`);
    return name;
  };
  // The channel gets a listener in place of this one.
  channel.onData(listener('onData'));
  channel.onExit(listener('onExit'));
  host.note(`emit returns ${channel.emit('onData', 'data')}`);
  await host.call(channel, 'write', 'bytes');
  host.note(`emit returns ${channel.emit('onExit', host.known('exit', { transportClosed: true }))}`);
  await host.call(channel, 'stop');
  await host.call(channel, 'close');
}

/** A foreign thenable, which begins its work when it is awaited. */
class Thenable {
  // biome-ignore lint/suspicious/noThenProperty: that is what it is about.
  then(resolve: (value: string) => void): void {
    resolve('late');
  }
}

/** A service that knows less than its driver, and whose caller gets the driver's own errors. */
async function playService(host: Host, instrumentation: Instrumentation): Promise<void> {
  const driver = makeDriver(host, 'the service');
  const failure = host.known('failure of one of two', new TypeError('no'));
  const service = instrumentation.runtime({
    getDriver: (key: string) => (key === 'sandbox' ? driver : null),
    async execute(input: unknown) {
      host.note('service: execute');
      await host.call(driver, 'execute', input, { environment, lease: completeLease });
      return await driver.execute({ environment, lease: completeLease });
    },
    async releaseRunLeases() {
      const released = driver.releaseRunLease({ environment, lease: completeLease, status: 'released' });
      const destroyed = driver.destroyRunLease({ environment, lease: completeLease });
      for (const outcome of await Promise.allSettled([released, destroyed])) {
        const what = outcome.status === 'fulfilled' ? outcome.value : outcome.reason;
        host.note(`service: releaseRunLeases, ${outcome.status}: ${host.describe(what)}`);
      }
      throw failure;
    },
    syncIn: () => host.known('thenable', new Thenable()),
  });
  await host.call(service, 'execute', {});
  await host.call(service, 'releaseRunLeases', 'run-1');
  await host.call(service, 'syncIn', {});
}

/** Paperclip's own account of channels. */
async function playFacade(host: Host, instrumentation: Instrumentation): Promise<void> {
  const attempt = () => ({
    ready: host.method('ready', () => 'is ready'),
    fallback: host.method('fallback', () => 'fell back'),
  });
  const create = instrumentation.duplexFactory(() => ({
    startChannelOpen: host.method('startChannelOpen', () => host.known('attempt', attempt())),
    recordFallback: host.method('recordFallback', () => 'a'),
    recordRequest: host.method('recordRequest', () => 'b'),
    recordLoss: host.method('recordLoss', () => 'c'),
    recordSessionLeak: host.method('recordSessionLeak', () => 'd'),
  }));
  const facade = create({ providerKey: 'daytona' }) as object;
  for (const end of ['ready', 'fallback']) {
    const started = await host.call(facade, 'startChannelOpen');
    await host.call(started as object, end, 'ready_timeout');
  }
  await host.call(facade, 'recordFallback', 'gate_off');
  await host.call(facade, 'recordRequest', { latencyMs: 3, outcome: 'ok' });
  await host.call(facade, 'recordLoss', 'idle', 'rpc_failure');
  await host.call(facade, 'recordSessionLeak');
}

/** Opens with recovery, each of its ways. */
async function playOpening(host: Host, driver: object, instrumentation: Instrumentation): Promise<void> {
  const leases = {
    completeLease,
    nonPluginLease,
    incompleteLease,
    'no metadata': { ...completeLease, metadata: {} },
  };
  for (const [name, lease] of Object.entries(leases)) {
    const outcome = await instrumentation.open({
      lease: lease as typeof completeLease,
      open: (given) => host.call(driver, 'openDuplexChannel', { environment, lease: given }),
      execute: (given) => host.call(driver, 'execute', { environment, lease: given }),
      acquire: async () => {
        await host.call(driver, 'acquireRunLease', { environment });
        return completeLease;
      },
    });
    const what = outcome.via === 'channel' ? outcome.channel : outcome.result;
    host.note(`open with recovery of ${name}: ${outcome.via}, ${host.describe(what)}`);
  }
}
