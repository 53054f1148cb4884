/** Every lease operation of the real sandbox and plug-in drivers, succeeding and failing. */
import { failingAnswers, plainAnswers, plainInputs, pluginCalls, sandboxCalls } from '../host/operations.mjs';
import {
  converse,
  database,
  echoSession,
  pluginEnvironment,
  pluginLease,
  pluginRow,
  sandboxEnvironment,
  sandboxLease,
  workerManager,
} from '../host/stage.mjs';
import { ownErrors } from '../host/watch.mjs';

export function prepare({ environmentRuntimeService }) {
  const succeeding = { ...plainAnswers, duplexChannelOpen: echoSession };
  const error = new RangeError('the worker ran out of something');
  ownErrors.push(error);
  let stages = 0;
  const stageOf = (newEnvironment, newLease, answers) => () => {
    stages += 1;
    // Of its own, so that no call counts as the recovery from another one that failed.
    const environment = newEnvironment({ id: `environment-1#${stages}` });
    const lease = newLease({ id: `lease-1#${stages}`, environmentId: environment.id });
    const tables = {
      plugins: [pluginRow()],
      environments: [environment],
      environment_leases: [{ ...lease }],
    };
    const pluginWorkerManager = workerManager(answers);
    return {
      service: environmentRuntimeService(database(tables), { pluginWorkerManager }),
      environment,
      lease,
    };
  };
  const steps = {};
  for (const [outcome, answers] of [
    ['succeeds', succeeding],
    ['fails', failingAnswers(succeeding, error)],
  ]) {
    const calls = {
      sandbox: sandboxCalls(stageOf(sandboxEnvironment, sandboxLease, answers), plainInputs),
      plugin: pluginCalls(stageOf(pluginEnvironment, pluginLease, answers), plainInputs),
    };
    for (const [driver, ofDriver] of Object.entries(calls)) {
      for (const [name, call] of Object.entries(ofDriver)) steps[`${driver} ${name} ${outcome}`] = call;
    }
  }
  return { ...steps, ...conversations(environmentRuntimeService, succeeding) };
}

/** A channel that is used: what the caller writes comes back, and stopping ends it. */
function conversations(environmentRuntimeService, answers) {
  const service = environmentRuntimeService(database({ plugins: [pluginRow()] }), {
    pluginWorkerManager: workerManager(answers),
  });
  const input = { environment: sandboxEnvironment(), lease: sandboxLease(), command: ['agent'] };
  return {
    'driver: a channel in use': async () =>
      await use(await service.getDriver('sandbox').openDuplexChannel(input)),
    'service: a channel in use': async () => await use(await service.openDuplexChannel(input)),
  };
}

async function use(channel) {
  return { members: Object.keys(channel), ...(await converse(channel)) };
}
