/** Runs all checks. */
import { type Check, type Finding, problem, REPORT, type Subject } from './check.js';
import { CHECKS } from './checks.js';
import { locateServer, type Server } from './locate.js';
import { paperclip } from './paperclip.js';
import type { Found } from './report.js';
import { masker } from './secrets.js';

/** Runs the checks at the same time, because some take long. Yields their findings in order, without secrets. */
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
  /** Why the search failed, in place of the findings of the check of Paperclip. */
  readonly failure?: Finding;
}

function locate({ env, folder, target }: Omit<Subject, 'server'>): Located {
  try {
    return { server: locateServer(env, folder, target) };
  } catch (error) {
    return { server: undefined, failure: failed('the search for Paperclip', error) };
  }
}

/** An error of a check is a finding, so that the findings of the others are printed. */
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
