/** Other places and protocols where a collector may answer, and the variables that lead there. */
import { type OtlpExporter, type Protocol, text, variable } from './exporters.js';
import type { Attempt } from './probes/export.js';

/** Something to try, and what to do where it works. */
export interface Alternative extends Attempt {
  readonly url: string;
  /** What is wrong, where that is known by then; follows the place. */
  readonly found: string | undefined;
  readonly remedy: string;
}

type Env = Readonly<NodeJS.ProcessEnv>;
/** The protocols of collectors' usual ports. */
const PORTS = { grpc: '4317', http: '4318' } as const;

/**
 * @param exporter one whose export failed
 * @param wasRefused whether nothing listens on its port
 * @returns the likelier first
 */
export function alternatives(env: Env, exporter: OtlpExporter, wasRefused: boolean): readonly Alternative[] {
  // `unix:`, or without scheme.
  if (!/^https?:\/\//.test(exporter.url) || !URL.canParse(exporter.url)) return [];
  const { protocol, url } = exporter;
  const other: Protocol = protocol === 'grpc' ? 'http/protobuf' : 'grpc';
  const here = new URL(url);
  const elsewhere = otherPort(here);
  const swapped = new URL(url);
  swapped.protocol = here.protocol === 'https:' ? 'http:' : 'https:';
  const found = [
    ...(wasRefused
      ? []
      : [
          ...paths(exporter).map((right) => to(env, exporter, protocol, right)),
          ...(protocol === 'grpc' ? [] : [to(env, exporter, encoding(protocol), here)]),
          to(env, exporter, other, here),
          to(env, exporter, protocol, swapped),
        ]),
    ...(elsewhere === undefined
      ? []
      : [to(env, exporter, protocol, elsewhere), to(env, exporter, other, elsewhere)]),
  ];
  return found.filter((each) => each !== undefined);
}

const encoding = (protocol: Protocol): Protocol => (protocol === 'http/json' ? 'http/protobuf' : 'http/json');

function otherPort(url: URL): URL | undefined {
  const moved = new URL(url);
  if (url.port === PORTS.grpc) moved.port = PORTS.http;
  else if (url.port === PORTS.http) moved.port = PORTS.grpc;
  else return undefined;
  return moved;
}

/** The signal's own path, once, below what is before it. */
function paths({ protocol, url, signal }: OtlpExporter): URL[] {
  if (protocol === 'grpc') return [];
  const { pathname } = new URL(url);
  const before = pathname.replace(/(?:\/v1\/(?:traces|metrics|logs))+\/?$/, '').replace(/\/$/, '');
  return [...new Set([`${before}/v1/${signal}`, `/v1/${signal}`])]
    .filter((path) => path !== pathname)
    .map((path) => new URL(path, url));
}

/** @param place with the path that the exporter has, which is the signal's own where another protocol needs one */
function to(env: Env, exporter: OtlpExporter, protocol: Protocol, place: URL): Alternative {
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

/** What is known of the place that was tried first, by what answers there. */
function foundAt({ url, protocol }: OtlpExporter, answering: Protocol, place: URL): string | undefined {
  if (new URL(url).host !== place.host) return undefined;
  const [is, was] = [answering, protocol].map((each) => (each === 'grpc' ? 'grpc' : 'http'));
  if (is !== was) return `speaks ${is}, not ${protocol}`;
  return place.protocol === 'https:' && url.startsWith('http:') ? 'is encrypted' : undefined;
}

/** The endpoint as the variables have it by now. */
function endpointWith(env: Env, { endpointBy }: OtlpExporter, protocol: Protocol): string {
  if (endpointBy === undefined) return `http://localhost:${protocol === 'grpc' ? PORTS.grpc : PORTS.http}`;
  return (text(env, endpointBy) ?? '').trim().replace(/\/$/, '');
}

/** The one that decides. */
function protocolVariable(env: Env, { signal }: OtlpExporter): string {
  const own = variable(signal, 'PROTOCOL');
  return text(env, own) === undefined ? variable(undefined, 'PROTOCOL') : own;
}
