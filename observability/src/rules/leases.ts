/** The alerts about leases that cannot be had or are left behind, and about operations that hang. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST,
  type OperationName,
} from '../../../src/semconv.js';
import { FAILING_SHARE, type Timing, WAITING_MIN_GROWTH } from '../limits.js';
import { INSTANCE, JOB } from '../names.js';
import { aggregate, duration, is, isNot, type Matcher, select, wordsWithArticle } from '../promql.js';
import { IS_SANDBOX, oldestWaiting, stranded, waiting } from '../stock.js';
import { ACQUIRES, PLUGIN_CALLS, TEARDOWNS } from './measures.js';
import type { Alert, Words } from './rule.js';
import { counted, exceeds, mostFrequent } from './shares.js';

const provider = (words: Words) => words.label(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, 'none');
const service = (words: Words) => words.label(JOB, 'unknown');
const operation = (words: Words) => words.label(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, 'unknown');
const errorType = (words: Words) => words.label(ATTR_ERROR_TYPE, 'unknown');

const DASHBOARD = 'paperclip-leases';
const EXECUTE = 'execute' satisfies OperationName;

export function acquiresFail(timing: Timing): Alert {
  return {
    name: 'PaperclipAcquiresFail',
    severity: 'critical',
    hold: timing.hold.short,
    expr: exceeds(ACQUIRES, FAILING_SHARE, timing),
    summary: (words) =>
      `${words.value('percentage')} of the acquires of ${service(words)} fail with ${errorType(words)} (provider ${provider(words)})`,
    description: (words) =>
      `${words.counts(counted(ACQUIRES, FAILING_SHARE, 'leases', timing))} that ${service(words)} asked its provider ${provider(words)} for were not granted, with ${errorType(words)}. Runs of agents that need a sandbox there do not start.`,
    runbook: 'acquires-fail',
    panel: { dashboard: DASHBOARD, title: 'Failed acquires by error' },
  };
}

export function teardownsFail(timing: Timing): Alert {
  return {
    name: 'PaperclipTeardownsFail',
    severity: 'warning',
    hold: timing.hold.short,
    expr: exceeds(TEARDOWNS, FAILING_SHARE, timing),
    summary: (words) =>
      `${words.value('percentage')} of the teardowns of ${service(words)} fail with ${errorType(words)} (provider ${provider(words)})`,
    description: (words) =>
      `${words.counts(counted(TEARDOWNS, FAILING_SHARE, 'releases, destroys and their retries', timing))} that ${service(words)} asked its provider ${provider(words)} for failed with ${errorType(words)}. Agents work on, but their sandboxes stay and cost money.${words.most(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, 'Most often it is the operation', mostFrequent(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, TEARDOWNS, timing))}`,
    runbook: 'teardowns-fail',
    panel: { dashboard: DASHBOARD, title: 'Failed teardowns' },
  };
}

export function pluginCallsTimeOut(timing: Timing): Alert {
  return {
    name: 'PaperclipPluginCallsTimeOut',
    severity: 'warning',
    hold: timing.hold.short,
    expr: exceeds(PLUGIN_CALLS, FAILING_SHARE, timing),
    summary: (words) =>
      `The plug-in of provider ${provider(words)} does not answer ${words.value('percentage')} of the calls for ${operation(words)} on ${service(words)}`,
    description: (words) =>
      `${words.counts(counted(PLUGIN_CALLS, FAILING_SHARE, `calls for ${operation(words)}`, timing))} that ${service(words)} made to the plug-in of provider ${provider(words)} had no answer when Paperclip gave up waiting. Agents wait for minutes and then fail; what the plug-in does after all is not known to Paperclip, so sandboxes may be left over.`,
    runbook: 'plugin-calls-time-out',
    panel: { dashboard: DASHBOARD, title: 'Calls that a plug-in did not answer' },
  };
}

export function leasesWaitForCleanup({ leases, hold }: Timing): Alert {
  const now = waiting([IS_SANDBOX]);
  const before = waiting([IS_SANDBOX], duration(leases.growth));
  return {
    name: 'PaperclipLeasesWaitForCleanup',
    severity: 'warning',
    hold: hold.long,
    expr: [
      `${oldestWaiting([IS_SANDBOX])} > ${leases.waiting}`,
      `(${oldestWaiting([IS_SANDBOX])} and ${now} - (${before} or 0 * ${now}) >= ${WAITING_MIN_GROWTH})`,
    ].join(' or '),
    summary: (words) =>
      `Sandboxes of ${service(words)} are not given up: leases wait for their cleanup (provider ${provider(words)})`,
    description: (words) =>
      `The run of these leases is over, and ${service(words)} could not give their sandboxes back to the provider ${provider(words)}. The oldest lease is ${words.value('age')} old, or there are at least ${WAITING_MIN_GROWTH} more of them than ${wordsWithArticle(leases.growth)} ago. Paperclip tries again five times and then leaves them; until somebody removes them they cost money.`,
    runbook: 'leases-wait-for-cleanup',
    panel: { dashboard: DASHBOARD, title: 'Waiting for cleanup now' },
  };
}

export function leasesStranded({ leases, hold }: Timing): Alert {
  return {
    name: 'PaperclipLeasesStranded',
    severity: 'warning',
    hold: hold.long,
    expr: `${stranded([], leases.withoutRun)} > 0`,
    summary: (words) =>
      `${words.value('count')} leases of ${service(words)} belong to nobody any more (provider ${provider(words)})`,
    description: (words) =>
      `${words.value('count')} leases of ${service(words)} are still active although their run has ended, or have had no run for more than ${wordsWithArticle(leases.withoutRun)}. Nothing in Paperclip gives them back, so their sandboxes stay at the provider ${provider(words)} and cost money.`,
    runbook: 'leases-stranded',
    panel: { dashboard: DASHBOARD, title: 'Stranded now' },
  };
}

/** The operations of one kind that have been under way for too long, by server. */
function underWay(matcher: Matcher, seconds: number): string {
  const series = select(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST, [matcher]);
  const by = [JOB, INSTANCE, ...METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST.attributes];
  return `${aggregate('max', series, by)} > ${seconds}`;
}

export function operationHangs({ underWay: limits, hold }: Timing): Alert {
  return {
    name: 'PaperclipOperationHangs',
    severity: 'warning',
    hold: hold.short,
    expr: underWay(isNot(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, EXECUTE), limits.other),
    summary: (words) =>
      `The operation ${operation(words)} has been under way on ${service(words)} for ${words.value('age')} (provider ${provider(words)})`,
    description: (words) =>
      `A lease operation of ${service(words)} (server ${words.label(INSTANCE, 'unknown')}) has not ended for ${words.value('age')}. It takes seconds or a few minutes where all is well. The run of the agent that waits for it neither goes on nor fails.`,
    runbook: 'operation-hangs',
    panel: { dashboard: DASHBOARD, title: 'Age of the oldest operation under way' },
  };
}

export function executeHangs({ underWay: limits, hold }: Timing): Alert {
  return {
    name: 'PaperclipExecuteHangs',
    severity: 'warning',
    hold: hold.short,
    expr: underWay(is(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, EXECUTE), limits.execute),
    summary: (words) =>
      `A command of an agent has been running on ${service(words)} for ${words.value('age')} (provider ${provider(words)})`,
    description: (words) =>
      `A command in a sandbox of ${service(words)} (server ${words.label(INSTANCE, 'unknown')}) has not ended for ${words.value('age')}. Few commands take more than ${wordsWithArticle(limits.execute)}: it may wait for an input that never comes, or its end was not noticed. Its sandbox costs money meanwhile.`,
    runbook: 'operation-hangs',
    panel: { dashboard: DASHBOARD, title: 'Age of the oldest operation under way' },
  };
}
