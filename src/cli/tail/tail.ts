/** Receives telemetry and shows it, live or as a summary. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Address, instructions } from './address.js';
import { headerOf, operationLine, outcomesTable } from './lines.js';
import { type Notice, openReceiver } from './receiver.js';
import { type Output, Screen } from './screen.js';
import { Session } from './session.js';
import { paintFor } from './style.js';
import type { Tally } from './tally.js';

/** The parts of a process that are used here. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Pick<Output, 'write'>;
  readonly env: NodeJS.ProcessEnv;
}

/** Each is printed once, in lines that fit 80 columns. Nothing in them comes from a sender. */
const NOTICES: Record<Notice, readonly string[]> = {
  busy: [
    'more came at once than is kept in memory here. The senders were told',
    'to try again, which exporters do by themselves.',
  ],
  contentType: [
    'a request is neither protobuf nor JSON by its Content-Type, and was',
    'refused. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf for the server.',
  ],
  encoding: [
    'a request is compressed, but not with gzip, and was refused.',
    'Set OTEL_EXPORTER_OTLP_COMPRESSION=gzip for the server, or in a collector',
    '"compression: gzip" for the exporter.',
  ],
  fault: ['a request was not taken, by a fault of this command. Please report it.'],
  grpc: [
    'somebody sends over gRPC, which is not understood here.',
    'Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf for the server, or use the',
    'exporter otlphttp in a collector.',
  ],
  notHttp: ['something came that is not HTTP, and was refused.', 'Check what sends to this port.'],
  path: [
    'an export came to an unknown path, and was refused. The paths are',
    '/v1/traces, /v1/metrics and /v1/logs. OTEL_EXPORTER_OTLP_ENDPOINT is without',
    'them, and without a slash at its end. The variables',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_METRICS_ENDPOINT are',
    'with them, where they are set.',
  ],
  tls: [
    'somebody sends over TLS (https://), which is not understood here.',
    'Set OTEL_EXPORTER_OTLP_ENDPOINT for the server, or in a collector the endpoint',
    'of the exporter, to an address with http://.',
  ],
  tooLarge: [
    'a request was too large, and what it had is lost.',
    'Set OTEL_BSP_MAX_EXPORT_BATCH_SIZE of the server lower, or',
    'send_batch_max_size of the batch processor in a collector.',
  ],
  tooManyConnections: [
    'somebody opens more connections than are taken here, and has to try',
    'again. Check what sends to this port.',
  ],
  unreadable: [
    'the body of a request is not the OTLP that its headers announce, and',
    'was refused. Check what sends to this port, and whether a proxy changes it.',
  ],
};

/**
 * Prints operations as they arrive, and a header with both rates, until the signal is aborted.
 *
 * @throws Error that says what to do if the address cannot be used
 */
export async function showLive(address: Address, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const session = new Session();
  const { tally, rates } = session;
  const screen = new Screen(terminal.stdout, terminal.env);
  const receiver = await openReceiver(address, {
    onTraces: (request) => {
      const lines = session
        .takeTraces(request)
        .map((operation) => operationLine(operation, tally.failureOf(operation), screen.paint));
      screen.print(lines, headerOf(rates, tally));
    },
    onMetrics: (request) => {
      session.takeMetrics(request);
      screen.print([], headerOf(rates, tally));
      screen.printHeader();
    },
    onNotice: eachOnce((notice) => screen.interrupt(() => terminal.stderr.write(notice))),
  });
  announce({ ...address, port: receiver.port }, terminal);
  screen.print([], headerOf(rates, tally));
  await aborted(signal);
  receiver.close();
  screen.end();
}

/**
 * Waits until a server has sent operations, and metrics that it collected after one of them ended, in any order. Then, or after
 * the time limit, prints a summary of everything that arrived.
 *
 * @param limit in seconds
 * @returns what arrived. The summary is printed only if some of it is from this package.
 * @throws Error that says what to do if the address cannot be used
 */
export async function showSummary(
  address: Address,
  terminal: Terminal,
  limit: number,
  signal: AbortSignal,
): Promise<Tally> {
  const session = new Session();
  const { tally, rates } = session;
  const complete = new AbortController();
  const taking = (take: (request: object) => void) => (request: object) => {
    take(request);
    // The request is answered first, or the server would send it again.
    if (tally.isComplete) setImmediate(() => complete.abort());
  };
  const receiver = await openReceiver(address, {
    onTraces: taking((request) => session.takeTraces(request)),
    onMetrics: taking((request) => session.takeMetrics(request)),
    onNotice: eachOnce((notice) => terminal.stderr.write(notice)),
  });
  announce({ ...address, port: receiver.port }, terminal);
  const enough = AbortSignal.any([complete.signal, signal]);
  await delay(limit * 1_000, undefined, { signal: enough }).catch(() => {});
  receiver.close();
  if (tally.servers === 0) return tally;
  const table = outcomesTable(tally.outcomes, paintFor(terminal.stdout, terminal.env));
  terminal.stdout.write([...table, headerOf(rates, tally)[0], ''].join('\n'));
  return tally;
}

function announce(address: Address, { stderr }: Terminal): void {
  stderr.write(`${instructions(address).join('\n')}\n`);
}

function eachOnce(print: (line: string) => void): (notice: Notice) => void {
  const printed = new Set<Notice>();
  return (notice) => {
    if (!printed.has(notice)) print(`warning: ${NOTICES[notice].join('\n  ')}\n`);
    printed.add(notice);
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
