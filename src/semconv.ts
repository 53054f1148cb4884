/**
 * Every name this package emits: attributes, their closed sets of values, metrics and events.
 * `docs/semantic-conventions.md` has their meaning. A name changes only together with every place
 * that uses it and a line in CHANGELOG.md.
 */

/** The lease operation that a span or a point is about; one of {@link OPERATION_NAMES}. */
export const ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME = 'paperclip.environment.operation.name';
/** `true` where nobody can say whether the operation failed, nor how long it took (spans only). */
export const ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN =
  'paperclip.environment.operation.outcome_unknown';
/** Id of the environment (spans only). */
export const ATTR_PAPERCLIP_ENVIRONMENT_ID = 'paperclip.environment.id';
/** Environment driver; one of {@link DRIVERS}, else {@link VALUE_OTHER}. */
export const ATTR_PAPERCLIP_ENVIRONMENT_DRIVER = 'paperclip.environment.driver';
/** Provider key, if it is one of {@link PROVIDERS} or of the operator's own list, else {@link VALUE_OTHER}. */
export const ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER = 'paperclip.environment.provider';
/** Id of the lease (spans only). */
export const ATTR_PAPERCLIP_LEASE_ID = 'paperclip.lease.id';
/** The provider's own id of the sandbox (spans only). */
export const ATTR_PAPERCLIP_LEASE_PROVIDER_LEASE_ID = 'paperclip.lease.provider_lease_id';
/** Status of the lease that came back, else of the one that was given; one of {@link LEASE_STATUSES}, else {@link VALUE_OTHER}. */
export const ATTR_PAPERCLIP_LEASE_STATUS = 'paperclip.lease.status';
/** Reuse policy of the lease; one of {@link LEASE_POLICIES}, else {@link VALUE_OTHER}. */
export const ATTR_PAPERCLIP_LEASE_POLICY = 'paperclip.lease.policy';
/** What the lease carries of that which a duplex channel needs; one of {@link LEASE_SHAPES}. */
export const ATTR_PAPERCLIP_LEASE_SHAPE = 'paperclip.lease.shape';
/** Whether the provider gave the sandbox up; one of {@link CLEANUP_STATUSES}, else {@link VALUE_OTHER}. */
export const ATTR_PAPERCLIP_LEASE_CLEANUP_STATUS = 'paperclip.lease.cleanup.status';
/** Those of {@link LEASE_IDENTITY_FIELDS} that the lease lacks, in their order, joined by commas; only with the shape `plugin_incomplete`. */
export const ATTR_PAPERCLIP_LEASE_MISSING_FIELDS = 'paperclip.lease.missing_fields';
/** Seconds from the lease's `acquiredAt` to the operation's start. */
export const ATTR_PAPERCLIP_LEASE_AGE = 'paperclip.lease.age';
/** Seconds from the operation's start to the lease's `expiresAt`; negative once that has passed. */
export const ATTR_PAPERCLIP_LEASE_TIME_TO_EXPIRY = 'paperclip.lease.time_to_expiry';
/** How an acquired lease came about; one of {@link ACQUISITION_OUTCOMES}. */
export const ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME = 'paperclip.lease.acquisition.outcome';
/** How a lease ended; one of {@link LEASE_ENDS}. */
export const ATTR_PAPERCLIP_LEASE_END = 'paperclip.lease.end';
/** Whether the run that the lease is for is over; one of {@link LEASE_RUNS}, else {@link VALUE_OTHER} (metrics only). */
export const ATTR_PAPERCLIP_LEASE_RUN = 'paperclip.lease.run';
/** Company that owns the lease (spans only). */
export const ATTR_PAPERCLIP_COMPANY_ID = 'paperclip.company.id';
/** Agent that the lease is for (spans only). */
export const ATTR_PAPERCLIP_AGENT_ID = 'paperclip.agent.id';
/** Issue that the lease is for (spans only). */
export const ATTR_PAPERCLIP_ISSUE_ID = 'paperclip.issue.id';
/** Heartbeat run that the lease is for (spans only). */
export const ATTR_PAPERCLIP_RUN_ID = 'paperclip.run.id';
/** Whether the command of an `execute` ran into its time limit. */
export const ATTR_PAPERCLIP_EXECUTE_TIMED_OUT = 'paperclip.execute.timed_out';
/** `backgroundTag` of the catalog record that matched the error. */
export const ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG = 'paperclip.error.background_tag';
/** Slug of the catalog record that matched the error. */
export const ATTR_PAPERCLIP_ERROR_SLUG = 'paperclip.error.slug';

/** What this operation is the recovery by; one of {@link RECOVERY_KINDS}. Its span links to the failure's. */
export const ATTR_PAPERCLIP_RECOVERY_KIND = 'paperclip.recovery.kind';
/** How a re-acquire ended; one of {@link REACQUIRE_OUTCOMES}. */
export const ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME = 'paperclip.lease.reacquire.outcome';
/** How a duplex request ended; one of {@link DUPLEX_OUTCOMES}. */
export const ATTR_PAPERCLIP_DUPLEX_OUTCOME = 'paperclip.duplex.outcome';
/** Why the work was done another way; one of {@link FALLBACK_REASONS}, else the `error.type` of the refused open. */
export const ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON = 'paperclip.duplex.fallback.reason';
/** How a duplex channel ended; one of {@link CHANNEL_ENDS}. */
export const ATTR_PAPERCLIP_DUPLEX_CHANNEL_END = 'paperclip.duplex.channel.end';
/** Whether requests had been dispatched when the channel was lost; one of {@link LOSS_CLASSES}. */
export const ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS = 'paperclip.duplex.loss.class';
/** Why a channel was lost; one of {@link LOSS_REASONS}. */
export const ATTR_PAPERCLIP_DUPLEX_LOSS_REASON = 'paperclip.duplex.loss.reason';
/** Whether a request was forwarded over the channel; one of {@link FORWARD_OUTCOMES}. */
export const ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME = 'paperclip.duplex.forward.outcome';

/** `transmit` to the sandbox, `receive` from it. OpenTelemetry semantic conventions, `network` registry. */
export const ATTR_NETWORK_IO_DIRECTION = 'network.io.direction';
/** Exit code of the command of an `execute`. OpenTelemetry semantic conventions, `process` registry. */
export const ATTR_PROCESS_EXIT_CODE = 'process.exit.code';
/** Class of the failure; absent on success. OpenTelemetry semantic conventions, `error` registry. */
export const ATTR_ERROR_TYPE = 'error.type';
/** OpenTelemetry semantic conventions, `exception` registry. */
export const ATTR_EXCEPTION_TYPE = 'exception.type';
/** OpenTelemetry semantic conventions, `exception` registry. */
export const ATTR_EXCEPTION_MESSAGE = 'exception.message';
/** OpenTelemetry semantic conventions, `exception` registry. */
export const ATTR_EXCEPTION_STACKTRACE = 'exception.stacktrace';

/** Name of the span event that records an exception. */
export const EVENT_EXCEPTION = 'exception';
/** Event name of the log record that records an exception. */
export const EVENT_PAPERCLIP_ENVIRONMENT_OPERATION_EXCEPTION = 'paperclip.environment.operation.exception';

/** Stands for every value outside a closed set. */
export const VALUE_OTHER = '_OTHER';

/** Values of {@link ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME}. */
export const OPERATION_NAMES = [
  'acquire_run_lease',
  'release_run_leases',
  'release_run_lease',
  'resume_run_lease',
  'destroy_run_lease',
  'realize_workspace',
  'execute',
  'sync_in',
  'sync_out',
  'open_duplex_channel',
  'get_runner_ingress_endpoint',
  'retry_pending_sandbox_teardown',
] as const;
export type OperationName = (typeof OPERATION_NAMES)[number];

/** Values of {@link ATTR_PAPERCLIP_ENVIRONMENT_DRIVER}: Paperclip's `EnvironmentDriver`. */
export const DRIVERS = ['local', 'ssh', 'sandbox', 'plugin'] as const;
/** The drivers that have no providers, and so no {@link ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER}. */
export const DRIVERS_WITHOUT_PROVIDER = ['local', 'ssh'] as const;
/** Provider keys that are recorded as they are; an operator adds to them with the option `providers`. */
export const PROVIDERS = [
  'daytona',
  'kubernetes',
  'e2b',
  'cloudflare',
  'exe-dev',
  'modal',
  'novita',
  'createos',
] as const;
/** Values of {@link ATTR_PAPERCLIP_LEASE_STATUS}: Paperclip's `EnvironmentLeaseStatus`. */
export const LEASE_STATUSES = [
  'active',
  'released',
  'expired',
  'failed',
  'retained',
  'pending_cleanup',
] as const;
/** Statuses of a lease that is not over: its sandbox is still there, or may be. */
export const HELD_LEASE_STATUSES = [
  'active',
  'retained',
  'pending_cleanup',
] as const satisfies readonly (typeof LEASE_STATUSES)[number][];
/** Values of {@link ATTR_PAPERCLIP_LEASE_RUN}. */
export const LEASE_RUNS = ['live', 'ended', 'none'] as const;
export type LeaseRun = (typeof LEASE_RUNS)[number];
/** Values of {@link ATTR_PAPERCLIP_LEASE_CLEANUP_STATUS}: Paperclip's `EnvironmentLeaseCleanupStatus`. */
export const CLEANUP_STATUSES = ['pending', 'success', 'failed'] as const;
/** Values of {@link ATTR_PAPERCLIP_LEASE_POLICY}: Paperclip's `EnvironmentLeasePolicy`. */
export const LEASE_POLICIES = [
  'ephemeral',
  'reuse_by_environment',
  'reuse_by_execution_workspace',
  'retain_on_failure',
] as const;
/** Values of {@link ATTR_PAPERCLIP_LEASE_SHAPE}. */
export const LEASE_SHAPES = ['plugin_complete', 'plugin_incomplete', 'non_plugin', 'absent'] as const;
export type LeaseShape = (typeof LEASE_SHAPES)[number];
/** What {@link ATTR_PAPERCLIP_LEASE_MISSING_FIELDS} names, in alphabetical order. */
export const LEASE_IDENTITY_FIELDS = ['metadata.pluginId', 'metadata.provider', 'providerLeaseId'] as const;
export type LeaseIdentityField = (typeof LEASE_IDENTITY_FIELDS)[number];
/** Values of {@link ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME}. */
export const ACQUISITION_OUTCOMES = ['created', 'resumed', 'replacement'] as const;
/** Values of {@link ATTR_PAPERCLIP_LEASE_END}. */
export const LEASE_ENDS = ['released', 'expired', 'failed', 'destroyed'] as const;
export type LeaseEnd = (typeof LEASE_ENDS)[number];

/** Values of {@link ATTR_PAPERCLIP_RECOVERY_KIND}. */
export const RECOVERY_KINDS = ['fallback', 'reacquire'] as const;
export type RecoveryKind = (typeof RECOVERY_KINDS)[number];
/** Values of {@link ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME}. */
export const REACQUIRE_OUTCOMES = [
  'succeeded',
  'acquire_failed',
  'still_incomplete',
  'operation_failed',
  'not_retried',
  'not_attempted',
] as const;
export type ReacquireOutcome = (typeof REACQUIRE_OUTCOMES)[number];
/** Outcomes of re-acquires that nobody tried to the end. They are in no rate. */
export const UNTRIED_REACQUIRE_OUTCOMES = [
  'not_retried',
  'not_attempted',
] as const satisfies readonly ReacquireOutcome[];
/** Values of {@link ATTR_PAPERCLIP_DUPLEX_OUTCOME}. */
export const DUPLEX_OUTCOMES = ['opened', 'fallback', 'failed', 'cancelled'] as const;
export type DuplexOutcome = (typeof DUPLEX_OUTCOMES)[number];
/** Values of {@link ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON} that Paperclip reports: `DuplexFallbackReason`. */
export const FALLBACK_REASONS = [
  'gate_off',
  'capability_absent',
  'route_busy',
  'entrypoint_sync_failed',
  'broker_construction_failed',
  'channel_open_failed',
  'ready_invalid',
  'ready_nonce_mismatch',
  'ready_timeout',
  'contaminated',
  'preface_missing',
] as const;
/**
 * Fallbacks by design: the run, its adapter or the provider was not meant to have a channel. They are not in the fallback
 * rate.
 */
export const FALLBACK_REASONS_BY_DESIGN = [
  'gate_off',
  'capability_absent',
] as const satisfies readonly (typeof FALLBACK_REASONS)[number][];
/** Values of {@link ATTR_PAPERCLIP_DUPLEX_CHANNEL_END}. */
export const CHANNEL_ENDS = ['exit', 'transport_closed', 'stopped', 'closed'] as const;
export type ChannelEnd = (typeof CHANNEL_ENDS)[number];
/** Values of {@link ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS}: Paperclip's `DuplexLossClass`. */
export const LOSS_CLASSES = ['pre_dispatch', 'post_dispatch'] as const;
/** Values of {@link ATTR_PAPERCLIP_DUPLEX_LOSS_REASON}: Paperclip's `DUPLEX_LOSS_REASONS`. */
export const LOSS_REASONS = [
  'stdin_eof',
  'provider_exit',
  'heartbeat_timeout',
  'rpc_failure',
  'write_error',
  'transport_closed',
  'other',
] as const;
/** Values of {@link ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME}. */
export const FORWARD_OUTCOMES = ['ok', 'error'] as const;
/** Values of {@link ATTR_NETWORK_IO_DIRECTION}. */
export const IO_DIRECTIONS = ['transmit', 'receive'] as const;
export type IoDirection = (typeof IO_DIRECTIONS)[number];

/** `backgroundTag` of errors that say the driver cannot do this; the caller falls back to `execute`. */
export const TAG_UNSUPPORTED_DRIVER_OPERATION = 'unsupported-driver-operation';
/** `backgroundTag` of errors that say the lease lacks a field; the caller acquires a fresh lease. */
export const TAG_MISSING_METADATA_FIELD = 'missing-metadata-field';

/** `error.type` of an `execute` whose command ran into its time limit. */
export const ERROR_TYPE_TIMEOUT = 'timeout';
/** `error.type` of a teardown that returned the lease with `cleanupStatus: "failed"`: the sandbox may still be there. */
export const ERROR_TYPE_LEASE_CLEANUP_FAILED = 'lease_cleanup_failed';
/** Values of {@link ATTR_ERROR_TYPE} for failures that Paperclip returns instead of throwing them. */
export const RETURNED_ERROR_TYPES = [ERROR_TYPE_TIMEOUT, ERROR_TYPE_LEASE_CLEANUP_FAILED] as const;
export type ReturnedErrorType = (typeof RETURNED_ERROR_TYPES)[number];

/** `error.type` of a call that a provider's plug-in did not answer in time: the name of Paperclip's JSON-RPC code. */
export const ERROR_TYPE_PLUGIN_TIMEOUT = 'TIMEOUT';

/** Definition of one metric: everything that a backend or a dashboard must know of it. */
export interface MetricDefinition {
  readonly name: string;
  readonly instrument: 'histogram' | 'counter' | 'updowncounter' | 'gauge';
  /** UCUM unit. */
  readonly unit: string;
  readonly description: string;
  /** Names of the attributes that its points may carry. */
  readonly attributes: readonly string[];
  /** Advised bucket boundaries in the metric's unit; histograms only. */
  readonly boundaries?: readonly number[];
}

/** Bucket boundaries in seconds for what takes milliseconds to minutes. */
const OPERATION_BOUNDARIES = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
] as const;
/** Bucket boundaries in seconds for what takes seconds to a day. */
const LIFETIME_BOUNDARIES = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14400, 43200, 86400] as const;

/** Duration of one lease operation. */
export const METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION = {
  name: 'paperclip.environment.operation.duration',
  instrument: 'histogram',
  unit: 's',
  description: 'Duration of lease operations on Paperclip environments.',
  attributes: [
    ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
    ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
    ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
    ATTR_PAPERCLIP_LEASE_SHAPE,
    ATTR_ERROR_TYPE,
    ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
  ],
  boundaries: OPERATION_BOUNDARIES,
} as const satisfies MetricDefinition;

/** Running lease operations. */
export const METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE = {
  name: 'paperclip.environment.operation.active',
  instrument: 'updowncounter',
  unit: '{operation}',
  description: 'Lease operations on Paperclip environments that are under way.',
  attributes: [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, ATTR_PAPERCLIP_ENVIRONMENT_DRIVER],
} as const satisfies MetricDefinition;

/** Age of the lease operation that has been under way longest. */
export const METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST = {
  name: 'paperclip.environment.operation.oldest',
  instrument: 'gauge',
  unit: 's',
  description: 'How long the oldest lease operation on Paperclip environments has been under way.',
  attributes: [
    ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
    ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
    ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ],
} as const satisfies MetricDefinition;

/** How long a lease was held. */
export const METRIC_PAPERCLIP_LEASE_DURATION = {
  name: 'paperclip.lease.duration',
  instrument: 'histogram',
  unit: 's',
  description: 'Time from the acquisition of a lease to its release.',
  attributes: [
    ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
    ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
    ATTR_PAPERCLIP_LEASE_END,
  ],
  boundaries: LIFETIME_BOUNDARIES,
} as const satisfies MetricDefinition;

/** Leases that are not over, from Paperclip's table. */
export const METRIC_PAPERCLIP_LEASE_HELD = {
  name: 'paperclip.lease.held',
  instrument: 'updowncounter',
  unit: '{lease}',
  description: "Leases that are not over, as Paperclip's table of leases has them.",
  attributes: [
    ATTR_PAPERCLIP_LEASE_STATUS,
    ATTR_PAPERCLIP_LEASE_POLICY,
    ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
    ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
    ATTR_PAPERCLIP_LEASE_RUN,
  ],
} as const satisfies MetricDefinition;

/** Age of the oldest of them. */
export const METRIC_PAPERCLIP_LEASE_OLDEST = {
  name: 'paperclip.lease.oldest',
  instrument: 'gauge',
  unit: 's',
  description: 'Time since the oldest lease that is not over was acquired.',
  attributes: METRIC_PAPERCLIP_LEASE_HELD.attributes,
} as const satisfies MetricDefinition;

/** Duplex requests, by how each ended. */
export const METRIC_PAPERCLIP_DUPLEX_REQUESTS = {
  name: 'paperclip.duplex.requests',
  instrument: 'counter',
  unit: '{request}',
  description: 'Times that a caller wanted a duplex channel, by how each ended.',
  attributes: [
    ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
    ATTR_PAPERCLIP_DUPLEX_OUTCOME,
    ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
    ATTR_ERROR_TYPE,
  ],
} as const satisfies MetricDefinition;

/** Episodes of a lease that lacked metadata, by how each ended. */
export const METRIC_PAPERCLIP_LEASE_REACQUIRES = {
  name: 'paperclip.lease.reacquires',
  instrument: 'counter',
  unit: '{reacquire}',
  description: 'Operations that failed because the lease lacked metadata, by whether a fresh lease helped.',
  attributes: [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME],
} as const satisfies MetricDefinition;

/** Time from a failure for missing metadata to its outcome. */
export const METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION = {
  name: 'paperclip.lease.reacquire.duration',
  instrument: 'histogram',
  unit: 's',
  description: 'Time from a failure because the lease lacked metadata to the outcome of the re-acquire.',
  attributes: METRIC_PAPERCLIP_LEASE_REACQUIRES.attributes,
  boundaries: OPERATION_BOUNDARIES,
} as const satisfies MetricDefinition;

/** Duplex channels that are open. */
export const METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE = {
  name: 'paperclip.duplex.channel.active',
  instrument: 'updowncounter',
  unit: '{channel}',
  description: 'Duplex channels that are open.',
  attributes: [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER],
} as const satisfies MetricDefinition;

/** How long a duplex channel was open. */
export const METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION = {
  name: 'paperclip.duplex.channel.duration',
  instrument: 'histogram',
  unit: 's',
  description: 'Time from the opening of a duplex channel to its end.',
  attributes: [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, ATTR_PAPERCLIP_DUPLEX_CHANNEL_END],
  boundaries: LIFETIME_BOUNDARIES,
} as const satisfies MetricDefinition;

/** Bytes over duplex channels. */
export const METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO = {
  name: 'paperclip.duplex.channel.io',
  instrument: 'counter',
  unit: 'By',
  description: 'Bytes over duplex channels, to the sandbox and from it.',
  attributes: [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, ATTR_NETWORK_IO_DIRECTION],
} as const satisfies MetricDefinition;

/** Duplex channels that were lost. */
export const METRIC_PAPERCLIP_DUPLEX_LOSSES = {
  name: 'paperclip.duplex.losses',
  instrument: 'counter',
  unit: '{loss}',
  description: 'Duplex channels that were lost before the run had ended.',
  attributes: [
    ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
    ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS,
    ATTR_PAPERCLIP_DUPLEX_LOSS_REASON,
  ],
} as const satisfies MetricDefinition;

/** Sessions of a provider that were left over. */
export const METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS = {
  name: 'paperclip.duplex.session_leaks',
  instrument: 'counter',
  unit: '{leak}',
  description: 'Sessions of a provider that were left over when a duplex channel was torn down.',
  attributes: [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER],
} as const satisfies MetricDefinition;

/** Duration of one request forwarded over an open channel. */
export const METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION = {
  name: 'paperclip.duplex.forward.duration',
  instrument: 'histogram',
  unit: 's',
  description: 'Duration of requests forwarded over open duplex channels.',
  attributes: [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME],
  boundaries: OPERATION_BOUNDARIES,
} as const satisfies MetricDefinition;

/** Has a callback that runs at each collection, and never a value, so nothing is exported for it. */
export const INSTRUMENT_RECOVERY_WINDOWS = 'paperclip.recovery.windows';
