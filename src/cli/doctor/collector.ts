/** Check: whether the collector takes what would be exported, by sending empty exports. */
import { switchedOffBy } from '../../attach/environment.js';
import { type Alternative, type Attempt, alternatives } from '../otel/alternatives.js';
import { asksForCredentials, causeOf, type Outcome } from '../otel/causes.js';
import { withoutCredentials } from '../otel/credentials.js';
import type { Env } from '../otel/environment.js';
import {
  destinations,
  exporterVariable,
  type OtlpExporter,
  placeOf,
  type Signal,
  timeLimitsOf,
  variable,
} from '../otel/exporters.js';
import { faultsOf } from '../otel/faults.js';
import { OTLP_SETTINGS } from '../otel/known-variables.js';
import { origin } from '../otel/urls.js';
import { type Check, type Finding, note, ok, problem, type Subject, skipped } from './check.js';
import { canAttach } from './packages.js';
import { quietEnvironment, runProbe } from './probe.js';
import type { Exports } from './probes/export.js';
import { PROGRAM } from './variables.js';
import { exportersOfSdk, type Starting, sdkOf, servedByUser, unservedBy } from './which-sdk.js';

/** Time limit of an export, in milliseconds. */
const LIMIT = 3_000;
/** Time limit of the process that sends several at once, in milliseconds. */
const PROBE_LIMIT = 20_000;
/** How long a collector under load may need to answer, in milliseconds. */
const USUAL = 1_000;
/** Settings that decide whether and how a signal is sent. `TIMEOUT` does not: {@link LIMIT} replaces it. */
const DECIDING = OTLP_SETTINGS.filter((setting) => setting !== 'TIMEOUT');

interface Tried {
  readonly exporter: OtlpExporter;
  readonly outcome: Outcome;
}

export const collector: Check = {
  id: 'collector',
  title: 'Collector',
  run: async (subject) => {
    const { env } = subject;
    const sdk = sdkOf(subject);
    const isOff = switchedOffBy(env) !== undefined;
    const served = isOff ? [] : await servedByUser(subject);
    if (served.length > 0 && (sdk.by === 'nobody' || unservedBy(served, env).length === 0))
      return [skipped('your own SDK exports')];
    if (isOff || sdk.by === 'nobody') return [skipped('no SDK is known to start, so nothing is sent')];
    if (sdk.by === 'preload' && !canAttach()) return [skipped('packages are missing')];
    const exporters = exportersOfSdk(sdk, env, served);
    const sending = exporters.filter((exporter) => exporter.type === 'otlp');
    if (exporters.length === 0) return [skipped('nothing is exported')];
    if (sending.length === 0)
      return [ok(`nothing is sent to a collector: ${[...destinations(exporters).keys()].join(', ')}`)];

    const said = new Set(faultsOf(env, exporters, PROGRAM).flatMap(({ about }) => about));
    const isUncertain = ({ signal }: OtlpExporter) => variablesOf(signal).some((name) => said.has(name));
    const certain = sending.filter((exporter) => !isUncertain(exporter));
    const uncertain = sending.filter(isUncertain).map(({ signal }) => signal);
    return [
      ...(await tryAll(subject, sdk, certain)),
      ...(uncertain.length === 0
        ? []
        : [skipped(`${uncertain.join(', ')}: not tried, because their variables are not right`)]),
    ];
  },
};

/** The variables that decide whether and how a signal is sent. */
function variablesOf(signal: Signal): string[] {
  return [
    exporterVariable(signal),
    ...[undefined, signal].flatMap((one) => DECIDING.map((setting) => variable(one, setting))),
  ];
}

async function tryAll(
  subject: Subject,
  sdk: Starting,
  exporters: readonly OtlpExporter[],
): Promise<Finding[]> {
  if (exporters.length === 0) return [];
  const given = sdk.given?.url;
  const attempts = exporters.map(
    ({ signal, protocol }): Attempt => ({ signal, protocol, url: signal === 'traces' ? given : undefined }),
  );
  const outcomes = await send(subject, sdk, attempts);
  const tried = exporters.map(
    (exporter, n): Tried => ({ exporter, outcome: outcomes[n] ?? { isDone: false } }),
  );
  const remedies = await othersThatAnswer(subject, sdk, tried);

  const lines = new Map<string, { all: Tried[]; finding: Line['finding'] }>();
  for (const each of tried) {
    const { key, finding } = each.outcome.isDone
      ? answering(each, subject.env)
      : failing(each, subject.env, remedies.get(each.exporter));
    lines.set(key, { all: [...(lines.get(key)?.all ?? []), each], finding });
  }
  const answered = tried.filter(({ outcome }) => outcome.isDone);
  return [
    ...[...lines.values()].map(({ all, finding }) =>
      finding(all.map(({ exporter }) => exporter.signal).join(', '), all),
    ),
    ...shortTimeLimits(answered, subject.env),
  ];
}

/** A finding, which is one for all signals with the same key. */
interface Line {
  readonly key: string;
  finding(signals: string, all: readonly Tried[]): Finding;
}

function answering({ exporter, outcome: { took = 0 } }: Tried, env: Env): Line {
  const place = placeOf(exporter);
  const limits = timeLimitsOf(env, exporter.signal);
  const [first] = limits;
  if (first === undefined || took <= first.limit)
    return { key: place, finding: (signals) => ok(`${signals}: ${place} answers`) };
  const { name, limit } = first;
  return {
    key: `${place}\n${name}`,
    finding: (signals, all) => {
      const longest = Math.max(...all.map(({ outcome }) => Math.ceil(outcome.took ?? 0)));
      const tooShort = limits.filter((each) => each.limit < longest).map((each) => each.name);
      return problem(
        `${signals}: ${place} answers after ${longest} ms; ${name}=${limit} gives it ${limit} ms`,
        `unset ${tooShort.join(' and ')}`,
      );
    },
  };
}

function failing({ exporter, outcome }: Tried, env: Env, other: Alternative | undefined): Line {
  const cause = causeOf(exporter, outcome, env, LIMIT);
  // These do not depend on the protocol.
  const isAlike = ['refused', 'name', 'unreachable'].includes(cause.kind);
  const place = isAlike ? origin(exporter.url) : placeOf(exporter);
  const found = `${place} ${other?.found ?? cause.found}`;
  const remedy = other?.remedy ?? cause.remedy;
  return { key: `${found}\n${remedy}`, finding: (signals) => problem(`${signals}: ${found}`, remedy) };
}

/** Time limits that are enough now, and too short for a collector under load. */
function shortTimeLimits(tried: readonly Tried[], env: Env): Finding[] {
  const limits = new Map<string, number>();
  for (const { exporter, outcome } of tried) {
    const [first] = timeLimitsOf(env, exporter.signal);
    if (first !== undefined && first.limit < USUAL && (outcome.took ?? 0) <= first.limit)
      limits.set(first.name, first.limit);
  }
  return [...limits].map(([name, limit]) =>
    note(`${name}=${limit}: what is not answered within ${limit} ms is lost`),
  );
}

/** Tries other places and protocols, so that only those that answer are proposed. */
async function othersThatAnswer(
  subject: Subject,
  sdk: Starting,
  tried: readonly Tried[],
): Promise<Map<OtlpExporter, Alternative>> {
  const plans = tried.flatMap((each): (readonly [Tried, Alternative])[] => {
    const { exporter, outcome } = each;
    if (outcome.isDone) return [];
    const { kind } = causeOf(exporter, outcome, subject.env, LIMIT);
    if (['credentials', 'encryption', 'name'].includes(kind)) return [];
    return alternatives(subject.env, exporter, kind === 'refused').map((plan) => [each, plan]);
  });
  if (plans.length === 0) return new Map();
  const outcomes = await send(
    { ...subject, env: withoutCredentials(subject.env) },
    sdk,
    plans.map(([, { signal, protocol, url }]) => ({ signal, protocol, url })),
  );
  const found = new Map<OtlpExporter, Alternative>();
  for (const [n, [{ exporter, outcome }, plan]] of plans.entries())
    if (isAnswer(outcomes[n], outcome, plan) && !found.has(exporter)) found.set(exporter, plan);
  return found;
}

/** @param first the outcome of the export as it is set: nobody answered in its protocol, or only to refuse it */
function isAnswer(outcome: Outcome | undefined, first: Outcome, plan: Alternative): boolean {
  if (outcome === undefined || outcome.isDone) return outcome !== undefined;
  const isFirst = first.status === undefined || first.status === 400;
  return isFirst && plan.mayAskForCredentials && asksForCredentials(outcome);
}

async function send(
  { env, folder }: Subject,
  { from }: Starting,
  attempts: readonly Attempt[],
): Promise<readonly Outcome[]> {
  const exports: Exports = { from, attempts, limit: LIMIT };
  const { answer, stderr } = await runProbe<Outcome[]>('export', {
    input: exports,
    env: quietEnvironment(env),
    cwd: folder,
    limit: PROBE_LIMIT,
  });
  return answer ?? attempts.map(() => ({ isDone: false, message: stderr.trim().split('\n').at(-1) }));
}
