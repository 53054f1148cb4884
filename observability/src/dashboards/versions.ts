/** Which version of the server each series comes from. */
import { INSTANCE, JOB, TARGET_INFO } from '../names.js';
import { servers } from './queries.js';

/** The resources of the servers that have lease operations; other services have resources, too. */
export function versions(): string {
  return `${TARGET_INFO} and on (${JOB}, ${INSTANCE}) ${servers()}`;
}
