/** Other places and protocols at which a collector may answer, and the variables that lead there. */
import { hasCredentials, isPlain } from './credentials.js';
import { type Env, text } from './environment.js';
import { type OtlpExporter, type Protocol, type Signal, variable } from './exporters.js';

/** An export to try. */
export interface Attempt {
  readonly signal: Signal;
  readonly protocol: Protocol;
  /** Where it goes; nothing where the variables say it. */
  readonly url?: string | undefined;
}

/** An export to try without credentials, and what to do where it succeeds. */
export interface Alternative extends Attempt {
  /** Scheme, host and port, and over HTTP the signal's own path. Nothing else of the endpoint is sent there. */
  readonly url: string;
  /** Whether an answer that asks for credentials is enough: nothing else explains it. */
  readonly mayAskForCredentials: boolean;
  /** What is wrong then, where that is clear; follows the place. */
  readonly found: string | undefined;
  readonly remedy: string;
}

/** The usual ports of collectors. */
const PORTS = { grpc: '4317', http: '4318' } as const;

/**
 * @param exporter one whose export failed
 * @param wasRefused whether nothing listens on its port
 * @returns the likelier first
 */
export function alternatives(env: Env, exporter: OtlpExporter, wasRefused: boolean): readonly Alternative[] {
  // There is nothing else to try for `unix:`, or for an address without scheme.
  if (!/^https?:\/\//.test(exporter.url) || !URL.canParse(exporter.url)) return [];
  const { protocol, url, signal } = exporter;
  const other: Protocol = protocol === 'grpc' ? 'http/protobuf' : 'grpc';
  const here = new URL(new URL(url).origin);
  const elsewhere = otherPort(here);
  const at = (protocol: Protocol, place: URL) => alternativeAt(env, exporter, protocol, place);
  return [
    ...(wasRefused
      ? []
      : [
          ...(protocol === 'grpc' || new URL(url).pathname === `/v1/${signal}` ? [] : [at(protocol, here)]),
          ...(protocol === 'grpc' ? [] : [at(encoding(protocol), here)]),
          at(other, here),
          ...otherScheme(env, exporter).map((place) => at(protocol, place)),
        ]),
    ...(elsewhere === undefined ? [] : [at(protocol, elsewhere), at(other, elsewhere)]),
  ];
}

const encoding = (protocol: Protocol): Protocol => (protocol === 'http/json' ? 'http/protobuf' : 'http/json');

/** Nobody is told to send credentials without encryption. */
function otherScheme(env: Env, exporter: OtlpExporter): URL[] {
  const isEncrypted = exporter.url.startsWith('https:');
  if (isEncrypted && hasCredentials(env, exporter)) return [];
  const { host } = new URL(exporter.url);
  return [new URL(`${isEncrypted ? 'http' : 'https'}://${host}`)];
}

function otherPort(url: URL): URL | undefined {
  const moved = new URL(url);
  if (url.port === PORTS.grpc) moved.port = PORTS.http;
  else if (url.port === PORTS.http) moved.port = PORTS.grpc;
  else return undefined;
  return moved;
}

/** @param place scheme, host and port */
function alternativeAt(env: Env, exporter: OtlpExporter, protocol: Protocol, place: URL): Alternative {
  const { signal, url } = exporter;
  const isHere = new URL(url).host === place.host;
  const steps: string[] = [];
  if (protocol !== exporter.protocol) steps.push(`set ${protocolVariable(env, exporter)}=${protocol}`);
  steps.push(...stepsTo(env, exporter, protocol, place));
  return {
    signal,
    protocol,
    url: protocol === 'grpc' ? place.origin : `${place.origin}/v1/${signal}`,
    mayAskForCredentials: isHere && isPlain(url, signal),
    found: isHere ? foundAt(exporter, protocol, place) : undefined,
    remedy: steps.join(' and ').replaceAll(' and set ', ' and '),
  };
}

/**
 * How to change the endpoint, so that exports go to a place. Where the URL has a path or a password to keep, it is not
 * written out.
 */
function stepsTo(env: Env, exporter: OtlpExporter, protocol: Protocol, place: URL): string[] {
  const { signal, endpointBy = variable(undefined, 'ENDPOINT') } = exporter;
  const written = endpointWith(env, exporter, protocol);
  const is = new URL(/^\w+:\/\//.test(written) ? written : `${new URL(exporter.url).protocol}//${written}`);
  // The SDK appends each signal's own path to an endpoint for all of them, and with gRPC leaves paths out.
  const path = endpointBy === variable(signal, 'ENDPOINT') ? `/v1/${signal}` : '/';
  const steps = [
    ...(written.startsWith(`${place.protocol}//`)
      ? []
      : [`let ${endpointBy} begin with ${place.protocol}//`]),
    ...(is.port === place.port ? [] : [`change the port in ${endpointBy} to ${place.port}`]),
    ...(is.pathname === path || protocol === 'grpc' ? [] : [pathStep(endpointBy, path)]),
  ];
  const isAll =
    is.username + is.password + is.search + is.hash === '' && (path === '/' || protocol === 'grpc');
  return steps.length > 0 && isAll ? [`set ${endpointBy}=${place.origin}`] : steps;
}

/** @param path `/` for none */
export function pathStep(name: string, path: string): string {
  return path === '/' ? `take the path out of ${name}` : `change the path in ${name} to ${path}`;
}

/** What an answer by this protocol says about the place that was tried first. */
function foundAt({ url, protocol }: OtlpExporter, answering: Protocol, place: URL): string | undefined {
  const [is, was] = [answering, protocol].map((each) => (each === 'grpc' ? 'grpc' : 'http'));
  if (is !== was) return `speaks ${is}, not ${protocol}`;
  return place.protocol === 'https:' && url.startsWith('http:') ? 'is encrypted' : undefined;
}

/** The endpoint as the variables set it now. */
function endpointWith(env: Env, { endpointBy }: OtlpExporter, protocol: Protocol): string {
  if (endpointBy === undefined) return `http://localhost:${protocol === 'grpc' ? PORTS.grpc : PORTS.http}`;
  return (text(env, endpointBy) ?? '').trim();
}

/** The variable that sets the exporter's protocol. */
function protocolVariable(env: Env, { signal }: OtlpExporter): string {
  const own = variable(signal, 'PROTOCOL');
  return text(env, own) === undefined ? variable(undefined, 'PROTOCOL') : own;
}
