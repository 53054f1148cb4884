import { beforeAll, describe, expect, test } from 'vitest';
import { exception, failed } from './expected.js';
import { NODES, type Played, play, stepOf } from './harness.js';

interface Sibling {
  step: string;
  span: string;
  slug: string;
  message: string;
  /** The message has a name in it, which is not recorded. */
  holdsName?: boolean;
}

const FILE_SYNC = 'Sandbox driver does not support native file sync for this lease.';
const NO_METADATA = 'Sandbox lease is missing plugin/provider metadata for native file sync.';

const UNSUPPORTED: Sibling[] = [
  {
    step: 'sync_in, no plug-in',
    span: 'sync_in sandbox',
    slug: 'sandbox-driver-does-not-support-native-file-sync',
    message: FILE_SYNC,
  },
  {
    step: 'sync_out, no plug-in',
    span: 'sync_out sandbox',
    slug: 'sandbox-driver-does-not-support-native-file-sync',
    message: FILE_SYNC,
  },
  {
    step: 'execute, built-in provider',
    span: 'execute sandbox',
    slug: 'sandbox-driver-does-not-support-direct-execution',
    message: 'Sandbox driver does not support direct command execution for built-in providers.',
  },
  {
    step: 'ingress, no plug-in',
    span: 'get_runner_ingress_endpoint sandbox',
    slug: 'sandbox-driver-does-not-support-runner-ingress',
    message: 'Sandbox driver does not support runner ingress for this lease.',
  },
  {
    step: 'ingress, not granted',
    span: 'get_runner_ingress_endpoint sandbox',
    slug: 'sandbox-lease-does-not-grant-runner-ingress',
    message: 'Sandbox lease does not grant runner WebSocket ingress.',
  },
  missingMethod('resume', 'resume_run_lease local', 'lease resume'),
  missingMethod('destroy', 'destroy_run_lease local', 'lease destroy'),
  missingMethod('execute', 'execute local', 'command execution'),
  missingMethod('sync_in', 'sync_in local', 'native file sync'),
  missingMethod('sync_out', 'sync_out local', 'native file sync'),
  missingMethod('duplex', 'open_duplex_channel local', 'duplex channels'),
  missingMethod('teardown', 'retry_pending_sandbox_teardown local', 'orphan sandbox teardown'),
  missingMethod('ingress', 'get_runner_ingress_endpoint plugin', 'runner ingress'),
  missingMethod('realize', 'realize_workspace ssh', 'workspace realization'),
];

const MISSING: Sibling[] = [
  {
    step: 'sync_in, incomplete',
    span: 'sync_in sandbox',
    slug: 'sandbox-lease-is-missing-metadata-for-file-sync',
    message: NO_METADATA,
  },
  {
    step: 'sync_out, incomplete',
    span: 'sync_out sandbox',
    slug: 'sandbox-lease-is-missing-metadata-for-file-sync',
    message: NO_METADATA,
  },
  {
    step: 'ingress, incomplete',
    span: 'get_runner_ingress_endpoint sandbox',
    slug: 'sandbox-runner-ingress-is-missing-provider-identity',
    message: 'Sandbox runner ingress is missing its provider identity.',
  },
  {
    step: 'teardown, no recorded provider',
    span: 'retry_pending_sandbox_teardown sandbox',
    slug: 'pending-cleanup-lease-has-no-recorded-provider',
    message: 'Pending-cleanup lease "lease-1" has no recorded provider for teardown.',
    holdsName: true,
  },
  {
    step: 'teardown, no recorded config',
    span: 'retry_pending_sandbox_teardown sandbox',
    slug: 'pending-cleanup-lease-has-no-recorded-config',
    message: 'Pending-cleanup lease "lease-1" has no recorded config for provider "daytona".',
    holdsName: true,
  },
  {
    step: 'resume, no provider lease id',
    span: 'resume_run_lease plugin',
    slug: 'plugin-environment-lease-has-no-provider-lease-id',
    message: 'Plugin environment lease "lease-1" does not have a provider lease id to resume.',
    holdsName: true,
  },
  {
    step: 'execute, no driver key',
    span: 'execute plugin',
    slug: 'plugin-environment-driver-is-missing-a-driver-key',
    message: 'Plugin environment driver "acme.sandboxes:unknown" is missing a driver key.',
    holdsName: true,
  },
];

/** A sample of those that pass by themselves, or that need an operator rather than another call. */
const OTHER = [
  [
    'other: driver not registered',
    'Environment driver "gone" is not registered in the environment runtime yet.',
  ],
  ['other: environment not active', 'Environment "Sandbox" is not active.'],
  ['other: worker not running', 'Plugin worker "gone" is not running for the duplex channel.'],
  ['other: driver not declared', 'Plugin "acme.sandboxes" does not declare environment driver "undeclared".'],
] as const;

function missingMethod(step: string, span: string, what: string): Sibling {
  const driver = span.split(' ')[1];
  return {
    step: `${step}, method missing`,
    span,
    slug: `environment-driver-does-not-support-${what.replaceAll(' ', '-')}`,
    message: `Environment driver "${driver}" does not support ${what}.`,
    holdsName: true,
  };
}

describe.each(NODES)('messages that the real code throws, on $name', ({ path }) => {
  let played: Played;
  beforeAll(async () => {
    played = await play({ node: path, scenarios: ['siblings'] });
  });

  describe.each([
    ['unsupported-driver-operation', UNSUPPORTED],
    ['missing-metadata-field', MISSING],
  ] as const)('are of the kind %s:', (tag, siblings) => {
    test.each(siblings)('$step', ({ step, span, slug, message, holdsName = false }) => {
      const { seen, exported } = stepOf(played, step);
      expect(seen.rejected).toMatchObject({ message, isTheOneThatWasMade: true });
      expect(exported.spans).toEqual([
        expect.objectContaining({
          name: span,
          status: failed(holdsName ? undefined : message),
          attributes: expect.objectContaining({
            'error.type': tag,
            'paperclip.error.background_tag': tag,
            'paperclip.error.slug': slug,
          }),
          events: [holdsName ? exception('Error') : exception('Error', message)],
        }),
      ]);
      expect(exported.metrics[0]?.points).toEqual([
        expect.objectContaining({ count: 1, attributes: expect.objectContaining({ 'error.type': tag }) }),
      ]);
    });
  });

  test.each(OTHER)('are of neither kind: %s', (step, message) => {
    const { seen, exported } = stepOf(played, step);
    expect(seen.rejected).toMatchObject({ message, isTheOneThatWasMade: true });
    const [only, ...more] = exported.spans;
    expect(more).toEqual([]);
    expect(only?.status).toEqual(failed());
    expect(only?.events).toEqual([]);
    expect(only?.attributes).toMatchObject({ 'error.type': 'Error' });
    expect(Object.keys(only?.attributes ?? {})).not.toContain('paperclip.error.background_tag');
    expect(Object.keys(only?.attributes ?? {})).not.toContain('paperclip.error.slug');
  });
});
