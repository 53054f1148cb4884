/** Check: whether what would be exported arrives, by sending exports without content. */
import { switchedOffBy } from '../../attach/environment.js';
import { causeOf } from './causes.js';
import { type Check, type Finding, ok, problem, type Subject, skipped } from './check.js';
import { addressOf, destinations, placeOf } from './destinations.js';
import { exporterVariable, type OtlpExporter, type Signal, variable } from './exporters.js';
import { OTLP_SETTINGS } from './known-variables.js';
import { canAttach } from './packages.js';
import { runProbe } from './probe.js';
import { probeEnvironment } from './probe-environment.js';
import type { Attempt, Exports, Outcome } from './probes/export.js';
import { type Alternative, alternatives } from './remedies.js';
import { faultsOf } from './variables.js';
import { exportersOfSdk, type Starting, sdkOf } from './which-sdk.js';

/** How long an export may take, in milliseconds. */
const LIMIT = 3_000;
/** The same for the process that sends some at once. */
const PROBE_LIMIT = 20_000;
/** Settings that decide whether and how a signal is sent. The time limit is one of those above. */
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
    if (switchedOffBy(env) !== undefined || sdk.by === 'nobody')
      return [skipped('no SDK is known to start, so nothing is sent')];
    if (sdk.by === 'preload' && !canAttach()) return [skipped('packages are missing')];
    const exporters = exportersOfSdk(sdk, env);
    const sending = exporters.filter((exporter) => exporter.type === 'otlp');
    if (exporters.length === 0) return [skipped('nothing is exported')];
    if (sending.length === 0)
      return [ok(`nothing is sent to a collector: ${[...destinations(exporters).keys()].join(', ')}`)];

    const said = new Set(faultsOf(env, exporters).flatMap(({ about }) => about));
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

/** What {@link DECIDING} is called for a signal, and what switches it off. */
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

  const lines = new Map<string, { finding: (signals: string) => Finding; signals: Signal[] }>();
  for (const { exporter, outcome } of tried) {
    const cause = causeOf(exporter, outcome, subject.env, LIMIT);
    // Whatever is spoken there.
    const isAlike = !outcome.isDone && ['refused', 'name', 'unreachable'].includes(cause.kind);
    const place = isAlike ? addressOf(exporter) : placeOf(exporter);
    const other = remedies.get(exporter);
    const found = `${place} ${outcome.isDone ? 'answers' : (other?.found ?? cause.found)}`;
    const remedy = outcome.isDone ? undefined : (other?.remedy ?? cause.remedy);
    const line = lines.get(`${found}\n${remedy}`) ?? {
      signals: [],
      finding: (signals) => {
        const text = `${signals}: ${found}`;
        return remedy === undefined ? ok(text) : problem(text, remedy);
      },
    };
    line.signals.push(exporter.signal);
    lines.set(`${found}\n${remedy}`, line);
  }
  return [...lines.values()].map(({ signals, finding }) => finding(signals.join(', ')));
}

/** Tries what else there may be, really: only what answers is proposed. */
async function othersThatAnswer(
  subject: Subject,
  sdk: Starting,
  tried: readonly Tried[],
): Promise<Map<OtlpExporter, Alternative>> {
  const plans = tried.flatMap(({ exporter, outcome }): (readonly [OtlpExporter, Alternative])[] => {
    if (outcome.isDone) return [];
    const { kind } = causeOf(exporter, outcome, subject.env, LIMIT);
    if (kind === 'credentials' || kind === 'name') return [];
    return alternatives(subject.env, exporter, kind === 'refused').map((plan) => [exporter, plan]);
  });
  if (plans.length === 0) return new Map();
  const outcomes = await send(
    subject,
    sdk,
    plans.map(([, { signal, protocol, url }]) => ({ signal, protocol, url })),
  );
  const found = new Map<OtlpExporter, Alternative>();
  for (const [n, [exporter, plan]] of plans.entries())
    if (outcomes[n]?.isDone === true && !found.has(exporter)) found.set(exporter, plan);
  return found;
}

async function send(
  { env, folder }: Subject,
  { from }: Starting,
  attempts: readonly Attempt[],
): Promise<readonly Outcome[]> {
  const exports: Exports = { from, attempts, limit: LIMIT };
  const { answer, stderr } = await runProbe<Outcome[]>('export', {
    args: [JSON.stringify(exports)],
    env: probeEnvironment(env),
    cwd: folder,
    limit: PROBE_LIMIT,
  });
  return answer ?? attempts.map(() => ({ isDone: false, message: stderr.trim().split('\n').at(-1) }));
}
