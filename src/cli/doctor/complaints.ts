/** What an SDK complains about when it is started, by starting it. */
import { type Finding, note, problem, REPORT, type Subject } from './check.js';
import { SIGNALS, text, variable } from './exporters.js';
import { errorLine, runProbe } from './probe.js';
import { probeEnvironment } from './probe-environment.js';
import type { Start, Started } from './probes/sdk.js';
import type { Fault } from './values.js';
import type { Starting } from './which-sdk.js';

/** Time limit for a process that loads and starts an SDK, in milliseconds. */
const LIMIT = 20_000;

/** What the SDK says where a signal is left out on purpose, after other complaints, and of what `variables` notes. */
const NEEDLESS =
  /contains "none"\. SDK will not be|Unable to set up trace exporter|URL path should not be set/;

/** What the real one complains about, where no variable has been found to be the reason. */
export async function complaints(
  { env, folder }: Subject,
  { from, given }: Starting,
  faults: readonly Fault[],
): Promise<Finding[]> {
  const start: Start = { from, exporter: given?.package, url: given?.url };
  const { answer, stderr, timedOut } = await runProbe<Started>('sdk', {
    args: [JSON.stringify(start)],
    env: probeEnvironment(env),
    cwd: folder,
    limit: LIMIT,
  });
  if (answer === undefined) {
    const error = timedOut ? `it takes longer than ${LIMIT / 1000} seconds` : errorLine(stderr);
    const remedy = timedOut || error === undefined ? REPORT : remedyOf(error, env);
    return [problem(`the SDK does not start: ${error ?? 'it ends without a word'}`, remedy)];
  }
  const said = faults.flatMap(({ about }) => about).filter((part) => part !== '');
  // A short value is about anywhere, unless it is quoted.
  const isSaid = (complaint: string) =>
    knownOf(complaint)?.about.some((name) => said.includes(name)) === true ||
    said.some((part) =>
      (part.length > 2 ? [part] : [`"${part}"`, `'${part}'`]).some((form) => complaint.includes(form)),
    );
  const { failure, warnings } = answer;
  const unsaid = [...new Set(warnings)].filter((each) => !NEEDLESS.test(each) && !isSaid(each));
  return [
    ...unsaid.map((complaint) =>
      /deprecated/i.test(complaint)
        ? note(`the SDK says: ${complaint}`)
        : problem(`the SDK says: ${complaint}`, remedyOf(complaint, env)),
    ),
    ...(failure === undefined || faults.length > 0
      ? []
      : [problem(`the SDK does not start: ${failure}`, remedyOf(failure, env))]),
  ];
}

/** A complaint that no variable's check knows, and that names no variable. */
interface Known {
  readonly pattern: RegExp;
  /** The variables that it may be about. */
  readonly about: readonly string[];
  /** @param set those of them that are set, in words */
  remedy(set: string): string;
}

const named = (setting: string) => [undefined, ...SIGNALS].map((signal) => variable(signal, setting));
const unreadable = (pattern: RegExp, setting: string): Known => ({
  pattern,
  about: named(setting),
  remedy: (set) => `set ${set} to a file that can be read: its path is taken from the folder of the server`,
});

const KNOWN: readonly Known[] = [
  unreadable(/Failed to read root certificate file/, 'CERTIFICATE'),
  unreadable(/Failed to read client certificate chain file/, 'CLIENT_CERTIFICATE'),
  unreadable(/Failed to read client certificate private key file/, 'CLIENT_KEY'),
  {
    pattern: /Client key and certificate must both be provided/,
    about: [...named('CLIENT_KEY'), ...named('CLIENT_CERTIFICATE')],
    remedy: () =>
      `set both ${variable(undefined, 'CLIENT_KEY')} and ${variable(undefined, 'CLIENT_CERTIFICATE')}, or unset both`,
  },
  {
    pattern: /"jaeger" requested/,
    about: ['OTEL_PROPAGATORS'],
    remedy: (set) => `set ${set}=tracecontext,baggage`,
  },
];

function knownOf(complaint: string): Known | undefined {
  return KNOWN.find(({ pattern }) => pattern.test(complaint));
}

/** What to do about a complaint. */
export function remedyOf(complaint: string, env: Subject['env']): string {
  const known = knownOf(complaint);
  if (known !== undefined)
    return known.remedy(known.about.filter((name) => text(env, name) !== undefined).join(' or '));
  const [name = 'the setting named above'] = /\bOTEL_\w+/.exec(complaint) ?? [];
  return `correct ${name}`;
}
