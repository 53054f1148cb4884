/** Which version of the server each series comes from. */
import { METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION } from '../../../src/semconv.js';
import { INSTANCE, JOB, SERVICE_VERSION, TARGET_INFO } from '../names.js';
import { aggregate, selectCount, sum } from '../promql.js';
import { ON_INSTANCE } from './queries.js';

/** The resources of the servers that have lease operations; other services have resources, too. */
export function versions(): string {
  const operations = selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, [ON_INSTANCE]);
  return `${TARGET_INFO} and on (${JOB}, ${INSTANCE}) ${operations}`;
}

/**
 * Gives counts that are kept apart by server the version that the server has, and adds them up.
 *
 * @param counts by service and server
 */
export function byVersion(counts: string): string {
  const each = aggregate('max', TARGET_INFO, [JOB, INSTANCE, SERVICE_VERSION]);
  // One version for each server, even while an old one is still remembered.
  const one = aggregate('topk', `1, ${each}`, [JOB, INSTANCE]);
  return sum(`${counts} * on (${JOB}, ${INSTANCE}) group_left (${SERVICE_VERSION}) ${one}`, [
    SERVICE_VERSION,
  ]);
}
