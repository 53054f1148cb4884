/** What each attribute of our own means. Texts are Markdown, and stand in the registry and in the tables alike. */
import * as semconv from '../../src/semconv.js';
import {
  CHANNEL_END_MEANINGS,
  DUPLEX_OUTCOME_MEANINGS,
  LEASE_END_MEANINGS,
  LEASE_RUN_MEANINGS,
  listed,
  REACQUIRE_MEANINGS,
  RECOVERY_MEANINGS,
  SHAPE_MEANINGS,
  TAG_MEANINGS,
  type Value,
} from './values.js';

export interface AttributeDefinition {
  readonly name: string;
  readonly type: 'string' | 'double' | 'boolean';
  /** A sentence. */
  readonly brief: string;
  /** Every value that the attribute has, unless `brief` tells who adds to them. */
  readonly values?: readonly Value[];
  /** Of what has no `values`. */
  readonly examples?: readonly unknown[];
}

const OTHER = semconv.VALUE_OTHER;
const TAGS = [semconv.TAG_UNSUPPORTED_DRIVER_OPERATION, semconv.TAG_MISSING_METADATA_FIELD] as const;

/** In the order of the tables. */
export const ATTRIBUTES: readonly AttributeDefinition[] = [
  {
    name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
    type: 'string',
    brief: 'The lease operation.',
    values: listed(semconv.OPERATION_NAMES),
  },
  {
    name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN,
    type: 'boolean',
    brief: '`true` where nobody can say whether the operation failed, nor how long it took.',
  },
  {
    name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_ID,
    type: 'string',
    brief: 'Id of the environment.',
    examples: ['env_7f3a'],
  },
  {
    name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
    type: 'string',
    brief: 'Environment driver.',
    values: listed([...semconv.DRIVERS, OTHER]),
  },
  {
    name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
    type: 'string',
    brief:
      "Provider key of the lease or of the environment's config. The drivers `local` and `ssh` have none. The option `providers` adds to the known ones.",
    values: listed([...semconv.PROVIDERS, OTHER]),
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_ID,
    type: 'string',
    brief: 'Id of the lease.',
    examples: ['lease_19c2'],
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_PROVIDER_LEASE_ID,
    type: 'string',
    brief:
      "The provider's own id of the sandbox, of the drivers `sandbox` and `plugin`. At most 128 characters of `A-Z a-z 0-9 . _ : -`; any other id is left out.",
    examples: ['sandbox-5e1f'],
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_STATUS,
    type: 'string',
    brief: 'Status of the lease that the operation returned, else of the one that it was given.',
    values: listed([...semconv.LEASE_STATUSES, OTHER]),
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_POLICY,
    type: 'string',
    brief: 'Reuse policy of the lease.',
    values: listed([...semconv.LEASE_POLICIES, OTHER]),
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_SHAPE,
    type: 'string',
    brief: 'What the lease carries of that which a duplex channel needs.',
    values: listed(semconv.LEASE_SHAPES, SHAPE_MEANINGS),
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
    type: 'string',
    brief: `Which of ${semconv.LEASE_IDENTITY_FIELDS.map((field) => `\`${field}\``).join(', ')} the lease lacks, in this order, joined by commas.`,
    examples: [semconv.LEASE_IDENTITY_FIELDS.join(',')],
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_AGE,
    type: 'double',
    brief: "Seconds from the lease's `acquiredAt` to the operation's start.",
    examples: [12.5],
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_TIME_TO_EXPIRY,
    type: 'double',
    brief: "Seconds from the operation's start to the lease's `expiresAt`; negative where it has passed.",
    examples: [3587.5],
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
    type: 'string',
    brief: 'How the acquired lease came about, as its `metadata.sandboxLeaseAcquisition.outcome` says.',
    values: listed([...semconv.ACQUISITION_OUTCOMES, OTHER]),
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_CLEANUP_STATUS,
    type: 'string',
    brief: 'Whether the provider gave the sandbox up, as the `cleanupStatus` of the returned lease says.',
    values: listed([...semconv.CLEANUP_STATUSES, OTHER]),
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_END,
    type: 'string',
    brief: 'How the lease ended.',
    values: listed(semconv.LEASE_ENDS, LEASE_END_MEANINGS),
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_RUN,
    type: 'string',
    brief: 'Whether the run that the lease is for is over.',
    values: [
      ...listed(semconv.LEASE_RUNS, LEASE_RUN_MEANINGS),
      { value: OTHER, meaning: 'Its status is not known here.' },
    ],
  },
  {
    name: semconv.ATTR_PAPERCLIP_COMPANY_ID,
    type: 'string',
    brief: 'Company that owns the lease.',
    examples: ['company_1'],
  },
  {
    name: semconv.ATTR_PAPERCLIP_AGENT_ID,
    type: 'string',
    brief: 'Agent that the lease is for.',
    examples: ['agent_1'],
  },
  {
    name: semconv.ATTR_PAPERCLIP_ISSUE_ID,
    type: 'string',
    brief: 'Issue that the lease is for.',
    examples: ['issue_1'],
  },
  {
    name: semconv.ATTR_PAPERCLIP_RUN_ID,
    type: 'string',
    brief: 'Heartbeat run that the lease is for.',
    examples: ['run_1'],
  },
  {
    name: semconv.ATTR_PAPERCLIP_EXECUTE_TIMED_OUT,
    type: 'boolean',
    brief: 'Whether the command ran into its time limit.',
  },
  {
    name: semconv.ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG,
    type: 'string',
    brief:
      '`backgroundTag` of the catalog record that matched the error. Records of an operator may add to the known ones.',
    values: listed(TAGS, TAG_MEANINGS),
  },
  {
    name: semconv.ATTR_PAPERCLIP_ERROR_SLUG,
    type: 'string',
    brief: 'Slug of the catalog record that matched the error.',
    examples: ['sandbox-driver-does-not-support-duplex-channels-fo'],
  },
  {
    name: semconv.ATTR_PAPERCLIP_RECOVERY_KIND,
    type: 'string',
    brief: 'What this operation is the recovery by. Its span links to the one of the failure.',
    values: listed(semconv.RECOVERY_KINDS, RECOVERY_MEANINGS),
  },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
    type: 'string',
    brief: 'How the re-acquire ended.',
    values: listed(semconv.REACQUIRE_OUTCOMES, REACQUIRE_MEANINGS),
  },
  {
    name: semconv.ATTR_PAPERCLIP_DUPLEX_OUTCOME,
    type: 'string',
    brief: 'How the duplex request ended.',
    values: listed(semconv.DUPLEX_OUTCOMES, DUPLEX_OUTCOME_MEANINGS),
  },
  {
    name: semconv.ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
    type: 'string',
    brief:
      'Why the work was done another way: as Paperclip reports it, else the `error.type` of the refused open.',
    values: listed([...semconv.FALLBACK_REASONS, ...TAGS, OTHER]),
  },
  {
    name: semconv.ATTR_PAPERCLIP_DUPLEX_CHANNEL_END,
    type: 'string',
    brief: 'How the channel ended.',
    values: listed(semconv.CHANNEL_ENDS, CHANNEL_END_MEANINGS),
  },
  {
    name: semconv.ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS,
    type: 'string',
    brief: 'Whether requests had been dispatched when the channel was lost.',
    values: listed([...semconv.LOSS_CLASSES, OTHER]),
  },
  {
    name: semconv.ATTR_PAPERCLIP_DUPLEX_LOSS_REASON,
    type: 'string',
    brief: 'Why the channel was lost.',
    values: listed([...semconv.LOSS_REASONS, OTHER]),
  },
  {
    name: semconv.ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME,
    type: 'string',
    brief: 'Whether the request was forwarded over the channel.',
    values: listed([...semconv.FORWARD_OUTCOMES, OTHER]),
  },
];

/** The definition of one of our attributes; `undefined` for one of OpenTelemetry's. */
export function definitionOf(name: string): AttributeDefinition | undefined {
  return ATTRIBUTES.find((attribute) => attribute.name === name);
}
