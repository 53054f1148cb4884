import { beforeAll, describe, expect, test } from 'vitest';
import { durations, exception, failed, span } from './expected.js';
import { NODES, type Played, play, stepOf } from './harness.js';

const NON_PLUGIN = 'Sandbox driver does not support duplex channels for this lease.';
const INCOMPLETE =
  'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.';
const NOT_GRANTED = 'Sandbox lease does not grant the duplex command stream capability.';

/** Points and spans of a duplex channel on the sandbox driver have this in common. */
const OPEN_DUPLEX_CHANNEL = {
  'paperclip.environment.operation.name': 'open_duplex_channel',
  'paperclip.environment.driver': 'sandbox',
  'paperclip.environment.provider': 'daytona',
};
/** Ids on the bare leases of the seeds. */
const BARE_IDS = {
  'paperclip.environment.id': 'environment-1',
  'paperclip.lease.id': 'lease-1',
  'paperclip.company.id': 'company-1',
};

/** What is thrown is the very object that the server made with `new Error`, and nothing was changed on it. */
const rejectedWith = (message: string) => ({
  isPromise: true,
  rejected: {
    class: 'Error',
    message,
    ownKeys: ['stack', 'message'],
    hasPrototypeOfError: true,
    isFrozen: false,
    isTheOneThatWasMade: true,
  },
});

describe.each(NODES)('a duplex channel that is refused, on $name', ({ path }) => {
  let played: Played;
  beforeAll(async () => {
    played = await play({ node: path, scenarios: ['refusals'] });
  });

  test('on a lease of no plug-in is an unsupported operation of the real driver', () => {
    const { seen, exported } = stepOf(played, 'driver: lease of no plug-in');
    expect(seen).toEqual(rejectedWith(NON_PLUGIN));
    expect(exported).toEqual({
      spans: [
        span({
          name: 'open_duplex_channel sandbox',
          status: failed(NON_PLUGIN),
          attributes: {
            ...OPEN_DUPLEX_CHANNEL,
            ...BARE_IDS,
            'paperclip.lease.shape': 'non_plugin',
            'error.type': 'unsupported-driver-operation',
            'paperclip.error.background_tag': 'unsupported-driver-operation',
            'paperclip.error.slug': 'sandbox-driver-does-not-support-duplex-channels-fo',
          },
          events: [exception('Error', NON_PLUGIN)],
        }),
      ],
      metrics: [
        durations({
          ...OPEN_DUPLEX_CHANNEL,
          'paperclip.lease.shape': 'non_plugin',
          'error.type': 'unsupported-driver-operation',
        }),
      ],
      logs: [],
    });
  });

  test('on an incomplete lease is a missing field, and all three missing fields are named', () => {
    const { seen, exported } = stepOf(played, 'driver: incomplete lease');
    expect(seen).toEqual(rejectedWith(INCOMPLETE));
    expect(exported).toEqual({
      spans: [
        span({
          name: 'open_duplex_channel sandbox',
          status: failed(INCOMPLETE),
          attributes: {
            ...OPEN_DUPLEX_CHANNEL,
            ...BARE_IDS,
            'paperclip.lease.shape': 'plugin_incomplete',
            'paperclip.lease.missing_fields': 'metadata.pluginId,metadata.provider,providerLeaseId',
            'error.type': 'missing-metadata-field',
            'paperclip.error.background_tag': 'missing-metadata-field',
            'paperclip.error.slug': 'sandbox-duplex-channel-needs-a-plugin-id-a-provid',
          },
          events: [exception('Error', INCOMPLETE)],
        }),
      ],
      metrics: [
        durations({
          ...OPEN_DUPLEX_CHANNEL,
          'paperclip.lease.shape': 'plugin_incomplete',
          'error.type': 'missing-metadata-field',
        }),
      ],
      logs: [],
    });
  });

  test('on a lease that lacks one field names that one, and says all that is known of the lease', () => {
    const { seen, exported } = stepOf(played, 'driver: lease without the provider lease id');
    expect(seen).toEqual(rejectedWith(INCOMPLETE));
    expect(exported.spans).toEqual([
      span({
        name: 'open_duplex_channel sandbox',
        status: failed(INCOMPLETE),
        attributes: {
          ...OPEN_DUPLEX_CHANNEL,
          ...BARE_IDS,
          'paperclip.issue.id': 'issue-1',
          'paperclip.run.id': 'run-1',
          'paperclip.lease.status': 'active',
          'paperclip.lease.policy': 'ephemeral',
          'paperclip.lease.age': '<seconds>',
          'paperclip.lease.time_to_expiry': '<seconds>',
          'paperclip.lease.shape': 'plugin_incomplete',
          'paperclip.lease.missing_fields': 'providerLeaseId',
          'error.type': 'missing-metadata-field',
          'paperclip.error.background_tag': 'missing-metadata-field',
          'paperclip.error.slug': 'sandbox-duplex-channel-needs-a-plugin-id-a-provid',
        },
        events: [exception('Error', INCOMPLETE)],
      }),
    ]);
  });

  test('by the service, for want of the capability, is one unsupported operation', () => {
    const { seen, exported } = stepOf(played, 'service: lease of no plug-in');
    expect(seen).toEqual(rejectedWith(NOT_GRANTED));
    expect(exported).toEqual({
      spans: [
        span({
          name: 'open_duplex_channel sandbox',
          status: failed(NOT_GRANTED),
          attributes: {
            ...OPEN_DUPLEX_CHANNEL,
            ...BARE_IDS,
            'paperclip.lease.shape': 'non_plugin',
            'error.type': 'unsupported-driver-operation',
            'paperclip.error.background_tag': 'unsupported-driver-operation',
            'paperclip.error.slug': 'sandbox-lease-does-not-grant-duplex-command-stream',
          },
          events: [exception('Error', NOT_GRANTED)],
        }),
      ],
      metrics: [
        durations({
          ...OPEN_DUPLEX_CHANNEL,
          'paperclip.lease.shape': 'non_plugin',
          'error.type': 'unsupported-driver-operation',
        }),
      ],
      logs: [],
    });
  });

  test.each(['driver', 'service'])(
    'by a worker with a frozen error gives the caller of the %s that error',
    (level) => {
      const { seen, exported } = stepOf(played, `${level}: frozen error of the worker`);
      const { rejected } = rejectedWith('the provider is out of capacity');
      expect(seen).toEqual({ isPromise: true, rejected: { ...rejected, isFrozen: true } });
      expect(exported.spans.map(({ name, status, events }) => ({ name, status, events }))).toEqual([
        { name: 'open_duplex_channel sandbox', status: failed(), events: [] },
      ]);
      expect(exported.metrics).toEqual([
        durations({
          ...OPEN_DUPLEX_CHANNEL,
          'paperclip.lease.shape': 'plugin_complete',
          'error.type': 'Error',
        }),
      ]);
    },
  );
});
