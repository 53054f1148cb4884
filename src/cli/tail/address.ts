/** The address on which `tail` listens, and what users are told about it. */
import { PACKAGE_NAME } from '../../version.js';

export interface Address {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** SDKs send to `http://localhost:4318` by default. */
export const DEFAULT_ADDRESS: Address = { host: '127.0.0.1', port: 4318 };

/** `http://localhost` reaches a server that listens on one of these. */
const LOCAL = ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::'];

/** @returns lines that say how to start a server that sends here. All but the command fit 80 columns. */
export function instructions(address: Address): string[] {
  const url = urlOf(address);
  const command = `npx ${PACKAGE_NAME} run --start -- npx paperclipai run`;
  const isDefault = address.port === DEFAULT_ADDRESS.port && LOCAL.includes(address.host);
  const elsewhere = [
    '  and one elsewhere with',
    `  OTEL_EXPORTER_OTLP_ENDPOINT=http://<this machine's address>:${address.port}`,
  ];
  return [
    `Waiting on ${url} for a Paperclip server.`,
    'In another terminal, start one that sends here:',
    `  ${isDefault ? '' : `OTEL_EXPORTER_OTLP_ENDPOINT=${url} `}${command}`,
    ...(isEverywhere(address) ? elsewhere : []),
    'Operations come within seconds, the rates with metrics: every 60 s, or as',
    'OTEL_METRIC_EXPORT_INTERVAL says (in ms).',
  ];
}

/** @returns whether the host stands for all addresses of the machine. Nothing can be sent to such a host. */
function isEverywhere({ host }: Address): boolean {
  return host === '0.0.0.0' || host === '::';
}

function urlOf({ host, port }: Address): string {
  if (isEverywhere({ host, port })) return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** @returns why listening on an address failed, and what to do */
export function explainListenError(
  { code, message }: NodeJS.ErrnoException,
  { host, port }: Address,
): string {
  switch (code) {
    case 'EADDRINUSE': {
      const other = port === 65_535 ? DEFAULT_ADDRESS.port : port + 1;
      return (
        `port ${port} of ${host} is in use, by a collector or another tail. End that, or choose another with --port ${other} ` +
        `and for the server with OTEL_EXPORTER_OTLP_ENDPOINT=${urlOf({ host, port: other })}`
      );
    }
    case 'EACCES':
      return `port ${port} of ${host} may not be opened: choose one from 1024 on with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine: choose one with --host, such as 127.0.0.1, or 0.0.0.0 for all`;
    default:
      return `${urlOf({ host, port })} cannot be listened on: ${message}`;
  }
}
