/** What a cell must print: every span and every point, with all attributes. */
import { NODE, PAPERCLIP } from './dimensions.mjs';

const REFUSED = [
  {
    operation: 'execute',
    message: 'Sandbox driver does not support direct command execution for built-in providers.',
    type: 'unsupported-driver-operation',
    slug: 'sandbox-driver-does-not-support-direct-execution',
    shape: 'non_plugin',
  },
  {
    operation: 'open_duplex_channel',
    message: 'Sandbox driver does not support duplex channels for this lease.',
    type: 'unsupported-driver-operation',
    slug: 'sandbox-driver-does-not-support-duplex-channels-fo',
    shape: 'non_plugin',
  },
  {
    operation: 'open_duplex_channel',
    message:
      'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.',
    type: 'missing-metadata-field',
    slug: 'sandbox-duplex-channel-needs-a-plugin-id-a-provid',
    shape: 'plugin_incomplete',
    missing: 'metadata.pluginId,metadata.provider,providerLeaseId',
  },
];

export function expected({ paperclip, node }) {
  const { isDuplex } = PAPERCLIP[paperclip];
  const refused = isDuplex ? REFUSED : REFUSED.filter(({ operation }) => operation === 'execute');
  return {
    node: `v${NODE[node]}`,
    errors: refused.map(({ message }) => message),
    ...(isDuplex ? { isOperationParent: true } : {}),
    spans: [...refused.map(span), ...(isDuplex ? [RESUMED] : [])],
    metrics: [
      metric('paperclip.environment.operation.duration', [
        ...refused.map(duration),
        ...(isDuplex ? [[{ ...OF_RESUMED, ...NO_LEASE }, 1]] : []),
      ]),
      metric('paperclip.environment.operation.active', [
        ...[...new Set(refused.map(({ operation }) => operation))].map((operation) => [
          subject(operation),
          0,
        ]),
        ...(isDuplex ? [[OF_RESUMED, 0]] : []),
      ]),
      ...(isDuplex ? [metric('paperclip.duplex.requests', [[OPENED, 1]])] : []),
    ],
  };
}

const OPENED = {
  'paperclip.environment.provider': 'daytona',
  'paperclip.duplex.outcome': 'opened',
};

/** The operation in which the step was read. */
const OF_RESUMED = {
  'paperclip.environment.operation.name': 'resume_run_lease',
  'paperclip.environment.driver': 'local',
};
const NO_LEASE = { 'paperclip.lease.shape': 'absent' };
const RESUMED = {
  name: 'resume_run_lease local',
  status: 0,
  attributes: { ...OF_RESUMED, ...NO_LEASE, 'paperclip.environment.id': 'environment-1' },
};

function subject(operation) {
  return { 'paperclip.environment.operation.name': operation, 'paperclip.environment.driver': 'sandbox' };
}

function duration({ operation, type, shape }) {
  return [{ ...subject(operation), 'paperclip.lease.shape': shape, 'error.type': type }, 1];
}

function span({ operation, type, slug, shape, missing }) {
  return {
    name: `${operation} sandbox`,
    status: 2,
    attributes: {
      ...subject(operation),
      'paperclip.company.id': 'company-1',
      'paperclip.environment.id': 'environment-1',
      'paperclip.lease.id': 'lease-1',
      'paperclip.lease.shape': shape,
      ...(missing === undefined ? {} : { 'paperclip.lease.missing_fields': missing }),
      'error.type': type,
      'paperclip.error.background_tag': type,
      'paperclip.error.slug': slug,
    },
  };
}

function metric(name, points) {
  return { name, points: points.map(([attributes, value]) => ({ attributes, value })) };
}
