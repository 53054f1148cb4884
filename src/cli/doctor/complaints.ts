/** What an SDK complains about when it is started, by starting it. */
import { keepFromChildren } from '../../attach/inheritance.js';
import { type Finding, note, problem, type Subject } from './check.js';
import { list } from './exporters.js';
import { errorLine, runProbe } from './probe.js';
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
    env: quiet(env),
    cwd: folder,
    limit: LIMIT,
  });
  if (answer === undefined) {
    const why = timedOut
      ? `it takes longer than ${LIMIT / 1000} seconds`
      : (errorLine(stderr) ?? 'it ends without a word');
    return [problem(`the SDK does not start: ${why}`, 'repair what this names')];
  }
  const said = faults.flatMap(({ about }) => about).filter((part) => part !== '');
  // A short value is about anywhere, unless it is quoted.
  const isSaid = (text: string) =>
    said.some((part) =>
      (part.length > 2 ? [part] : [`"${part}"`, `'${part}'`]).some((form) => text.includes(form)),
    );
  const { failure, warnings } = answer;
  const unsaid = [...new Set(warnings)].filter((text) => !NEEDLESS.test(text) && !isSaid(text));
  return [
    ...unsaid.map((text) =>
      /deprecated/i.test(text)
        ? note(`the SDK says: ${text}`)
        : problem(`the SDK says: ${text}`, remedyOf(text)),
    ),
    ...(failure === undefined || faults.length > 0
      ? []
      : [problem(`the SDK does not start: ${failure}`, 'repair the variable that this is about')]),
  ];
}

/** The environment for a process that tries an SDK: nothing is logged or attached, and no port is opened. */
export function quiet(env: Subject['env']): NodeJS.ProcessEnv {
  const readers = list(env, 'OTEL_METRICS_EXPORTER').filter((name) => name !== 'prometheus');
  const kept: NodeJS.ProcessEnv = { ...env };
  delete kept.OTEL_LOG_LEVEL;
  if (list(env, 'OTEL_METRICS_EXPORTER').includes('prometheus'))
    kept.OTEL_METRICS_EXPORTER = readers.length === 0 ? 'none' : readers.join(',');
  keepFromChildren({ env: kept, execArgv: [] });
  return kept;
}

/** What repairs a complaint of the SDK that no variable's check knows. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /Failed to read root certificate file/,
    'set OTEL_EXPORTER_OTLP_CERTIFICATE to a file that can be read: its path is taken from the folder of the server',
  ],
  [
    /Failed to read client certificate chain file/,
    'set OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE to a file that can be read: its path is taken from the folder of the server',
  ],
  [
    /Failed to read client certificate private key file/,
    'set OTEL_EXPORTER_OTLP_CLIENT_KEY to a file that can be read: its path is taken from the folder of the server',
  ],
  [
    /Client key and certificate must both be provided/,
    'set both OTEL_EXPORTER_OTLP_CLIENT_KEY and OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE, or unset both',
  ],
  [/"jaeger" requested/, 'set OTEL_PROPAGATORS=tracecontext,baggage'],
];

function remedyOf(warning: string): string {
  return REMEDIES.find(([pattern]) => pattern.test(warning))?.[1] ?? 'repair the variable that this is about';
}
