/** All that `doctor` finds. */
import { type Check, type Finding, problem, REPORT, type Subject } from './check.js';
import { CHECKS } from './checks.js';
import { locateServer, type Server } from './locate.js';
import { paperclip } from './paperclip.js';
import type { Found } from './report.js';
import { masker } from './secrets.js';

/** All checks at once, because some wait for others' answers; their findings in order, without secrets. */
export async function* diagnose(
  where: Omit<Subject, 'server'>,
  checks: readonly Check[] = CHECKS,
): AsyncGenerator<Found> {
  const { server, failure } = locate(where);
  const subject: Subject = { ...where, server };
  const mask = masker(subject.env);
  const running = checks.map((check) => ({
    check,
    done: failure !== undefined && check.id === paperclip.id ? [failure] : run(check, subject),
  }));
  for (const { check, done } of running) {
    for (const finding of await done) {
      const { found } = finding;
      const masked =
        finding.mark === 'problem'
          ? problem(mask(found), mask(finding.remedy))
          : { ...finding, found: mask(found) };
      yield { check, finding: masked };
    }
  }
}

interface Located {
  readonly server: Server | undefined;
  /** Why it could not be looked for: told in place of what the check of Paperclip finds. */
  readonly failure?: Finding;
}

function locate({ env, folder, target }: Omit<Subject, 'server'>): Located {
  try {
    return { server: locateServer(env, folder, target) };
  } catch (error) {
    return { server: undefined, failure: failed('the search for Paperclip', error) };
  }
}

/** A check that fails is a finding, too: the others are to be seen. */
async function run(check: Check, subject: Subject): Promise<readonly Finding[]> {
  try {
    return await check.run(subject);
  } catch (error) {
    return [failed('the check itself', error)];
  }
}

function failed(what: string, error: unknown): Finding {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return problem(`${what} failed: ${message}`, REPORT);
}
