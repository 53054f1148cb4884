/**
 * The operations: which methods of Paperclip's service and drivers they are, and where in a call's arguments
 * and result their facts stand (`environment-runtime.ts`: `EnvironmentRuntimeDriver` and what
 * `environmentRuntimeService` returns). Everything that is wrapped, measured and named starts here.
 */
import { isObject, readString } from '../base/values.js';
import {
  type LeaseFacts,
  readLease,
  readTornDownLease,
  type SubjectParts,
  type TornDownLease,
} from '../lease/subject.js';
import {
  ERROR_TYPE_LEASE_CLEANUP_FAILED,
  ERROR_TYPE_TIMEOUT,
  LEASE_ENDS,
  type LeaseEnd,
  type OperationName,
  type ReturnedErrorType,
} from '../semconv.js';
import { type Variables, withCommand, withEnvironment } from './carrier.js';

/** Whether a method stands on the service or on one of its drivers. */
export type Level = 'service' | 'driver';

/** What an operation returned, as far as the telemetry cares. */
export interface ResultFacts {
  /** The `error.type` of an operation that returned its failure instead of throwing it. */
  readonly failure?: ReturnedErrorType | undefined;
  /** The lease that an acquire returned. */
  readonly acquired?: LeaseFacts | undefined;
  /** The lease that a teardown returned. */
  readonly tornDown?: TornDownLease | undefined;
  readonly exitCode?: number | undefined;
  readonly timedOut?: boolean | undefined;
  /** How the lease ended, where the operation ended it. */
  readonly leaseEnd?: LeaseEnd | undefined;
}

export interface OperationRow {
  readonly name: OperationName;
  /** Name of the method at each level that has it. */
  readonly method: Readonly<Partial<Record<Level, string>>>;
  /** Where a call's arguments say what it is about. Throws only what reading the arguments throws. */
  readonly subject: (args: readonly unknown[]) => SubjectParts;
  /** Whether the driver does something else where Paperclip has no step: then none is made for it. */
  readonly readsStep?: boolean;
  /** The input of a call that starts a process, with variables for the process. Nothing where it is to stay as it is. */
  readonly carry?: (input: unknown, variables: Variables) => object | undefined;
  /** Whether a result is a duplex channel, whose lifetime is followed. */
  readonly opensChannel?: boolean;
  /** Reads what came of it. Throws only what reading the result throws. */
  readonly result?: (result: unknown, args: readonly unknown[]) => ResultFacts;
}

export const OPERATIONS: readonly OperationRow[] = [
  { name: 'acquire_run_lease', method: both('acquireRunLease'), subject: acquireSubject, result: acquired },
  { name: 'release_run_leases', method: { service: 'releaseRunLeases' }, subject: runSubject },
  {
    name: 'release_run_lease',
    method: { driver: 'releaseRunLease' },
    subject: leaseSubject,
    result: released,
  },
  { name: 'resume_run_lease', method: both('resumeRunLease'), subject: leaseSubject },
  {
    name: 'destroy_run_lease',
    method: both('destroyRunLease'),
    subject: leaseSubject,
    result: destroyed,
  },
  { name: 'realize_workspace', method: both('realizeWorkspace'), subject: leaseSubject },
  {
    name: 'execute',
    method: both('execute'),
    subject: leaseSubject,
    readsStep: true,
    carry: withEnvironment,
    result: executed,
  },
  { name: 'sync_in', method: both('syncIn'), subject: leaseSubject },
  { name: 'sync_out', method: both('syncOut'), subject: leaseSubject },
  {
    name: 'open_duplex_channel',
    method: both('openDuplexChannel'),
    subject: leaseSubject,
    readsStep: true,
    carry: withCommand,
    opensChannel: true,
  },
  {
    name: 'get_runner_ingress_endpoint',
    method: both('getRunnerIngressEndpoint'),
    subject: leaseSubject,
  },
  {
    name: 'retry_pending_sandbox_teardown',
    method: both('retryPendingSandboxTeardown'),
    subject: leaseSubject,
    result: tornDown,
  },
];

function both(method: string): Record<Level, string> {
  return { service: method, driver: method };
}

/** `{ environment, companyId, issueId, agentId, heartbeatRunId, ... }` */
function acquireSubject([input]: readonly unknown[]): SubjectParts {
  return isObject(input) ? { environment: input.environment, owner: input } : {};
}

/** `releaseRunLeases(heartbeatRunId, ...)` */
function runSubject([heartbeatRunId]: readonly unknown[]): SubjectParts {
  return { owner: { heartbeatRunId } };
}

/** `{ environment, lease, ... }` */
function leaseSubject([input]: readonly unknown[]): SubjectParts {
  return isObject(input) ? { environment: input.environment, lease: input.lease } : {};
}

/** A driver returns the lease, the service `{ environment, lease, leaseContext }`. */
function acquired(result: unknown): ResultFacts {
  if (!isObject(result)) return {};
  return { acquired: readLease(isObject(result.lease) ? result.lease : result) };
}

/** A command that ran and ended with another exit code than 0 has not failed here. */
function executed(result: unknown): ResultFacts {
  if (!isObject(result)) return {};
  const { exitCode, timedOut } = result;
  return {
    failure: timedOut === true ? ERROR_TYPE_TIMEOUT : undefined,
    exitCode: Number.isInteger(exitCode) ? (exitCode as number) : undefined,
    timedOut: typeof timedOut === 'boolean' ? timedOut : undefined,
  };
}

/**
 * The drivers catch what a provider throws at a teardown, and return the lease with `cleanupStatus: "failed"`
 * (`releaseRunLease`, `releasePluginBackedSandboxLease`, `destroyReusableSandboxLease`).
 */
function tornDown(result: unknown): ResultFacts {
  const lease = readTornDownLease(result);
  const failure = lease?.cleanupStatus === 'failed' ? ERROR_TYPE_LEASE_CLEANUP_FAILED : undefined;
  return { failure, tornDown: lease };
}

/** The lease that comes back says how it ended; one that is retained or waits for a teardown did not end. */
function released(result: unknown, [input]: readonly unknown[]): ResultFacts {
  if (!isObject(result)) return {};
  const asked = isObject(input) ? input.status : undefined;
  const status = readString(result.status) ?? asked;
  return { ...tornDown(result), leaseEnd: LEASE_ENDS.find((end) => end === status) };
}

function destroyed(result: unknown): ResultFacts {
  const facts = tornDown(result);
  const ended = ['released', 'expired', 'failed'].includes(facts.tornDown?.status ?? '');
  return { ...facts, leaseEnd: ended ? 'destroyed' : undefined };
}
