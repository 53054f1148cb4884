/**
 * Whether two calls have the same owner: they share the heartbeat run, or else the issue, or else the
 * execution workspace; where neither names any of the three, the company. (Paperclip retries a failed run as a
 * new run of the same issue, so the run alone would not do.)
 */
import type { Owner } from '../lease/subject.js';

/**
 * Keys of an owner within an environment, such that two calls have the same owner exactly where they share
 * a key. None where nothing is known of the owner.
 */
export function ownerKeys(environmentId: string | undefined, owner: Owner): string[] {
  const named = [
    ['run', owner.runId],
    ['issue', owner.issueId],
    ['workspace', owner.workspaceId],
  ].filter(([, id]) => id !== undefined);
  const ids = named.length > 0 ? named : [['company', owner.companyId]];
  return ids.flatMap(([kind, id]) => (id === undefined ? [] : [JSON.stringify([environmentId, kind, id])]));
}
