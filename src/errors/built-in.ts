/**
 * The built-in error records. Messages and patterns are those of Paperclip's
 * `server/src/services/environment-runtime.ts`, in every version published since 2026.427.0
 * (`plugin-environment-driver.ts` has no message of these two kinds). Left out on purpose: messages that
 * say a plug-in or its worker is not there or not ready, which pass by themselves or need an operator.
 *
 * A message without a variable part is written once, as `errorMessage`, and its pattern is made from it.
 * A message with one has a pattern only: what stands in the gap may be an id, so it is never recorded.
 *
 * Each pattern matches a whole message. Paperclip puts nothing around these messages on their way to a caller; where it
 * makes a new error of one (`EnvironmentRunError`, `ReusableSandboxResumeError`), the old one is its `cause`. A message
 * with more text is likely to be a provider's, and may quote what an agent printed.
 */

import { escapeRegExp } from '../base/text.js';
import { type LeaseShape, TAG_MISSING_METADATA_FIELD, TAG_UNSUPPORTED_DRIVER_OPERATION } from '../semconv.js';
import type { ErrorRecord } from './record.js';

interface Kind {
  readonly backgroundTag: string;
  readonly handlingStrategy: string;
}

/** The caller checks the lease's type first, or falls back to one-shot `execute`. */
const UNSUPPORTED: Kind = {
  backgroundTag: TAG_UNSUPPORTED_DRIVER_OPERATION,
  handlingStrategy: 'type-guard',
};
/** The caller validates the lease's fields first, or acquires a fresh lease and tries once more. */
const MISSING: Kind = { backgroundTag: TAG_MISSING_METADATA_FIELD, handlingStrategy: 'validation' };

/** The shape of the leases on which Paperclip throws errors of a kind; a lease of another shape is no sign of it. */
export const SHAPE_OF_TAG: Readonly<Record<string, LeaseShape>> = {
  [TAG_UNSUPPORTED_DRIVER_OPERATION]: 'non_plugin',
  [TAG_MISSING_METADATA_FIELD]: 'plugin_incomplete',
};

/** Records of the public data set, against our own that extend its tags to sibling messages. */
const PUBLISHED = 'published';
const DERIVED = 'derived';
const GAP = '"[^"]*"';

export const BUILT_IN_RECORDS: readonly ErrorRecord[] = [
  // The two records that the project started from.
  fixed(
    UNSUPPORTED,
    'sandbox-driver-does-not-support-duplex-channels-fo',
    'Sandbox driver does not support duplex channels for this lease.',
    PUBLISHED,
  ),
  fixed(
    MISSING,
    'sandbox-duplex-channel-needs-a-plugin-id-a-provid',
    'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.',
    PUBLISHED,
  ),

  // The sandbox driver cannot do this on a lease of this kind.
  fixed(
    UNSUPPORTED,
    'sandbox-driver-does-not-support-native-file-sync',
    'Sandbox driver does not support native file sync for this lease.',
  ),
  fixed(
    UNSUPPORTED,
    'sandbox-driver-does-not-support-direct-execution',
    'Sandbox driver does not support direct command execution for built-in providers.',
  ),
  fixed(
    UNSUPPORTED,
    'sandbox-driver-does-not-support-runner-ingress',
    'Sandbox driver does not support runner ingress for this lease.',
  ),

  // The service refuses before it asks the driver: the lease does not grant the capability.
  fixed(
    UNSUPPORTED,
    'sandbox-lease-does-not-grant-duplex-command-stream',
    'Sandbox lease does not grant the duplex command stream capability.',
  ),
  fixed(
    UNSUPPORTED,
    'sandbox-lease-does-not-grant-runner-ingress',
    'Sandbox lease does not grant runner WebSocket ingress.',
  ),

  // The service refuses because the driver has no such method.
  ...[
    'lease resume',
    'lease destroy',
    'workspace realization',
    'command execution',
    'native file sync',
    'duplex channels',
    'runner ingress',
    'orphan sandbox teardown',
  ].map((operation) =>
    variable(
      UNSUPPORTED,
      `environment-driver-does-not-support-${operation.replaceAll(' ', '-')}`,
      `Environment driver ${GAP} does not support ${operation}\\.`,
    ),
  ),

  // The lease lacks what names its plug-in, its provider or the provider's own lease.
  fixed(
    MISSING,
    'sandbox-lease-is-missing-metadata-for-file-sync',
    'Sandbox lease is missing plugin/provider metadata for native file sync.',
  ),
  fixed(
    MISSING,
    'sandbox-runner-ingress-is-missing-provider-identity',
    'Sandbox runner ingress is missing its provider identity.',
  ),
  variable(
    MISSING,
    'plugin-environment-lease-has-no-provider-lease-id',
    `Plugin environment lease ${GAP} does not have a provider lease id to resume\\.`,
  ),
  variable(
    MISSING,
    'plugin-environment-driver-is-missing-a-driver-key',
    `Plugin environment driver ${GAP} is missing a driver key\\.`,
  ),
  variable(
    MISSING,
    'pending-cleanup-lease-has-no-recorded-provider',
    `Pending-cleanup lease ${GAP} has no recorded provider for teardown\\.`,
  ),
  variable(
    MISSING,
    'pending-cleanup-lease-has-no-recorded-config',
    `Pending-cleanup lease ${GAP} has no recorded config for provider ${GAP}\\.`,
  ),
];

function fixed(kind: Kind, slug: string, errorMessage: string, origin = DERIVED): ErrorRecord {
  const messagePattern = wholeMessage(escapeRegExp(errorMessage));
  return { schemaVersion: 2, slug, errorMessage, messagePattern, ...kind, origin };
}

function variable(kind: Kind, slug: string, pattern: string): ErrorRecord {
  const messagePattern = wholeMessage(pattern);
  return { schemaVersion: 2, slug, errorMessage: null, messagePattern, ...kind, origin: DERIVED };
}

function wholeMessage(pattern: string): string {
  return `^${pattern}$`;
}

/** The pattern of a built-in record, for messages that have more text around it. */
export function partOfMessage({ messagePattern }: ErrorRecord): string {
  return String(messagePattern).slice(1, -1);
}
