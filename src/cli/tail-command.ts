/** `tail`: shows lease operations in a terminal, live. */
import { isIPv6 } from 'node:net';
import { constants } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { type End, EXIT } from './exit.js';
import { DEFAULT_ADDRESS } from './tail/address.js';
import type { Terminal } from './tail/tail.js';

const DEFAULT_WAIT = 120;
/** The longest time of a timer, in seconds. */
const MAX_WAIT = 2_147_483;

interface Options {
  readonly port: number;
  readonly host: string;
  readonly once?: boolean;
  readonly wait?: number;
}

export function tailCommand(end: End): Command {
  return new Command('tail')
    .description(
      'Show lease operations as they end, what recovers from what, and both rates, while a server runs. It takes the place of a ' +
        'collector: it receives OTLP over HTTP (protobuf or JSON), and keeps and passes on nothing.',
    )
    .option('-p, --port <port>', 'the port to listen on, 0 for a free one', toPort, DEFAULT_ADDRESS.port)
    .option('--host <host>', 'the address to listen on', toHost, DEFAULT_ADDRESS.host)
    .option(
      '--once',
      'print a summary instead and end, as soon as a server has sent operations and metrics that it collected after one of them',
    )
    .option('--wait <seconds>', `with --once: wait that long for it (default: ${DEFAULT_WAIT})`, toSeconds)
    .addHelpText(
      'after',
      `
The fallback rate and the re-acquire success are those of the servers since they were started, as far as they have sent them:
metrics come every 60 s, or as the server's OTEL_METRIC_EXPORT_INTERVAL says (in ms), and when it ends.
A server that sends elsewhere by its OTEL_EXPORTER_OTLP_* variables is not seen here.
Exit codes of --once: 0 for a summary, also of what came until the time was over or a signal ended it; 1 where nothing came;
130 where nothing came before ^C, and 143 before SIGTERM.

Examples:
  $ npx opentelemetry-instrumentation-paperclip tail
  $ npx opentelemetry-instrumentation-paperclip tail --port 4319
  $ npx opentelemetry-instrumentation-paperclip tail --host 0.0.0.0    # for servers in containers and on other machines
  $ npx opentelemetry-instrumentation-paperclip tail --once --wait 300`,
    )
    .action(async ({ port, host, once = false, wait }: Options, self: Command) => {
      if (wait !== undefined && !once) self.error('error: --wait goes with --once');
      // Imported here, so that the other commands start without it.
      const { showLive, showSummary } = await import('./tail/tail.js');
      const { stdout, stderr, env } = process;
      const terminal: Terminal = { stdout, stderr, env };
      const ending = new AbortController();
      let signalled: NodeJS.Signals | undefined;
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.once(signal, () => {
          signalled = signal;
          ending.abort();
        });
      if (!once) return showLive({ host, port }, terminal, ending.signal);
      const limit = wait ?? DEFAULT_WAIT;
      const { servers, others } = await showSummary({ host, port }, terminal, limit, ending.signal);
      if (servers > 0) return;
      if (signalled !== undefined) return end(128 + constants.signals[signalled]);
      stderr.write(`error: ${nothingCame(limit, others)}\n`);
      end(EXIT.problem);
    });
}

/** @param others how many spans of other packages came */
function nothingCame(limit: number, others: number): string {
  return [
    `nothing of this package came within ${limit} s, ${others > 0 ? 'but spans of others did' : 'and no other span'}.`,
    'It may be that',
    '  - no server has the preload, or it sends elsewhere, which this finds out:',
    '    npx opentelemetry-instrumentation-paperclip doctor',
    '  - the server had no lease operation yet: run an agent, or probe a sandbox',
    '    environment',
    '  - it came too late: --wait waits longer',
  ].join('\n');
}

/** @throws InvalidArgumentError */
function toHost(text: string): string {
  const host = text.trim().replace(/^\[(.*)\]$/, '$1');
  if (host !== '' && (isIPv6(host) || !/[:/[\]]/.test(host))) return host;
  throw new InvalidArgumentError('It is not a host alone, such as 127.0.0.1: the port goes with --port.');
}

function toPort(text: string): number {
  return toWhole(text, 0, 65_535, 'a port');
}

function toSeconds(text: string): number {
  return toWhole(text, 1, MAX_WAIT, 'a number of seconds');
}

/** @throws InvalidArgumentError */
function toWhole(text: string, least: number, most: number, what: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new InvalidArgumentError(`It is not ${what}, from ${least} to ${most}.`);
}
