/** Attributes of spans and metric points, made from what is known of an operation. */
import type { Attributes } from '@opentelemetry/api';
import type { Settings } from '../config.js';
import type { Failure } from '../errors/failure.js';
import { closed, type LeaseFacts, type Subject } from '../lease/subject.js';
import type { OperationRow, ResultFacts } from '../operations/table.js';
import type { Recovery } from '../recovery/outcomes.js';
import * as semconv from '../semconv.js';

const DRIVERS: ReadonlySet<string> = new Set(semconv.DRIVERS);
const STATUSES: ReadonlySet<string> = new Set(semconv.LEASE_STATUSES);
const POLICIES: ReadonlySet<string> = new Set(semconv.LEASE_POLICIES);
const ACQUISITION_OUTCOMES: ReadonlySet<string> = new Set(semconv.ACQUISITION_OUTCOMES);

/** Attributes with known values only: OpenTelemetry attributes are never `undefined`. */
export function known(attributes: Record<string, Attributes[string]>): Attributes {
  for (const key of Object.keys(attributes)) {
    if (attributes[key] === undefined) delete attributes[key];
  }
  return attributes;
}

/** The attributes of these names. */
export function pick(attributes: Attributes, keys: readonly string[]): Attributes {
  return known(Object.fromEntries(keys.map((key) => [key, attributes[key]])));
}

export function driverOf(subject: Subject): string | undefined {
  return closed(subject.driver, DRIVERS, semconv.VALUE_OTHER);
}

/** The provider key through the allow-list; other keys are the host's own data. */
export function closedProvider(key: string | undefined, settings: Settings): string | undefined {
  return closed(key, settings.providers, semconv.VALUE_OTHER);
}

/** What every point of an operation carries, and every span from its start. */
export function dimensionsOf(row: OperationRow, subject: Subject, settings: Settings): Attributes {
  return known({
    [semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: row.name,
    [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: driverOf(subject),
    [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: closedProvider(subject.provider, settings),
    [semconv.ATTR_PAPERCLIP_LEASE_SHAPE]: subject.shape,
  });
}

/** Ids that a span carries from its start, where samplers see them. */
export function idsAtStart(subject: Subject, settings: Settings): Attributes {
  if (!settings.captureIds) return {};
  return known({
    [semconv.ATTR_PAPERCLIP_ENVIRONMENT_ID]: subject.environmentId,
    [semconv.ATTR_PAPERCLIP_LEASE_ID]: subject.lease?.id,
  });
}

/** Everything else that is known of the subject; for spans that are recorded. */
export function detailsOf(subject: Subject, settings: Settings, startedAt: number): Attributes {
  const { lease, owner } = subject;
  return {
    ...(lease === undefined ? {} : leaseDetails(lease, startedAt)),
    ...(settings.captureIds
      ? known({
          [semconv.ATTR_PAPERCLIP_COMPANY_ID]: owner.companyId,
          [semconv.ATTR_PAPERCLIP_AGENT_ID]: owner.agentId,
          [semconv.ATTR_PAPERCLIP_ISSUE_ID]: owner.issueId,
          [semconv.ATTR_PAPERCLIP_RUN_ID]: owner.runId,
        })
      : {}),
  };
}

function leaseDetails(lease: LeaseFacts, startedAt: number): Attributes {
  return known({
    ...leaseState(lease),
    [semconv.ATTR_PAPERCLIP_LEASE_MISSING_FIELDS]:
      lease.shape === 'plugin_incomplete' ? [...lease.missingFields] : undefined,
    [semconv.ATTR_PAPERCLIP_LEASE_AGE]: seconds(lease.acquiredAt, startedAt),
    [semconv.ATTR_PAPERCLIP_LEASE_TIME_TO_EXPIRY]: seconds(startedAt, lease.expiresAt),
  });
}

function leaseState(lease: LeaseFacts): Attributes {
  return known({
    [semconv.ATTR_PAPERCLIP_LEASE_STATUS]: closed(lease.status, STATUSES, semconv.VALUE_OTHER),
    [semconv.ATTR_PAPERCLIP_LEASE_POLICY]: closed(lease.policy, POLICIES, semconv.VALUE_OTHER),
  });
}

/** Seconds between two times in milliseconds. */
export function seconds(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : (to - from) / 1000;
}

/** What a span says of the result. */
export function resultAttributes(result: ResultFacts, settings: Settings): Attributes {
  const { acquired } = result;
  return known({
    ...(acquired === undefined ? {} : leaseState(acquired)),
    [semconv.ATTR_PAPERCLIP_LEASE_ID]: settings.captureIds ? acquired?.id : undefined,
    ...resultDimensions(result),
    [semconv.ATTR_PROCESS_EXIT_CODE]: result.exitCode,
    [semconv.ATTR_PAPERCLIP_EXECUTE_TIMED_OUT]: result.timedOut,
  });
}

/** What a point of the duration says of the result. */
export function resultDimensions({ acquired }: ResultFacts): Attributes {
  return known({
    [semconv.ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME]: closed(
      acquired?.acquisitionOutcome,
      ACQUISITION_OUTCOMES,
      semconv.VALUE_OTHER,
    ),
  });
}

/** What a span says of a failure. */
export function failureAttributes(failure: Failure): Attributes {
  return known({
    [semconv.ATTR_ERROR_TYPE]: failure.errorType,
    [semconv.ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG]: failure.backgroundTag,
    [semconv.ATTR_PAPERCLIP_ERROR_SLUG]: failure.slug,
  });
}

/** What an exception event or log record says of the exception. */
export function exceptionAttributes({ exception }: Failure): Attributes {
  return known({
    [semconv.ATTR_EXCEPTION_TYPE]: exception.type,
    [semconv.ATTR_EXCEPTION_MESSAGE]: exception.message,
    [semconv.ATTR_EXCEPTION_STACKTRACE]: exception.stacktrace,
  });
}

/** What a span says of the failure that its operation recovers from. */
export function recoveryAttributes(recovery: Recovery<unknown> | undefined): Attributes {
  return known({ [semconv.ATTR_PAPERCLIP_RECOVERY_KIND]: recovery?.kind });
}
