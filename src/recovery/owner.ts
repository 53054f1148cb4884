/**
 * Whether two calls have the same owner: they share the heartbeat run or the issue. (Paperclip retries a failed run as a
 * new run of the same issue, so the run alone is not enough.) Where a call names neither, its execution workspace
 * decides, and where it does not name that either, the company. Runs of different issues that share a workspace are not
 * one owner: one does not recover what another lost.
 */
import type { Owner } from '../lease/subject.js';

/**
 * Keys of an owner within an environment. Two calls have the same owner if they share a key. There are none where
 * nothing is known of the owner.
 */
export function ownerKeys(environmentId: string | undefined, owner: Owner): string[] {
  const { runId, issueId, workspaceId, companyId } = owner;
  const isNamed = runId !== undefined || issueId !== undefined;
  const place = workspaceId === undefined ? { company: companyId } : { workspace: workspaceId };
  const ids = Object.entries(isNamed ? { run: runId, issue: issueId } : place);
  return ids.flatMap(([kind, id]) => (id === undefined ? [] : [JSON.stringify([environmentId, kind, id])]));
}
