/**
 * What the SDK exports, and where to, as it reads that from the variables: `sdk.ts` and `utils.ts` of
 * `@opentelemetry/sdk-node`, `otlp-exporter-base` and `otlp-grpc-exporter-base`, of 0.221, 0.223 and 0.301.
 */
import { type Env, list, text } from './environment.js';
import { origin } from './urls.js';

export const SIGNALS = ['traces', 'metrics', 'logs'] as const;
export type Signal = (typeof SIGNALS)[number];

export const PROTOCOLS = ['http/protobuf', 'http/json', 'grpc'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface OtlpExporter {
  readonly type: 'otlp';
  readonly signal: Signal;
  readonly protocol: Protocol;
  /** Where the requests go. With gRPC it has no path, and `https` where the connection is encrypted. */
  readonly url: string;
  /** The variable that sets the endpoint; nothing where it is the default. */
  readonly endpointBy: string | undefined;
}

export type Exporter =
  | OtlpExporter
  | { readonly type: 'console'; readonly signal: Signal }
  | { readonly type: 'zipkin'; readonly signal: Signal; readonly url: string }
  | {
      readonly type: 'prometheus';
      readonly signal: Signal;
      /** Where none is set, the SDK of 2.x listens on all addresses, that of 3.x on `localhost`. */
      readonly host: string | undefined;
      readonly port: number;
    };

const KNOWN: Readonly<Record<Signal, readonly Exporter['type'][]>> = {
  traces: ['otlp', 'console', 'zipkin'],
  metrics: ['otlp', 'console', 'prometheus'],
  logs: ['otlp', 'console'],
};

/** @returns a signal's exporters, of a `NodeSDK` that gets none in code */
export function exportersOf(env: Env, signal: Signal): readonly Exporter[] {
  return namesOf(env, signal)
    .map((name) => KNOWN[signal].find((known) => known === name))
    .filter((type) => type !== undefined)
    .map((type) => exporterOf(env, signal, type));
}

function exporterOf(env: Env, signal: Signal, type: Exporter['type']): Exporter {
  switch (type) {
    case 'otlp':
      return otlpExporter(env, signal, protocolOf(env, signal));
    case 'console':
      return { type, signal };
    case 'zipkin': {
      const url = text(env, 'OTEL_EXPORTER_ZIPKIN_ENDPOINT') ?? 'http://localhost:9411/api/v2/spans';
      return { type, signal, url };
    }
    case 'prometheus': {
      const host = env.OTEL_EXPORTER_PROMETHEUS_HOST || undefined;
      return { type, signal, host, port: Number(env.OTEL_EXPORTER_PROMETHEUS_PORT) || 9464 };
    }
  }
}

/** @param given an endpoint given in code. With gRPC it wins over the variables. */
export function otlpExporter(env: Env, signal: Signal, protocol: Protocol, given?: string): OtlpExporter {
  const own = variable(signal, 'ENDPOINT');
  const [url, endpointBy] =
    protocol === 'grpc' ? grpcUrl(env, own, given) : httpUrl(env, own, `v1/${signal}`);
  return { type: 'otlp', signal, protocol, url, endpointBy };
}

/** The name of an OTLP variable, of one signal or of all. */
export function variable(signal: Signal | undefined, setting: string): string {
  return `OTEL_EXPORTER_OTLP_${signal === undefined ? '' : `${signal.toUpperCase()}_`}${setting}`;
}

/** The name of the variable that lists a signal's exporters. */
export function exporterVariable(signal: Signal): string {
  return `OTEL_${signal.toUpperCase()}_EXPORTER`;
}

/** The package of the exporter for a signal and a protocol. */
export function otlpPackage(signal: Signal, protocol: Protocol): string {
  const ending = { grpc: 'grpc', 'http/protobuf': 'proto', 'http/json': 'http' }[protocol];
  return `@opentelemetry/exporter-${signal === 'traces' ? 'trace' : signal}-otlp-${ending}`;
}

/** @returns the signals by where they go, in words */
export function destinations(exporters: readonly Exporter[]): Map<string, Signal[]> {
  const signals = new Map<string, Signal[]>();
  for (const exporter of exporters) {
    const what = destination(exporter);
    signals.set(what, [...(signals.get(what) ?? []), exporter.signal]);
  }
  return signals;
}

function destination(exporter: Exporter): string {
  switch (exporter.type) {
    case 'otlp':
      return `otlp to ${placeOf(exporter)}`;
    case 'console':
      return 'console';
    case 'zipkin':
      return `zipkin to ${origin(exporter.url)}`;
    case 'prometheus':
      return `prometheus on port ${exporter.port}${exporter.host === undefined ? '' : ` of ${exporter.host}`}`;
  }
}

/** An exporter's address and protocol, in words. */
export function placeOf({ url, protocol }: OtlpExporter): string {
  return `${origin(url)} (${protocol})`;
}

/** A variable that limits how long an exporter waits for an answer. */
export interface TimeLimit {
  readonly name: string;
  /** In milliseconds. */
  readonly limit: number;
}

/** The time limits that are set for a signal. The first one counts; where there is none, it is 10 seconds. */
export function timeLimitsOf(env: Env, signal: Signal): readonly TimeLimit[] {
  return [signal, undefined]
    .map((one) => variable(one, 'TIMEOUT'))
    .map((name) => ({ name, limit: Number(text(env, name)) }))
    .filter(({ limit }) => Number.isFinite(limit) && limit > 0);
}

/** `service.name` by the variables, as the resource detector `env` reads it. */
export function serviceNameOf(env: Env): string | undefined {
  const detectors = list(env, 'OTEL_NODE_RESOURCE_DETECTORS');
  const isRead = detectors.length === 0 || detectors.includes('env') || detectors.includes('all');
  if (!isRead || detectors.includes('none')) return undefined;
  return env.OTEL_SERVICE_NAME?.trim() || serviceNameInResource(env) || undefined;
}

/** `service.name` in the variable with the attributes of the resource. */
export function serviceNameInResource(env: Env): string | undefined {
  const attributes = list(env, 'OTEL_RESOURCE_ATTRIBUTES').map((entry) => entry.split('='));
  return attributes.find(([key]) => key?.trim() === 'service.name')?.[1]?.trim();
}

function namesOf(env: Env, signal: Signal): readonly string[] {
  const names = [...new Set(list(env, exporterVariable(signal)))];
  if (signal !== 'traces') return names.length === 0 ? ['otlp'] : names.includes('none') ? [] : names;
  const kept = names.filter((name) => name !== 'null');
  if (kept[0] === 'none') return [];
  return kept.length === 0 || kept.includes('none') ? ['otlp'] : kept;
}

function protocolOf(env: Env, signal: Signal): Protocol {
  const written = text(env, variable(signal, 'PROTOCOL')) ?? text(env, variable(undefined, 'PROTOCOL'));
  // The SDK does not trim the protocol of traces.
  const name = signal === 'traces' ? written : written?.trim();
  return PROTOCOLS.find((protocol) => protocol === name) ?? 'http/protobuf';
}

function httpUrl(env: Env, own: string, path: string): [url: string, by: string | undefined] {
  const specific = text(env, own);
  if (specific !== undefined && URL.canParse(specific)) return [new URL(specific).href, own];
  const general = text(env, variable(undefined, 'ENDPOINT'));
  if (general !== undefined && URL.canParse(general)) {
    const url = `${general}${general.endsWith('/') ? '' : '/'}${path}`;
    if (URL.canParse(url)) return [url, variable(undefined, 'ENDPOINT')];
  }
  return [`http://localhost:4318/${path}`, undefined];
}

function grpcUrl(env: Env, own: string, given: string | undefined): [url: string, by: string | undefined] {
  const names = [own, variable(undefined, 'ENDPOINT')];
  const by = given === undefined ? names.find((name) => text(env, name) !== undefined) : names[1];
  if (by === undefined) return ['http://localhost:4317', undefined];
  // The SDK looks at the scheme of an endpoint in code before it trims it.
  const raw = given ?? (env[by] ?? '').trim();
  const isPlain = raw.startsWith('http://') || (!raw.startsWith('https://') && isInsecure(env, own));
  const written = raw.trim();
  const scheme = /^(\w{1,8}):\/\//.exec(written)?.[1];
  if (scheme === 'unix') return [written, by];
  const url = scheme === undefined ? `https://${written}` : written;
  // With an endpoint that is no URL the SDK does not start.
  if (!URL.canParse(url)) return [written, by];
  return [`${isPlain ? 'http' : 'https'}://${new URL(url).host}`, by];
}

function isInsecure(env: Env, own: string): boolean {
  const value = text(env, own.replace(/ENDPOINT$/, 'INSECURE')) ?? text(env, variable(undefined, 'INSECURE'));
  return value?.trim().toLowerCase() === 'true';
}
