/** Check: which SDK would start, what it exports where, and what it complains about. */
import { SWITCH_NAME, type Switch, switchedOffBy } from '../../attach/environment.js';
import { isLine3 } from '../../attach/support.js';
import { inWords } from '../../base/text.js';
import { DEFAULT_SERVICE_NAME } from '../../config.js';
import { installCommand, ownCommand } from '../installation/command-lines.js';
import { HERE, installed, SDK } from '../installation/installed.js';
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
import {
  type Check,
  type Finding,
  note,
  ok,
  type Preload,
  problem,
  REPORT,
  type Subject,
  skipped,
} from './check.js';
import { canAttach, installSdk } from './packages.js';
import { installedAs } from './paperclip.js';
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
  servedByUser,
  unservedBy,
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
    const served = await servedByUser(subject);
    const unserved = unservedBy(served, env);
    if (served.length > 0 && (starting.by === 'nobody' || unserved.length === 0))
      return usersOwn(subject, starting, served, unserved);
    if (starting.by === 'nobody') return [nobody(subject, starting)];
    if (starting.by === 'preload' && !canAttach()) return [skipped('packages are missing')];
    const exporters = exportersOfSdk(starting, env, served);
    const faults = faultsOf(env, exporters, PROGRAM);
    return [
      ...(served.length > 0 ? [ok(`your own code starts one for ${inWords(served)}, by NODE_OPTIONS`)] : []),
      starts(starting, env, served),
      ...(await exported(starting, exporters, served, env, faults)),
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

/** @param unserved signals that this package emits, and that nobody serves */
function usersOwn(
  { preload }: Subject,
  starting: Starting | NotStarting,
  served: readonly Signal[],
  unserved: readonly Signal[],
): Finding[] {
  const findings = [ok(`your own code starts one for ${inWords(served)}, by NODE_OPTIONS`)];
  if (unserved.length > 0) findings.push(nobodyServes(unserved, preload));
  if (![...served, ...unserved].includes('metrics')) findings.push(switchedOff('metrics'));
  // Nobody misses Paperclip's own SDK then, so this is no problem.
  if (starting.by === 'nobody' && starting.why === 'packages')
    findings.push(note(`Paperclip does not start its own, because it needs ${starting.missing.join(', ')}`));
  return findings;
}

function nobodyServes(signals: readonly Signal[], preload: Preload): Finding {
  const names = inWords(signals);
  const variables = signals.map((signal) => `${exporterVariable(signal)}=none`);
  const way =
    preload === 'start'
      ? `install ${SDK}, which the preload start needs`
      : 'use the preload start (run --start), which starts what is missing';
  return problem(
    `no SDK is known to start for ${names}${signals.includes('metrics') ? ': all alerts need metrics' : ''}`,
    `${way}; or add ${names} to your own SDK; or, if you do not want them, set ${variables.join(' ')}`,
  );
}

const YOURS = 'nothing is recorded unless your own code starts an SDK';

function nobody({ server, folder }: Subject, { why, missing }: NotStarting): Finding {
  const start = installed(SDK, HERE) ? ownCommand('run --start -- <command>', folder) : installSdk(server);
  const remedy = `if your own code starts an SDK, run doctor with its --import in NODE_OPTIONS; else let the preload start do it: ${start}`;
  switch (why) {
    case 'no sdk-node':
      return skipped('@opentelemetry/sdk-node is missing');
    case 'no server':
      return skipped('no Paperclip found that could start one');
    case 'absent':
      return problem(`this Paperclip starts none, and neither does the preload register: ${YOURS}`, remedy);
    case 'off':
      return problem(
        `the preload register starts none, and Paperclip only where OTEL_EXPORTER_OTLP_ENDPOINT is set: ${YOURS}`,
        remedy,
      );
    case 'packages':
      return problem(
        `Paperclip does not start its own, because it needs ${missing.join(', ')}: ${YOURS}`,
        installCommand(server === undefined ? '' : installedAs(server).folder, ...missing),
      );
  }
}

function starts({ by, version }: Starting, env: Env, served: readonly Signal[]): Finding {
  const who = by === 'preload' ? 'the preload start starts' : 'Paperclip starts';
  const name = serviceNameOf(env) ?? DEFAULT_SERVICE_NAME;
  const rest = served.length === 0 ? '' : ' for the other signals';
  return ok(`${who} NodeSDK of @opentelemetry/sdk-node ${version}${rest}; service.name is ${name}`);
}

/** A signal that nobody exports, because a variable says so. */
function switchedOff(signal: Signal): Finding {
  const found = `${signal} are not exported: ${exporterVariable(signal)}=none`;
  return signal === 'metrics' ? note(`${found}; both rates are metrics`) : ok(found);
}

async function exported(
  starting: Starting,
  exporters: readonly Exporter[],
  served: readonly Signal[],
  env: Env,
  faults: readonly Fault[],
): Promise<Finding[]> {
  const isWrong = (signal: Signal) => faults.some(({ about }) => about.includes(exporterVariable(signal)));
  if (served.length === 0 && !exporters.some(({ signal }) => signal !== 'logs')) {
    if (SIGNALS.some(isWrong)) return [skipped('what is exported is not certain')];
    const names = (['traces', 'metrics'] as const).map(exporterVariable);
    return [problem('neither traces nor metrics are exported', `unset ${names.join(' and ')}`)];
  }
  const findings = [...destinations(exporters)].map(([what, signals]) =>
    ok(`${signals.join(', ')}: ${what}`),
  );
  for (const signal of SIGNALS) {
    if (
      isWrong(signal) ||
      served.includes(signal) ||
      exporters.some((exporter) => exporter.signal === signal)
    )
      continue;
    findings.push(switchedOff(signal));
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
    input: start,
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
