/** Check: which SDK would start, and what it exports where. */
import { createServer } from 'node:net';
import { SWITCH_NAME, type Switch, switchedOffBy } from '../../attach/environment.js';
import { commaSeparated } from '../../text.js';
import { installCommand } from '../installation/command-lines.js';
import { isLine3 } from '../installation/installed.js';
import { type Check, type Finding, note, ok, problem, type Subject, skipped } from './check.js';
import { complaints } from './complaints.js';
import { areSwitchesContradicting } from './contradictions.js';
import { destinations } from './destinations.js';
import {
  type Exporter,
  exporterVariable,
  list,
  SIGNALS,
  type Signal,
  serviceNameInResource,
} from './exporters.js';
import { canAttach } from './packages.js';
import type { Fault } from './values.js';
import { faultsOf } from './variables.js';
import { exportersOfSdk, type NotStarting, ownSdkOf, type Starting, sdkOf } from './which-sdk.js';
import { isSdkYours } from './your-sdk.js';

export const sdk: Check = {
  id: 'sdk',
  title: 'SDK',
  run: async (subject) => {
    const { env } = subject;
    const switchedOff = switchedOffBy(env);
    if (switchedOff !== undefined) return [off(env, switchedOff)];
    const starting = sdkOf(subject);
    if (await isSdkYours(subject)) return yours(starting);
    if (starting.by === 'nobody') return [nobody(subject, starting)];
    if (starting.by === 'preload' && !canAttach()) return [skipped('packages are missing')];
    const exporters = exportersOfSdk(starting, env);
    const faults = faultsOf(env, exporters);
    return [
      starts(starting, env),
      ...(await exported(starting, exporters, env, faults)),
      ...(await complaints(subject, starting, faults)),
      ...second(subject, starting),
    ];
  },
};

/** Which of the variables has switched this package off. */
function off(env: Subject['env'], name: Switch): Finding {
  if (areSwitchesContradicting(env)) return skipped('switched off by variables that contradict each other');
  const names = commaSeparated(env[name] ?? '');
  const found = `${name}=${names.join(',')} switches this package off`;
  if (name === 'OTEL_SDK_DISABLED') return problem(`${found}, and starts no SDK`, `unset ${name}`);
  if (name === 'OTEL_NODE_ENABLED_INSTRUMENTATIONS')
    return problem(found, `set ${name}=${[...names, SWITCH_NAME].join(',')}`);
  const others = names.filter((each) => each !== SWITCH_NAME);
  return problem(found, others.length === 0 ? `unset ${name}` : `set ${name}=${others.join(',')}`);
}

/** What Paperclip would start is not missed. */
function yours(starting: Starting | NotStarting): Finding[] {
  const found = ok('your own code starts one, by NODE_OPTIONS');
  if (starting.by !== 'nobody' || starting.why !== 'packages') return [found];
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

function starts({ by, version }: Starting, env: Subject['env']): Finding {
  const who = by === 'preload' ? 'the preload start starts' : 'Paperclip starts';
  return ok(`${who} NodeSDK of @opentelemetry/sdk-node ${version}; service.name is ${serviceName(env)}`);
}

/** As the resource detector `env` reads it, and else as the preload and Paperclip name it. */
function serviceName(env: Subject['env']): string {
  const detectors = list(env, 'OTEL_NODE_RESOURCE_DETECTORS');
  const isRead = detectors.length === 0 || detectors.includes('env') || detectors.includes('all');
  if (!isRead || detectors.includes('none')) return 'paperclip';
  return env.OTEL_SERVICE_NAME?.trim() || serviceNameInResource(env) || 'paperclip';
}

async function exported(
  starting: Starting,
  exporters: readonly Exporter[],
  env: Subject['env'],
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
    if (exporter.type === 'prometheus') findings.push(...(await prometheus(exporter, starting, env)));
  return findings;
}

async function prometheus(
  { host, port }: Extract<Exporter, { type: 'prometheus' }>,
  { version }: Starting,
  env: Subject['env'],
): Promise<Finding[]> {
  const isLocal = host === undefined && isLine3({ version });
  const findings: Finding[] = [];
  if (isLocal)
    findings.push(
      note(
        'prometheus listens on localhost only; OTEL_EXPORTER_PROMETHEUS_HOST=0.0.0.0 opens it to other machines',
      ),
    );
  const refusal = await listeningRefused(port, host ?? (isLocal ? 'localhost' : undefined));
  if (refusal !== undefined) findings.push(...notListening(refusal, port, host));
  const given = env.OTEL_EXPORTER_PROMETHEUS_PORT?.trim();
  if (given === '0') findings.push(note(`OTEL_EXPORTER_PROMETHEUS_PORT=0 means ${port}`));
  return findings;
}

/**
 * @param refusal a code of Node.js
 * @param host the one that is named
 */
export function notListening(refusal: string, port: number, host: string | undefined): Finding[] {
  if (refusal === 'EADDRINUSE')
    return [
      note(
        `port ${port} is in use: by the server that runs, or by another program, and then there are no metrics`,
      ),
    ];
  if (refusal === 'EACCES')
    return [
      problem(
        `prometheus may not listen on port ${port} as this user (EACCES), and then there are no metrics`,
        'set OTEL_EXPORTER_PROMETHEUS_PORT=9464',
      ),
    ];
  // White space around it is the check's of variables.
  if (host === undefined || host !== host.trim()) return [];
  return [
    problem(
      `prometheus cannot listen on ${host}, which is no address of this machine (${refusal}), and then there are no metrics`,
      'unset OTEL_EXPORTER_PROMETHEUS_HOST',
    ),
  ];
}

/** @returns why a server cannot listen there: a code of Node.js; nothing where it can */
function listeningRefused(port: number, host: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    try {
      server.listen({ port, host }, () => server.close(() => resolve(undefined)));
    } catch {
      // No port at all, which is the check's of variables.
      resolve(undefined);
    }
  });
}

/** Paperclip's own, behind that of the preload. */
function second(subject: Subject, { by }: Starting): Finding[] {
  if (by !== 'preload' || ownSdkOf(subject).by !== 'Paperclip') return [];
  return [
    note(
      "Paperclip starts its own as well, later: what it registers is refused, its spans go where the preload's go, and its metrics and logs stay empty",
    ),
  ];
}
