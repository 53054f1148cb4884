/** Attributes of spans and metric points, made from what is known of an operation. */
import type { Attributes } from '@opentelemetry/api';
import { closed } from '../base/values.js';
import type { Settings } from '../config.js';
import type { Exception, Failure } from '../errors/failure.js';
import type { LeaseFacts, Subject } from '../lease/subject.js';
import type { OperationRow, ResultFacts } from '../operations/table.js';
import * as semconv from '../semconv.js';

const DRIVERS: ReadonlySet<string> = new Set(semconv.DRIVERS);
const STATUSES: ReadonlySet<string> = new Set(semconv.LEASE_STATUSES);
const CLEANUP_STATUSES: ReadonlySet<string> = new Set(semconv.CLEANUP_STATUSES);
const POLICIES: ReadonlySet<string> = new Set(semconv.LEASE_POLICIES);
const ACQUISITION_OUTCOMES: ReadonlySet<string> = new Set(semconv.ACQUISITION_OUTCOMES);
/** The drivers whose leases have an id of the provider. That of an `ssh` lease is a URL. */
const PROVIDER_DRIVERS: ReadonlySet<string | undefined> = new Set(['sandbox', 'plugin']);
/** Anything else may be a URL, a path, or a text. */
const PROVIDER_LEASE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Attributes with known values only: OpenTelemetry attributes are never `undefined`. */
export function known(attributes: Record<string, Attributes[string]>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** The attributes of these names. */
export function pick(attributes: Attributes, keys: readonly string[]): Attributes {
  return known(Object.fromEntries(keys.map((key) => [key, attributes[key]])));
}

/** The provider key through the allow-list; other keys are the host's own data. */
export function closedProvider(key: string | undefined, settings: Settings): string | undefined {
  return closed(key, settings.providers, semconv.VALUE_OTHER);
}

/**
 * What every point of an operation carries, and every span from its start. In the order of the names: the SDK sorts
 * the attributes of each point, which is quickest where they are sorted.
 */
export function dimensionsOf(row: OperationRow, subject: Subject, settings: Settings): Attributes {
  const attributes: Attributes = {};
  const driver = closed(subject.driver, DRIVERS, semconv.VALUE_OTHER);
  const provider = closedProvider(subject.provider, settings);
  if (driver !== undefined) attributes[semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER] = driver;
  attributes[semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME] = row.name;
  if (provider !== undefined) attributes[semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER] = provider;
  if (subject.shape !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_SHAPE] = subject.shape;
  return attributes;
}

/** What a span carries from its start, where samplers see it: the dimensions of its points, and ids. */
export function attributesAtStart(dimensions: Attributes, subject: Subject, settings: Settings): Attributes {
  const attributes = { ...dimensions };
  if (!settings.captureIds) return attributes;
  const { environmentId, lease } = subject;
  if (environmentId !== undefined) attributes[semconv.ATTR_PAPERCLIP_ENVIRONMENT_ID] = environmentId;
  if (lease?.id !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_ID] = lease.id;
  return attributes;
}

/** Everything else that is known of the subject; for spans that are recorded. */
export function detailsOf(subject: Subject, settings: Settings, startedAt: number): Attributes {
  const { lease, owner } = subject;
  const attributes: Attributes = {};
  if (lease !== undefined) addLeaseDetails(attributes, lease, startedAt);
  if (!settings.captureIds) return attributes;
  addProviderLeaseId(attributes, subject.driver, lease);
  if (owner.companyId !== undefined) attributes[semconv.ATTR_PAPERCLIP_COMPANY_ID] = owner.companyId;
  if (owner.agentId !== undefined) attributes[semconv.ATTR_PAPERCLIP_AGENT_ID] = owner.agentId;
  if (owner.issueId !== undefined) attributes[semconv.ATTR_PAPERCLIP_ISSUE_ID] = owner.issueId;
  if (owner.runId !== undefined) attributes[semconv.ATTR_PAPERCLIP_RUN_ID] = owner.runId;
  return attributes;
}

function addLeaseDetails(attributes: Attributes, lease: LeaseFacts, startedAt: number): void {
  addLeaseState(attributes, lease);
  if (lease.shape === 'plugin_incomplete') {
    attributes[semconv.ATTR_PAPERCLIP_LEASE_MISSING_FIELDS] = lease.missingFields.join(',');
  }
  const age = seconds(lease.acquiredAt, startedAt);
  const timeToExpiry = seconds(startedAt, lease.expiresAt);
  if (age !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_AGE] = age;
  if (timeToExpiry !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_TIME_TO_EXPIRY] = timeToExpiry;
}

function addLeaseState(attributes: Attributes, lease: Pick<LeaseFacts, 'status' | 'policy'>): void {
  const status = closed(lease.status, STATUSES, semconv.VALUE_OTHER);
  const policy = closed(lease.policy, POLICIES, semconv.VALUE_OTHER);
  if (status !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_STATUS] = status;
  if (policy !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_POLICY] = policy;
}

/** Seconds between two times in milliseconds. */
export function seconds(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : (to - from) / 1000;
}

function addProviderLeaseId(
  attributes: Attributes,
  driver: string | undefined,
  lease: LeaseFacts | undefined,
): void {
  const id = lease?.providerLeaseId;
  if (id === undefined || !PROVIDER_DRIVERS.has(driver) || !PROVIDER_LEASE_ID.test(id)) return;
  attributes[semconv.ATTR_PAPERCLIP_LEASE_PROVIDER_LEASE_ID] = id;
}

/** What a span says of the result; nothing where there is nothing to say. */
export function resultAttributes(result: ResultFacts, subject: Subject, settings: Settings): Attributes {
  const { acquired, tornDown, leaseEnd, exitCode, timedOut } = result;
  const attributes: Attributes = {};
  if (acquired !== undefined) {
    addLeaseState(attributes, acquired);
    if (settings.captureIds) {
      if (acquired.id !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_ID] = acquired.id;
      addProviderLeaseId(attributes, subject.driver, acquired);
    }
    addAcquisition(attributes, acquired);
  }
  if (tornDown !== undefined) {
    addLeaseState(attributes, tornDown);
    const cleanup = closed(tornDown.cleanupStatus, CLEANUP_STATUSES, semconv.VALUE_OTHER);
    if (cleanup !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_CLEANUP_STATUS] = cleanup;
  }
  if (leaseEnd !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_END] = leaseEnd;
  if (exitCode !== undefined) attributes[semconv.ATTR_PROCESS_EXIT_CODE] = exitCode;
  if (timedOut !== undefined) attributes[semconv.ATTR_PAPERCLIP_EXECUTE_TIMED_OUT] = timedOut;
  return attributes;
}

function addAcquisition(attributes: Attributes, { acquisitionOutcome }: LeaseFacts): void {
  const outcome = closed(acquisitionOutcome, ACQUISITION_OUTCOMES, semconv.VALUE_OTHER);
  if (outcome !== undefined) attributes[semconv.ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME] = outcome;
}

/** What a point of the duration carries: the operation's dimensions, and what came of it. */
export function durationDimensions(
  dimensions: Attributes,
  { acquired }: ResultFacts,
  failure: Failure | undefined,
): Attributes {
  if (failure !== undefined) return { [semconv.ATTR_ERROR_TYPE]: failure.errorType, ...dimensions };
  if (acquired?.acquisitionOutcome === undefined) return dimensions;
  const attributes = { ...dimensions };
  addAcquisition(attributes, acquired);
  return attributes;
}

/** What a span says of a failure. */
export function failureAttributes({ errorType, backgroundTag, slug }: Failure): Attributes {
  const attributes: Attributes = { [semconv.ATTR_ERROR_TYPE]: errorType };
  if (backgroundTag !== undefined) attributes[semconv.ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG] = backgroundTag;
  if (slug !== undefined) attributes[semconv.ATTR_PAPERCLIP_ERROR_SLUG] = slug;
  return attributes;
}

/** What an exception event or log record says of the exception. */
export function exceptionAttributes({ type, message, stacktrace }: Exception): Attributes {
  const attributes: Attributes = { [semconv.ATTR_EXCEPTION_TYPE]: type };
  if (message !== undefined) attributes[semconv.ATTR_EXCEPTION_MESSAGE] = message;
  if (stacktrace !== undefined) attributes[semconv.ATTR_EXCEPTION_STACKTRACE] = stacktrace;
  return attributes;
}
