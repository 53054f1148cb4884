import { beforeAll, describe, expect, test } from 'vitest';
import { durations, span } from './expected.js';
import { NODES, type Played, play, stepOf } from './harness.js';

const FROM_OWN_DRIVER = {
  'paperclip.environment.operation.name': 'execute',
  'paperclip.lease.shape': 'non_plugin',
};

describe.each(NODES)('drivers, on $name', ({ path }) => {
  let played: Played;
  beforeAll(async () => {
    played = await play({ node: path, scenarios: ['drivers'] });
  });

  test('are reached through the loader hook that this version of Node.js has', () => {
    const [major = 0] = played.node.slice(1).split('.').map(Number);
    // The server's own version has the hook in the thread of the modules; 20 has the loader thread's only.
    const expected = { 24: 'registerHooks', 20: 'register' }[major];
    expect([...new Set(played.registeredThrough)]).toEqual([expected]);
  });

  test('have the methods that the server gave them, and no more', () => {
    expect(stepOf(played, 'methods of each driver').seen.value).toEqual({
      local: ['acquireRunLease', 'releaseRunLease', 'realizeWorkspace', 'resolveCapabilities'],
      ssh: ['acquireRunLease', 'releaseRunLease', 'realizeWorkspace', 'resolveCapabilities'],
      sandbox: [
        'acquireRunLease',
        'releaseRunLease',
        'retryPendingSandboxTeardown',
        'isPendingCleanupWorkerReady',
        'flushDeferredOrphanCleanups',
        'realizeWorkspace',
        'execute',
        'supportsSync',
        'syncIn',
        'syncOut',
        'openDuplexChannel',
        'resolveCapabilities',
        'getRunnerIngressEndpoint',
        'destroyRunLease',
      ],
      plugin: [
        'acquireRunLease',
        'releaseRunLease',
        'resumeRunLease',
        'destroyRunLease',
        'realizeWorkspace',
        'execute',
        'resolveCapabilities',
      ],
      none: null,
    });
  });

  test.each(['acquire', 'release'])('of the kind local name no provider at an %s', (operation) => {
    const { seen, exported } = stepOf(played, `local ${operation}`);
    expect(seen.value).toMatchObject({ provider: 'local' });
    const { spans, metrics } = exported;
    expect(spans.map(({ name }) => name)).toEqual([`${operation}_run_lease local`]);
    expect(metrics).not.toEqual([]);
    expect(JSON.stringify({ spans, metrics })).not.toContain('paperclip.environment.provider');
  });

  test.each(['local', 'ssh'])(
    'of the kind %s throw what they always threw where a method is missing',
    (key) => {
      const { seen, exported } = stepOf(played, `missing method of the ${key} driver`);
      expect(seen).toMatchObject({ isPromise: false, thrown: { class: 'TypeError' } });
      expect(exported).toEqual({ spans: [], metrics: [], logs: [] });
    },
  );

  test.each([
    ['driver in options.drivers, through the service', 'ssh', 'ssh'],
    ['driver in options.drivers, itself', 'ssh', 'ssh'],
    ['driver of its own key, through the service', 'acme-machines', '_OTHER'],
    ['driver of its own key, from getDriver', 'acme-machines', '_OTHER'],
  ])('of the host are instrumented too: %s', (step, key, recorded) => {
    const { seen, exported } = stepOf(played, step);
    expect(seen).toEqual({ isPromise: true, value: { ran: 'agent', on: key, exitCode: 0 } });
    const dimensions = {
      ...FROM_OWN_DRIVER,
      'paperclip.environment.driver': recorded,
      // The driver ssh has no providers, whatever a lease says.
      ...(key === 'ssh' ? {} : { 'paperclip.environment.provider': 'daytona' }),
    };
    expect(exported).toEqual({
      spans: [
        span({
          name: `execute ${recorded}`,
          attributes: {
            ...dimensions,
            'paperclip.environment.id': 'environment-1',
            'paperclip.lease.id': 'lease-1',
            'paperclip.lease.status': 'active',
            'paperclip.lease.policy': 'ephemeral',
            'paperclip.lease.age': '<seconds>',
            'paperclip.lease.time_to_expiry': '<seconds>',
            'paperclip.company.id': 'company-1',
            'paperclip.issue.id': 'issue-1',
            'paperclip.run.id': 'run-1',
            'process.exit.code': 0,
          },
        }),
      ],
      metrics: [durations(dimensions)],
      logs: [],
    });
  });

  test('stay the objects that they were', () => {
    expect(stepOf(played, 'identity of drivers').seen.value).toEqual({
      listed: true,
      unlisted: true,
      repeated: true,
    });
  });
});
