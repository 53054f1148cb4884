/** The processes that Paperclip starts on its own machine: agents of the drivers `local` and `ssh`, which have no `execute`. */
import { attempt } from '../base/faults.js';
import type { HostFunction } from '../base/values.js';
import { withEnvironment } from '../operations/carrier.js';
import { shared } from '../shared.js';
import { parentContext } from '../telemetry/parents.js';
import { variablesOf } from '../telemetry/propagation.js';
import { disguise } from '../wrap/disguise.js';

/**
 * Wraps Paperclip's `runChildProcess(runId, command, args, { env, … })`, so that the process is told of the active span, or of
 * Paperclip's step. All agents that are not in a sandbox are started by it, but those over ACP.
 *
 * @param isOn asked at each call
 */
export function passContextOn(runChildProcess: HostFunction, isOn: () => boolean): HostFunction {
  if (shared.observed.has(runChildProcess)) return runChildProcess;
  const wrapped = disguise(runChildProcess, (self, args) =>
    Reflect.apply(runChildProcess, self, isOn() ? withContext(args) : args),
  );
  shared.observed.add(wrapped);
  return wrapped;
}

function withContext(args: unknown[]): unknown[] {
  const options = attempt('passing the context on failed', () =>
    withEnvironment(args[3], variablesOf(parentContext())),
  );
  return options === undefined ? args : args.with(3, options);
}
