/** Check: which SDK would start, what it exports where, and what it complains about. */
import { SWITCH_NAME, type Switch, switchedOffBy } from '../../attach/environment.js';
import { DEFAULT_SERVICE_NAME } from '../../config.js';
import { installCommand } from '../installation/command-lines.js';
import { isLine3 } from '../installation/installed.js';
import { remedyOf, unexplained } from '../otel/complaints.js';
import { areSwitchesContradicting } from '../otel/contradictions.js';
import { type Env, list } from '../otel/environment.js';
import {
  destinations,
  type Exporter,
  exporterVariable,
  SIGNALS,
  type Signal,
  serviceNameOf,
} from '../otel/exporters.js';
import { faultsOf } from '../otel/faults.js';
import type { Fault } from '../otel/values.js';
import { type Check, type Finding, note, ok, problem, REPORT, type Subject, skipped } from './check.js';
import { canAttach } from './packages.js';
import { errorLine, quietEnvironment, runProbe } from './probe.js';
import type { Start, Started } from './probes/sdk.js';
import { listens } from './prometheus.js';
import { PROGRAM } from './variables.js';
import {
  exportersOfSdk,
  type NotStarting,
  ownSdkOf,
  type Starting,
  sdkOf,
  userStartsSdk,
} from './which-sdk.js';

/** Time limit for a process that loads and starts an SDK, in milliseconds. */
const LIMIT = 20_000;

export const sdk: Check = {
  id: 'sdk',
  title: 'SDK',
  run: async (subject) => {
    const { env } = subject;
    const switchedOff = switchedOffBy(env);
    if (switchedOff !== undefined) return [off(env, switchedOff)];
    const starting = sdkOf(subject);
    if (await userStartsSdk(subject)) return usersOwn(starting);
    if (starting.by === 'nobody') return [nobody(subject, starting)];
    if (starting.by === 'preload' && !canAttach()) return [skipped('packages are missing')];
    const exporters = exportersOfSdk(starting, env);
    const faults = faultsOf(env, exporters, PROGRAM);
    return [
      starts(starting, env),
      ...(await exported(starting, exporters, env, faults)),
      ...(await complaints(subject, starting, faults)),
      ...second(subject, starting),
    ];
  },
};

/** @param name the variable that switches this package off */
function off(env: Env, name: Switch): Finding {
  if (areSwitchesContradicting(env, SWITCH_NAME))
    return skipped('switched off by variables that contradict each other');
  const names = list(env, name);
  const found = `${name}=${names.join(',')} switches this package off`;
  if (name === 'OTEL_SDK_DISABLED') return problem(`${found}, and starts no SDK`, `unset ${name}`);
  if (name === 'OTEL_NODE_ENABLED_INSTRUMENTATIONS')
    return problem(found, `set ${name}=${[...names, SWITCH_NAME].join(',')}`);
  const others = names.filter((each) => each !== SWITCH_NAME);
  return problem(found, others.length === 0 ? `unset ${name}` : `set ${name}=${others.join(',')}`);
}

function usersOwn(starting: Starting | NotStarting): Finding[] {
  const found = ok('your own code starts one, by NODE_OPTIONS');
  if (starting.by !== 'nobody' || starting.why !== 'packages') return [found];
  // Nobody misses Paperclip's own SDK then, so this is no problem.
  return [found, note(`Paperclip does not start its own, because it needs ${starting.missing.join(', ')}`)];
}

const YOURS = 'nothing is recorded unless your own code starts an SDK';

function nobody({ server }: Subject, { why, missing }: NotStarting): Finding {
  switch (why) {
    case 'no sdk-node':
      return skipped('@opentelemetry/sdk-node is missing');
    case 'no server':
      return skipped('no Paperclip found that could start one');
    case 'absent':
      return note(`this Paperclip starts none, and neither does the preload register: ${YOURS}`);
    case 'off':
      return note(`Paperclip starts one with OTEL_EXPORTER_OTLP_ENDPOINT only, which is not set: ${YOURS}`);
    case 'packages':
      return problem(
        `Paperclip does not start its own, because it needs ${missing.join(', ')}: ${YOURS}`,
        installCommand(server?.package.folder ?? '', ...missing),
      );
  }
}

function starts({ by, version }: Starting, env: Env): Finding {
  const who = by === 'preload' ? 'the preload start starts' : 'Paperclip starts';
  const name = serviceNameOf(env) ?? DEFAULT_SERVICE_NAME;
  return ok(`${who} NodeSDK of @opentelemetry/sdk-node ${version}; service.name is ${name}`);
}

async function exported(
  starting: Starting,
  exporters: readonly Exporter[],
  env: Env,
  faults: readonly Fault[],
): Promise<Finding[]> {
  const isWrong = (signal: Signal) => faults.some(({ about }) => about.includes(exporterVariable(signal)));
  if (!exporters.some(({ signal }) => signal !== 'logs')) {
    if (SIGNALS.some(isWrong)) return [skipped('what is exported is not certain')];
    const names = (['traces', 'metrics'] as const).map(exporterVariable);
    return [problem('neither traces nor metrics are exported', `unset ${names.join(' and ')}`)];
  }
  const findings = [...destinations(exporters)].map(([what, signals]) =>
    ok(`${signals.join(', ')}: ${what}`),
  );
  for (const signal of SIGNALS) {
    if (isWrong(signal) || exporters.some((exporter) => exporter.signal === signal)) continue;
    const found = `${signal} are not exported: ${exporterVariable(signal)}=none`;
    findings.push(signal === 'metrics' ? note(`${found}; both rates are metrics`) : ok(found));
  }
  for (const exporter of exporters)
    if (exporter.type === 'prometheus') findings.push(...(await listens(exporter, isLine3(starting), env)));
  return findings;
}

/** What the SDK complains about when it is started in a process of its own, unless a fault explains it. */
async function complaints(
  { env, folder }: Subject,
  { from, given }: Starting,
  faults: readonly Fault[],
): Promise<Finding[]> {
  const start: Start = { from, exporter: given?.package, url: given?.url };
  const { answer, stderr, timedOut } = await runProbe<Started>('sdk', {
    args: [JSON.stringify(start)],
    env: quietEnvironment(env),
    cwd: folder,
    limit: LIMIT,
  });
  if (answer === undefined) {
    const error = timedOut ? `it takes longer than ${LIMIT / 1000} seconds` : errorLine(stderr);
    const remedy = timedOut || error === undefined ? REPORT : remedyOf(error, env);
    return [problem(`the SDK does not start: ${error ?? 'it ends without a word'}`, remedy)];
  }
  const { failure, warnings } = answer;
  return [
    ...unexplained(warnings, faults).map((complaint) =>
      /deprecated/i.test(complaint)
        ? note(`the SDK says: ${complaint}`)
        : problem(`the SDK says: ${complaint}`, remedyOf(complaint, env)),
    ),
    ...(failure === undefined || faults.length > 0
      ? []
      : [problem(`the SDK does not start: ${failure}`, remedyOf(failure, env))]),
  ];
}

/** Paperclip's own SDK, which starts after that of the preload. */
function second(subject: Subject, { by }: Starting): Finding[] {
  if (by !== 'preload' || ownSdkOf(subject).by !== 'Paperclip') return [];
  return [
    note(
      "Paperclip starts its own as well, later: what it registers is refused, its spans go where the preload's go, and its metrics and logs stay empty",
    ),
  ];
}
