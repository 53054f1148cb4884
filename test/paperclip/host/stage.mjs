/**
 * What stands around the real service in these tests: a database that keeps rows but knows no SQL, and
 * plug-in workers without processes.
 */

export const PLUGIN_ID = 'plugin-1';

/** A lease as a sandbox provider's plug-in gets it: everything that an operation needs is there. */
export function sandboxLease({ metadata, ...fields } = {}) {
  return {
    id: 'lease-1',
    companyId: 'company-1',
    environmentId: 'environment-1',
    executionWorkspaceId: 'workspace-1',
    issueId: 'issue-1',
    heartbeatRunId: 'run-1',
    status: 'active',
    leasePolicy: 'ephemeral',
    provider: 'daytona',
    providerLeaseId: 'provider-lease-1',
    acquiredAt: new Date(Date.now() - 60_000),
    expiresAt: new Date(Date.now() + 3_600_000),
    cleanupStatus: null,
    metadata: {
      driver: 'sandbox',
      provider: 'daytona',
      pluginId: PLUGIN_ID,
      sandboxProviderPlugin: true,
      ...metadata,
    },
    ...fields,
  };
}

/** The environment of that lease. */
export function sandboxEnvironment(fields = {}) {
  return {
    id: 'environment-1',
    name: 'Sandbox',
    driver: 'sandbox',
    status: 'active',
    config: { provider: 'daytona' },
    ...fields,
  };
}

/** A lease of the plug-in driver. */
export function pluginLease({ metadata, ...fields } = {}) {
  return {
    ...sandboxLease(),
    provider: 'plugin:acme.sandboxes:acme',
    metadata: {
      driver: 'plugin',
      pluginId: PLUGIN_ID,
      pluginKey: 'acme.sandboxes',
      driverKey: 'acme',
      ...metadata,
    },
    ...fields,
  };
}

/** The environment of that lease. */
export function pluginEnvironment(fields = {}) {
  const config = { pluginKey: 'acme.sandboxes', driverKey: 'acme', driverConfig: {} };
  return { ...sandboxEnvironment(), name: 'Plug-in', driver: 'plugin', config, ...fields };
}

/** The row of an installed plug-in that provides a sandbox provider and an environment driver. */
export function pluginRow({ sandboxProvider = 'daytona', environmentDriver = 'acme', ...fields } = {}) {
  const sandboxCapabilities = { duplexCommandStream: true, runnerWebSocketIngress: true };
  return {
    id: PLUGIN_ID,
    pluginKey: 'acme.sandboxes',
    packageName: 'acme-sandboxes',
    version: '1.0.0',
    status: 'ready',
    manifestJson: {
      environmentDrivers: [
        { driverKey: sandboxProvider, kind: 'sandbox_provider', sandboxCapabilities },
        { driverKey: environmentDriver, kind: 'environment_driver', sandboxCapabilities },
      ],
    },
    ...fields,
  };
}

/**
 * Stands in for drizzle: every query of a table gives all of its rows, whatever its conditions, which is
 * enough where a table holds one row or none.
 *
 * @param tables rows by the table's name in SQL
 * @param newId makes the id of a row that is inserted
 */
export function database(tables = {}, newId = () => 'lease-new') {
  const rowsOf = (table) => {
    const name = table[Symbol.for('drizzle:Name')];
    tables[name] ??= [];
    return tables[name];
  };
  const db = {
    select: () => ({ from: (table) => query(() => rowsOf(table)) }),
    insert: (table) => ({
      values: (row) =>
        query(() => {
          const inserted = { id: newId(), ...row };
          rowsOf(table).push(inserted);
          return [inserted];
        }),
    }),
    update: (table) => ({
      set: (values) => query(() => rowsOf(table).map((row) => Object.assign(row, plainValues(values)))),
    }),
    transaction: async (work) => await work(db),
  };
  return db;
}

/** A query whose conditions change nothing, and that runs when it is awaited. */
function query(run) {
  const self = {
    where: () => self,
    orderBy: () => self,
    limit: () => self,
    for: () => self,
    returning: () => self,
    // biome-ignore lint/suspicious/noThenProperty: drizzle's queries are thenables, so this one must be.
    then: (fulfilled, rejected) => Promise.resolve().then(run).then(fulfilled, rejected),
  };
  return self;
}

/** Leaves out what only a database could work out. */
function plainValues(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value?.constructor?.name !== 'SQL'));
}

/**
 * Stands in for the plug-in worker manager, with one running worker.
 *
 * @param answers what the worker answers to each method of its protocol, or a function that does or throws
 * @param ofPlugin id of the worker's plug-in
 */
export function workerManager(answers = {}, ofPlugin = PLUGIN_ID) {
  const worker = {
    supportedMethods: Object.keys(answers),
    openDuplexChannel: async (input) => await answer('duplexChannelOpen', input),
  };
  async function answer(method, params) {
    const given = answers[method];
    return typeof given === 'function' ? await given(params) : given;
  }
  return {
    getWorker: (pluginId) => (pluginId === ofPlugin ? worker : null),
    isRunning: (pluginId) => pluginId === ofPlugin,
    call: async (_pluginId, method, params) => await answer(method, params),
  };
}

/** A duplex session whose command sends back what is written to it, and exits when it is stopped. */
export function echoSession() {
  let exit;
  let listener = () => {};
  const ended = new Promise((resolve) => {
    exit = resolve;
  });
  return {
    onData: (next) => {
      listener = next;
    },
    write: (data) => listener(data),
    wait: () => ended,
    kill: () => exit({ exitCode: 0 }),
    close: async () => exit({ exitCode: null, transportClosed: true }),
  };
}

/** Uses such a channel until its end. */
export async function converse(channel) {
  const received = [];
  channel.onData((chunk) => received.push(new TextDecoder().decode(chunk)));
  const exit = new Promise((resolve) => {
    channel.onExit(resolve);
  });
  channel.write(new TextEncoder().encode('hello'));
  channel.stop();
  return { received, exit: await exit };
}
