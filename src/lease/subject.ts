/**
 * What an operation is about, read from the objects that Paperclip passes around: environment, lease and
 * owner. Reads named fields only and copies no value that could be a secret.
 */
import { types } from 'node:util';
import { isObject, readString } from '../base/values.js';
import { DRIVERS_WITHOUT_PROVIDER, type LeaseShape } from '../semconv.js';
import { describeLeaseShape, type LeaseLike, type LeaseShapeDescription } from './shape.js';

/** Who a lease is for. */
export interface Owner {
  readonly companyId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly issueId?: string | undefined;
  /** The heartbeat run. */
  readonly runId?: string | undefined;
  /** The execution workspace. */
  readonly workspaceId?: string | undefined;
}

/** A lease as the telemetry sees it. Times are milliseconds since the epoch. */
export interface LeaseFacts extends Owner, LeaseShapeDescription {
  readonly id?: string | undefined;
  /** The provider's own id of the sandbox; for the driver `ssh` a URL with a user name and a path. */
  readonly providerLeaseId?: string | undefined;
  readonly environmentId?: string | undefined;
  readonly status?: string | undefined;
  readonly policy?: string | undefined;
  readonly driver?: string | undefined;
  readonly provider?: string | undefined;
  readonly acquiredAt?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly acquisitionOutcome?: string | undefined;
}

/** A lease that a teardown returned, as the telemetry sees it. */
export interface TornDownLease extends Pick<LeaseFacts, 'status' | 'policy'> {
  readonly cleanupStatus?: string | undefined;
}

/** An environment as the telemetry sees it. */
export interface EnvironmentFacts {
  readonly id?: string | undefined;
  readonly driver?: string | undefined;
  readonly provider?: string | undefined;
}

/** What an operation is about. `driver` and `provider` are raw keys, not yet held against a closed set. */
export interface Subject {
  readonly environmentId?: string | undefined;
  readonly driver?: string | undefined;
  readonly provider?: string | undefined;
  readonly owner: Owner;
  readonly lease?: LeaseFacts | undefined;
  /** `undefined` where there is a lease that could not be read. */
  readonly shape?: LeaseShape | undefined;
}

/** Where in a call's arguments its subject stands; the values are the host's and not yet looked at. */
export interface SubjectParts {
  readonly environment?: unknown;
  readonly lease?: unknown;
  /** What names the owner; the lease, where it is left out. */
  readonly owner?: unknown;
}

/**
 * Reads the parts one by one, so that one that cannot be read does not take the others along.
 *
 * @param parts where to read
 * @param onFault told of each part that threw when it was read
 * @param driver the driver that was called, if it was one: its own key counts
 */
export function readSubject(
  parts: SubjectParts,
  onFault: (error: unknown) => void,
  driver?: unknown,
): Subject {
  const environment = readPart(readEnvironment, parts.environment, onFault);
  const lease = readPart(readLease, parts.lease, onFault);
  const owner = parts.owner === undefined ? lease : readPart(readOwner, parts.owner, onFault);
  // The lease's own driver comes first, as in Paperclip's `getLeaseDriverKey`.
  const driverKey = readPart(readDriverKey, driver, onFault) ?? lease?.driver ?? environment?.driver;
  return {
    environmentId: environment?.id ?? lease?.environmentId,
    driver: driverKey,
    provider: providerOf(driverKey, lease?.provider ?? environment?.provider),
    owner: owner ?? NOBODY,
    lease,
    shape: lease?.shape ?? (isObject(parts.lease) ? undefined : 'absent'),
  };
}

const NOBODY: Owner = {};
const WITHOUT_PROVIDER: ReadonlySet<string | undefined> = new Set(DRIVERS_WITHOUT_PROVIDER);

/** Paperclip writes the name of the driver into `provider` where the driver has no providers. */
function providerOf(driver: string | undefined, provider: string | undefined): string | undefined {
  return WITHOUT_PROVIDER.has(driver) ? undefined : provider;
}

function readPart<T>(
  read: (value: unknown) => T | undefined,
  value: unknown,
  onFault: (error: unknown) => void,
): T | undefined {
  try {
    return read(value);
  } catch (error) {
    onFault(error);
    return undefined;
  }
}

function readDriverKey(driver: unknown): string | undefined {
  return isObject(driver) ? readString(driver.driver) : undefined;
}

/** What two descriptions of the same call know together; the first counts where both know. */
export function mergeSubjects(first: Subject, second: Subject): Subject {
  const driver = first.driver ?? second.driver;
  return {
    environmentId: first.environmentId ?? second.environmentId,
    driver,
    provider: providerOf(driver, first.provider ?? second.provider),
    owner: {
      companyId: first.owner.companyId ?? second.owner.companyId,
      agentId: first.owner.agentId ?? second.owner.agentId,
      issueId: first.owner.issueId ?? second.owner.issueId,
      runId: first.owner.runId ?? second.owner.runId,
      workspaceId: first.owner.workspaceId ?? second.owner.workspaceId,
    },
    lease: first.lease ?? second.lease,
    shape: first.lease === undefined ? (second.shape ?? first.shape) : first.shape,
  };
}

/** @throws only what reading the value throws */
export function readLease(value: unknown): LeaseFacts | undefined {
  if (!isObject(value)) return undefined;
  const metadata = isObject(value.metadata) ? value.metadata : undefined;
  const acquisition = metadata?.sandboxLeaseAcquisition;
  const { companyId, agentId, issueId, runId, workspaceId } = readOwner(value);
  const { shape, missingFields } = describeLeaseShape(value as LeaseLike);
  const driver = readString(metadata?.driver);
  return {
    companyId,
    agentId,
    issueId,
    runId,
    workspaceId,
    shape,
    missingFields,
    id: readString(value.id),
    providerLeaseId: readString(value.providerLeaseId),
    environmentId: readString(value.environmentId),
    status: readString(value.status),
    policy: readString(value.leasePolicy),
    driver,
    provider: providerOf(driver, readString(metadata?.provider) ?? readString(value.provider)),
    acquiredAt: readTime(value.acquiredAt),
    expiresAt: readTime(value.expiresAt),
    acquisitionOutcome: isObject(acquisition) ? readString(acquisition.outcome) : undefined,
  };
}

/**
 * Some teardowns return what the provider's worker says instead of a lease. That has no id of one.
 *
 * @throws only what reading the value throws
 */
export function readTornDownLease(value: unknown): TornDownLease | undefined {
  if (!isObject(value) || readString(value.id) === undefined) return undefined;
  return {
    status: readString(value.status),
    policy: readString(value.leasePolicy),
    cleanupStatus: readString(value.cleanupStatus),
  };
}

/** @throws only what reading the value throws */
export function readEnvironment(value: unknown): EnvironmentFacts | undefined {
  if (!isObject(value)) return undefined;
  return {
    id: readString(value.id),
    driver: readString(value.driver),
    provider: isObject(value.config) ? readProvider(value.config) : undefined,
  };
}

/** The key that leases of the environment get: for the driver `plugin`, Paperclip makes it of two (`acquireRunLease`). */
function readProvider(config: Record<string, unknown>): string | undefined {
  const provider = readString(config.provider);
  const pluginKey = readString(config.pluginKey);
  const driverKey = readString(config.driverKey);
  return provider ?? (pluginKey && driverKey && `plugin:${pluginKey}:${driverKey}`);
}

/**
 * Reads the owner that a lease, or the input of an acquire, names. Both have the same fields, except that the service's
 * acquire is given the workspace itself.
 */
export function readOwner(value: unknown): Owner {
  if (!isObject(value)) return {};
  return {
    companyId: readString(value.companyId),
    agentId: readString(value.agentId),
    issueId: readString(value.issueId),
    runId: readString(value.heartbeatRunId),
    workspaceId: readString(value.executionWorkspaceId) ?? idOf(value.persistedExecutionWorkspace),
  };
}

function idOf(value: unknown): string | undefined {
  return isObject(value) ? readString(value.id) : undefined;
}

const { getTime } = Date.prototype;

/** Milliseconds since the epoch of a `Date`, or of the string or number that a serialised lease holds. */
export function readTime(value: unknown): number | undefined {
  if (!(value instanceof Date) && typeof value !== 'string' && typeof value !== 'number') return undefined;
  const time = types.isDate(value) ? Reflect.apply(getTime, value, []) : new Date(value).getTime();
  return Number.isNaN(time) ? undefined : time;
}
