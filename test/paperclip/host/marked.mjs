/** Environments, leases and errors with a marker in every place that may hold a secret. */
import { pluginCalls, sandboxCalls } from './operations.mjs';
import { pluginEnvironment, pluginLease, sandboxEnvironment, sandboxLease } from './stage.mjs';
import { ownErrors } from './watch.mjs';

/** What every marker begins with. Small letters, digits and hyphens, so that it also passes as a provider key. */
const MARKER = 'mk7q';

export function marked(what) {
  return `${MARKER}-${what}`;
}

export function markersIn(value) {
  return JSON.stringify(value)?.match(new RegExp(`${MARKER}-[a-z-]+`, 'g')) ?? [];
}

/** A record that holds secrets at every depth. */
export function secrets(where) {
  return {
    apiKey: marked(`${where}-key`),
    nested: { token: marked(`${where}-token`) },
    list: [marked(`${where}-list`)],
  };
}

const pluginId = marked('plugin-id');
const fields = {
  providerLeaseId: `https://sandboxes.example/${marked('provider-lease')}`,
  failureReason: marked('failure'),
};
const metadata = { pluginId, remoteCwd: `/${marked('remote-cwd')}`, ...secrets('metadata') };

/**
 * Environments and leases: whole ones, of both drivers, and those that are refused, unknown or cannot be read.
 */
export function subjects() {
  const about = {
    name: marked('name'),
    description: marked('description'),
    envVars: secrets('env-vars'),
  };
  const sandbox = sandboxEnvironment({ ...about, config: { provider: 'daytona', ...secrets('config') } });
  const plugin = pluginEnvironment({
    ...about,
    config: { pluginKey: 'acme.sandboxes', driverKey: 'acme', driverConfig: secrets('driver-config') },
  });
  const ofSandbox = { callsOf: sandboxCalls, environment: sandbox, pluginId };
  const ofPlugin = { callsOf: pluginCalls, environment: plugin, pluginId };
  const driver = marked('driver');
  const provider = marked('provider');
  return [
    { ...ofSandbox, kind: 'sandbox', lease: lease(), isWhole: true },
    { ...ofSandbox, kind: 'no plug-in', lease: lease({ sandboxProviderPlugin: false }) },
    { ...ofSandbox, kind: 'secret flag', lease: lease({ sandboxProviderPlugin: marked('flag') }) },
    { ...ofSandbox, kind: 'no plug-in id', lease: lease({ pluginId: undefined }) },
    { ...ofSandbox, kind: 'unknown plug-in id', lease: lease({ pluginId: marked('unknown') }) },
    { ...ofSandbox, kind: 'no provider', lease: lease({ provider: undefined }, { provider: null }) },
    { ...ofSandbox, kind: 'unknown provider', lease: lease({ provider }, { provider }) },
    {
      ...ofSandbox,
      kind: 'unknown status',
      lease: lease({}, { status: marked('status'), leasePolicy: marked('policy') }),
    },
    {
      ...ofSandbox,
      kind: 'unknown driver',
      environment: { ...sandbox, driver },
      lease: lease({ driver }),
    },
    { ...ofSandbox, kind: 'unreadable', lease: unreadable(lease()) },
    { ...ofPlugin, kind: 'plug-in', lease: pluginLease({ ...fields, metadata }), isWhole: true },
    {
      ...ofPlugin,
      kind: 'unknown driver key',
      lease: pluginLease({ ...fields, metadata: { ...metadata, driverKey: marked('driver-key') } }),
    },
  ];
}

function lease(moreMetadata = {}, more = {}) {
  return sandboxLease({ ...fields, ...more, metadata: { ...metadata, ...moreMetadata } });
}

/** A lease that throws a secret whenever its metadata are read: the same one, however often that is. */
function unreadable(of) {
  const error = new Error(marked('unreadable'));
  ownErrors.push(error);
  return Object.defineProperty({ ...of }, 'metadata', {
    enumerable: false,
    get() {
      throw error;
    },
  });
}

/** What a worker can throw: secrets in the message, and in everything else that an error can carry. */
export function thrown() {
  const fixed = 'Sandbox driver does not support duplex channels for this lease.';
  return {
    'an error': Object.assign(new Error(marked('message')), secrets('error')),
    'an error with a cause': new Error(marked('outer'), { cause: new Error(marked('inner')) }),
    'several errors': new AggregateError([new Error(marked('member'))], marked('aggregate')),
    'an error with a code': Object.assign(new Error(marked('coded')), { code: marked('code') }),
    'a catalogued error that holds a name': new Error(
      `Environment driver "${marked('named')}" does not support duplex channels.`,
    ),
    'a catalogued error that goes on': new Error(`${fixed} ${marked('tail')}`),
    'a catalogued cause': new Error(marked('around'), { cause: new Error(fixed) }),
    'an error that was changed': changed(fixed),
    'a string': marked('string'),
    'an object': { message: marked('object'), ...secrets('object') },
  };
}

/** Its message is catalogued by now, but its stack still begins with the one that it was made with. */
function changed(message) {
  const error = new Error(marked('first-message'));
  return Object.assign(error, { stack: error.stack, name: marked('error-name'), message });
}
