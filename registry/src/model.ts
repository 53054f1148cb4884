/**
 * The registry in Weaver's format: a manifest and files of groups, version 1 of the format, the stable one
 * (`schemas/semconv-syntax.md` of open-telemetry/weaver).
 */
import {
  EVENT_EXCEPTION,
  EVENT_PAPERCLIP_ENVIRONMENT_OPERATION_EXCEPTION,
  type MetricDefinition,
} from '../../src/semconv.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../src/version.js';
import { ATTRIBUTES, type AttributeDefinition } from './attributes.js';
import {
  type AttributeUse,
  LOG_ATTRIBUTES,
  METRICS,
  type Presence,
  pointAttributes,
  SPAN_ATTRIBUTES,
} from './signals.js';
import type { Value } from './values.js';

/** The release of OpenTelemetry's conventions that ours follow and take attributes from. */
export const OTEL_SEMCONV = '1.43.0';

const STABILITY = 'development';

/** Content of each file, by its name. */
export function model(): Record<string, object> {
  return {
    'manifest.yaml': MANIFEST,
    'attributes.yaml': { groups: [attributeGroup()] },
    'spans.yaml': { groups: [SPAN] },
    'metrics.yaml': { groups: METRICS.map(metricGroup) },
    'events.yaml': { groups: [LOG_EVENT], imports: { events: [EVENT_EXCEPTION] } },
  };
}

/** `schema_url` identifies this version of the registry; nothing is at that address. */
const MANIFEST = {
  schema_url: `https://unpkg.com/${PACKAGE_NAME}/registry/${PACKAGE_VERSION}`,
  description: 'Lease operations of Paperclip, which runs AI agents in leased sandboxes.',
  stability: STABILITY,
  dependencies: [
    {
      schema_url: `https://opentelemetry.io/schemas/${OTEL_SEMCONV}`,
      registry_path: `https://github.com/open-telemetry/semantic-conventions@v${OTEL_SEMCONV}[model]`,
    },
  ],
};

const SPAN = {
  id: 'span.paperclip.environment.operation',
  type: 'span',
  span_kind: 'internal',
  stability: STABILITY,
  brief: "One call of a lease method on Paperclip's environment runtime service or on one of its drivers.",
  note: 'Name: `{operation name} {driver}`; the operation name alone where there is no driver. The status is unset on success and `ERROR` on failure.',
  attributes: SPAN_ATTRIBUTES.map(reference),
};

const LOG_EVENT = {
  id: `event.${EVENT_PAPERCLIP_ENVIRONMENT_OPERATION_EXCEPTION}`,
  type: 'event',
  name: EVENT_PAPERCLIP_ENVIRONMENT_OPERATION_EXCEPTION,
  stability: STABILITY,
  brief: 'An exception that left a lease operation.',
  note: 'A log record of severity WARN (13), with `OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN` set to `logs` or `logs/dup`.',
  attributes: LOG_ATTRIBUTES.map(reference),
};

function attributeGroup() {
  return {
    id: 'registry.paperclip',
    type: 'attribute_group',
    display_name: 'Paperclip Attributes',
    brief: 'Attributes of the lease operations of Paperclip.',
    attributes: ATTRIBUTES.map(definition),
  };
}

function metricGroup(metric: MetricDefinition) {
  const { name, instrument, unit, description, boundaries } = metric;
  return {
    id: `metric.${name}`,
    type: 'metric',
    metric_name: name,
    instrument,
    unit,
    stability: STABILITY,
    brief: description,
    ...(boundaries && { note: `Advised bucket boundaries: ${boundaries.join(', ')}.` }),
    attributes: pointAttributes(metric).map(reference),
  };
}

function definition({ name, type, brief, values, examples }: AttributeDefinition) {
  return {
    id: name,
    type: values === undefined ? type : { members: values.map(member) },
    stability: STABILITY,
    brief,
    ...(examples && { examples }),
  };
}

function member({ value, meaning }: Value) {
  return { id: memberId(value), value, ...(meaning && { brief: meaning }), stability: STABILITY };
}

/** Names of code are made from it. `_OTHER` stays apart from Paperclip's own `other`. */
function memberId(value: string): string {
  return value.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
}

function reference({ name, presence, atStart }: AttributeUse) {
  return {
    ref: name,
    requirement_level: requirementLevel(presence),
    ...(atStart && { sampling_relevant: true }),
  };
}

function requirementLevel(presence: Presence) {
  if (presence === 'always') return 'required';
  return presence === 'known' ? 'recommended' : { conditionally_required: presence.where };
}
