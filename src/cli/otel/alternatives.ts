/** Other places and protocols at which a collector may answer, and the variables that lead there. */
import { type Env, text } from './environment.js';
import { type OtlpExporter, type Protocol, type Signal, variable } from './exporters.js';

/** An export to try. */
export interface Attempt {
  readonly signal: Signal;
  readonly protocol: Protocol;
  /** Where it goes; nothing where the variables say it. */
  readonly url?: string | undefined;
}

/** An export to try, and what to do where it succeeds. */
export interface Alternative extends Attempt {
  readonly url: string;
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
  const { protocol, url } = exporter;
  const other: Protocol = protocol === 'grpc' ? 'http/protobuf' : 'grpc';
  const here = new URL(url);
  const elsewhere = otherPort(here);
  const swapped = new URL(url);
  swapped.protocol = here.protocol === 'https:' ? 'http:' : 'https:';
  return [
    ...(wasRefused
      ? []
      : [
          ...signalPaths(exporter).map((right) => alternativeAt(env, exporter, protocol, right)),
          ...(protocol === 'grpc' ? [] : [alternativeAt(env, exporter, encoding(protocol), here)]),
          alternativeAt(env, exporter, other, here),
          alternativeAt(env, exporter, protocol, swapped),
        ]),
    ...(elsewhere === undefined
      ? []
      : [alternativeAt(env, exporter, protocol, elsewhere), alternativeAt(env, exporter, other, elsewhere)]),
  ];
}

const encoding = (protocol: Protocol): Protocol => (protocol === 'http/json' ? 'http/protobuf' : 'http/json');

function otherPort(url: URL): URL | undefined {
  const moved = new URL(url);
  if (url.port === PORTS.grpc) moved.port = PORTS.http;
  else if (url.port === PORTS.http) moved.port = PORTS.grpc;
  else return undefined;
  return moved;
}

/** The signal's own path, behind the path that the URL has, and alone. */
function signalPaths({ protocol, url, signal }: OtlpExporter): URL[] {
  if (protocol === 'grpc') return [];
  const { pathname } = new URL(url);
  const before = pathname.replace(/(?:\/v1\/(?:traces|metrics|logs))+\/?$/, '').replace(/\/$/, '');
  return [...new Set([`${before}/v1/${signal}`, `/v1/${signal}`])]
    .filter((path) => path !== pathname)
    .map((path) => new URL(path, url));
}

/** @param place with the exporter's path. A change from gRPC to HTTP gives it the signal's own. */
function alternativeAt(env: Env, exporter: OtlpExporter, protocol: Protocol, place: URL): Alternative {
  const { signal, endpointBy } = exporter;
  const own = variable(signal, 'ENDPOINT');
  const isOwn = endpointBy === own;
  const url = new URL(place);
  if (protocol === 'grpc') url.pathname = '/';
  else if (exporter.protocol === 'grpc') url.pathname = `/v1/${signal}`;
  url.search = '';
  const base = url.href.replace(new RegExp(`/v1/${signal}$`), '').replace(/\/$/, '');
  const endpoint = isOwn && protocol !== 'grpc' ? url.href : base;

  const steps: string[] = [];
  if (protocol !== exporter.protocol) steps.push(`${protocolVariable(env, exporter)}=${protocol}`);
  if (endpoint !== endpointWith(env, exporter, protocol))
    steps.push(`${endpointBy ?? variable(undefined, 'ENDPOINT')}=${endpoint}`);
  return {
    signal,
    protocol,
    url: protocol === 'grpc' ? base : url.href,
    found: foundAt(exporter, protocol, place),
    remedy: `set ${steps.join(' and ')}`,
  };
}

/** What an answer by this protocol says about the place that was tried first. */
function foundAt({ url, protocol }: OtlpExporter, answering: Protocol, place: URL): string | undefined {
  if (new URL(url).host !== place.host) return undefined;
  const [is, was] = [answering, protocol].map((each) => (each === 'grpc' ? 'grpc' : 'http'));
  if (is !== was) return `speaks ${is}, not ${protocol}`;
  return place.protocol === 'https:' && url.startsWith('http:') ? 'is encrypted' : undefined;
}

/** The endpoint as the variables set it now. */
function endpointWith(env: Env, { endpointBy }: OtlpExporter, protocol: Protocol): string {
  if (endpointBy === undefined) return `http://localhost:${protocol === 'grpc' ? PORTS.grpc : PORTS.http}`;
  return (text(env, endpointBy) ?? '').trim().replace(/\/$/, '');
}

/** The variable that sets the exporter's protocol. */
function protocolVariable(env: Env, { signal }: OtlpExporter): string {
  const own = variable(signal, 'PROTOCOL');
  return text(env, own) === undefined ? variable(undefined, 'PROTOCOL') : own;
}
