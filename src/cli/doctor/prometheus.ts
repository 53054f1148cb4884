/** Whether the exporter for Prometheus can listen, by listening there for a moment. */
import { createServer } from 'node:net';
import type { Env } from '../otel/environment.js';
import type { Exporter } from '../otel/exporters.js';
import { type Finding, note, problem } from './check.js';

/** @param isLine3 whether the SDK is that of OpenTelemetry JS 3.x */
export async function listens(
  { host, port }: Extract<Exporter, { type: 'prometheus' }>,
  isLine3: boolean,
  env: Env,
): Promise<Finding[]> {
  const isLocal = host === undefined && isLine3;
  const error = await errorOfListening(port, host ?? (isLocal ? 'localhost' : undefined));
  return [
    ...(isLocal
      ? [
          note(
            'prometheus listens on localhost only; OTEL_EXPORTER_PROMETHEUS_HOST=0.0.0.0 opens it to other machines',
          ),
        ]
      : []),
    ...(error === undefined ? [] : explain(error, port, host)),
    ...(env.OTEL_EXPORTER_PROMETHEUS_PORT?.trim() === '0'
      ? [note(`OTEL_EXPORTER_PROMETHEUS_PORT=0 means ${port}`)]
      : []),
  ];
}

function explain(error: string, port: number, host: string | undefined): Finding[] {
  if (error === 'EADDRINUSE')
    return [
      note(
        `port ${port} is in use: by the server that runs, or by another program, and then there are no metrics`,
      ),
    ];
  if (error === 'EACCES')
    return [
      problem(
        `prometheus may not listen on port ${port} as this user (EACCES), and then there are no metrics`,
        'set OTEL_EXPORTER_PROMETHEUS_PORT=9464',
      ),
    ];
  // White space around a host is found by the check of variables.
  if (host === undefined || host !== host.trim()) return [];
  return [
    problem(
      `prometheus cannot listen on ${host}, which is no address of this machine (${error}), and then there are no metrics`,
      'unset OTEL_EXPORTER_PROMETHEUS_HOST',
    ),
  ];
}

/** @returns why a server cannot listen there: a code of Node.js; nothing where it can */
function errorOfListening(port: number, host: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    try {
      server.listen({ port, host }, () => server.close(() => resolve(undefined)));
    } catch {
      // It is no valid port, which the check of variables finds.
      resolve(undefined);
    }
  });
}
