/** Variables that are right one by one, and wrong together or for the exporter that reads them. */
import { hasCredentials } from './credentials.js';
import { type Env, list, text } from './environment.js';
import {
  type Exporter,
  exporterVariable,
  type OtlpExporter,
  SIGNALS,
  type Signal,
  serviceNameInResource,
  variable,
} from './exporters.js';
import { headerFaults, isDecodable } from './headers.js';
import { type Program, SAMPLERS_BY_RATIO } from './known-variables.js';
import { origin } from './urls.js';
import type { Fault } from './values.js';

/** @param exporters those of the SDK that would start */
export function contradictions(
  env: Env,
  exporters: readonly Exporter[],
  { instrumentation }: Program,
): readonly Fault[] {
  return [
    ...noneBesideOthers(env),
    ...endpoints(env, exporters),
    ...headerFaults(env),
    ...resource(env),
    ...sampler(env),
    ...intervals(env),
    ...switches(env, instrumentation),
    ...exceptions(env, exporters),
  ];
}

/** Settings that are right, and may surprise. */
export function surprises(env: Env, exporters: readonly Exporter[]): readonly string[] {
  return [...ports(env, exporters), ...serviceName(env), ...sampled(env)];
}

function* noneBesideOthers(env: Env): Iterable<Fault> {
  for (const signal of SIGNALS) {
    const name = exporterVariable(signal);
    const names = list(env, name);
    const others = names.filter((entry) => entry !== 'none');
    if (others.length === 0 || others.length === names.length) continue;
    const isDefault = signal === 'traces' && names[0] !== 'none';
    yield {
      found: `${name}=${names.join(',')}: none beside others ${isDefault ? 'means otlp alone' : 'wins'}`,
      remedy: `set ${name}=${others.join(',')}`,
      about: [name],
    };
  }
}

/** An endpoint over HTTP needs a scheme. Without one the default is used, or nothing can be sent. */
function* endpoints(env: Env, exporters: readonly Exporter[]): Iterable<Fault> {
  const named = new Map<string, OtlpExporter>();
  for (const exporter of exporters) {
    if (exporter.type !== 'otlp') continue;
    const own = variable(exporter.signal, 'ENDPOINT');
    const name = text(env, own) === undefined ? variable(undefined, 'ENDPOINT') : own;
    if (text(env, name) !== undefined && !named.has(name)) named.set(name, exporter);
  }
  for (const [name, { protocol, signal }] of named) {
    const value = env[name]?.trim() ?? '';
    const isGrpc = protocol === 'grpc';
    const isRight = isGrpc
      ? /^unix:/.test(value) || URL.canParse(/^\w{1,8}:\/\//.test(value) ? value : `https://${value}`)
      : /^https?:\/\//i.test(value) && URL.canParse(value);
    if (isRight) continue;
    const meant = `http://${value.replace(/^[\w+.-]*:?\/\//, '')}`;
    yield {
      found: isGrpc
        ? `${name} is no address, and the SDK does not start with it`
        : `${name} does not start with http:// or https://: ${URL.canParse(value) ? 'nothing can be sent there' : 'the default, http://localhost:4318, is used'}`,
      remedy: withScheme(env, name, signal, meant),
      about: [name, env[name] ?? '', value],
    };
  }
}

/** @param meant the endpoint with http:// */
function withScheme(env: Env, name: string, signal: Signal, meant: string): string {
  if (!URL.canParse(meant)) return `set ${name} to a URL, such as http://localhost:4318`;
  // With http:// everybody on the way can read them.
  if (hasCredentials(env, { signal, url: meant })) return `let ${name} begin with https://`;
  return new URL(meant).pathname === '/' ? `set ${name}=${origin(meant)}` : `let ${name} begin with http://`;
}

function* resource(env: Env): Iterable<Fault> {
  const name = 'OTEL_RESOURCE_ATTRIBUTES';
  for (const [index, entry] of (text(env, name) ?? '').split(',').entries()) {
    if (entry.trim() === '') continue;
    const parts = entry.split('=');
    const isRight = parts.length === 2 && parts[0]?.trim() !== '' && isDecodable(entry);
    if (isRight) continue;
    yield {
      found: `${name}: entry ${index + 1} is not name=value, and the whole variable is left out`,
      remedy: `write entry ${index + 1} of ${name} as name=value, with %2C for a comma, %3D for "=" and %25 for a percent sign`,
      about: [name],
    };
  }
}

function* sampler(env: Env): Iterable<Fault> {
  const chosen = text(env, 'OTEL_TRACES_SAMPLER');
  const argument = text(env, 'OTEL_TRACES_SAMPLER_ARG');
  const about = ['OTEL_TRACES_SAMPLER_ARG'];
  if (chosen === undefined || !SAMPLERS_BY_RATIO.includes(chosen)) {
    if (argument === undefined || chosen !== undefined) return;
    yield {
      found: 'OTEL_TRACES_SAMPLER_ARG is not read without OTEL_TRACES_SAMPLER: all traces are recorded',
      remedy: 'set OTEL_TRACES_SAMPLER=parentbased_traceidratio',
      about,
    };
    return;
  }
  const ratio = Number(argument);
  if (argument === undefined) {
    yield {
      found: `OTEL_TRACES_SAMPLER=${chosen} without OTEL_TRACES_SAMPLER_ARG records all traces`,
      remedy: 'set OTEL_TRACES_SAMPLER_ARG=1, or to the fraction to record, such as 0.25',
      about,
    };
  } else if (!(ratio >= 0 && ratio <= 1)) {
    const percent = Number(argument.trim().replace(/%$/, '')) / 100;
    yield {
      found: `OTEL_TRACES_SAMPLER_ARG=${argument.trim()} is not from 0 to 1: all traces are recorded`,
      remedy: `set OTEL_TRACES_SAMPLER_ARG=${percent >= 0 && percent <= 1 ? percent : 1}`,
      about,
    };
  }
}

function* intervals(env: Env): Iterable<Fault> {
  const interval = Number(text(env, 'OTEL_METRIC_EXPORT_INTERVAL'));
  const timeout = Number(text(env, 'OTEL_METRIC_EXPORT_TIMEOUT'));
  if (!(interval > 0 && timeout > interval)) return;
  yield {
    found: `OTEL_METRIC_EXPORT_TIMEOUT=${timeout} is above OTEL_METRIC_EXPORT_INTERVAL=${interval}, and is cut to it`,
    remedy: `set OTEL_METRIC_EXPORT_TIMEOUT=${interval}`,
    about: ['OTEL_METRIC_EXPORT_TIMEOUT'],
  };
}

function* switches(env: Env, instrumentation: string): Iterable<Fault> {
  if (!areSwitchesContradicting(env, instrumentation)) return;
  const rest = list(env, DISABLED).filter((entry) => entry !== instrumentation);
  yield {
    found: `${ENABLED} and ${DISABLED} both name ${instrumentation}: it is disabled`,
    remedy: rest.length === 0 ? `unset ${DISABLED}` : `set ${DISABLED}=${rest.join(',')}`,
    about: [DISABLED],
  };
}

const ENABLED = 'OTEL_NODE_ENABLED_INSTRUMENTATIONS';
const DISABLED = 'OTEL_NODE_DISABLED_INSTRUMENTATIONS';

/** Whether one variable enables an instrumentation and another disables it. */
export function areSwitchesContradicting(env: Env, instrumentation: string): boolean {
  return [ENABLED, DISABLED].every((name) => list(env, name).includes(instrumentation));
}

function* exceptions(env: Env, exporters: readonly Exporter[]): Iterable<Fault> {
  const name = 'OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN';
  if (env[name]?.trim().toLowerCase() !== 'logs' || exporters.length === 0) return;
  if (exporters.some(({ signal }) => signal === 'logs')) return;
  yield {
    found: `${name}=logs makes exceptions log records, and log records are not exported`,
    remedy: `unset ${name}`,
    about: [name],
  };
}

/** Only an attempt to send shows whether such a port or path is wrong. */
function* ports(env: Env, exporters: readonly Exporter[]): Iterable<string> {
  const said = new Set<string>();
  for (const exporter of exporters) {
    if (exporter.type !== 'otlp' || exporter.endpointBy === undefined) continue;
    const { endpointBy, protocol, signal } = exporter;
    if (!URL.canParse(exporter.url)) continue;
    const { port, pathname } = new URL(exporter.url);
    if (protocol !== 'grpc' && port === '4317')
      said.add(`${endpointBy} has port 4317, the usual one for gRPC, but the protocol is ${protocol}`);
    if (protocol === 'grpc' && port === '4318')
      said.add(`${endpointBy} has port 4318, the usual one for HTTP, but the protocol is grpc`);
    const written = env[endpointBy]?.trim() ?? '';
    if (protocol === 'grpc' && /^\w+:\/\/[^/]+\/./.test(written))
      said.add(`${endpointBy} has a path, which grpc leaves out`);
    if (protocol !== 'grpc' && endpointBy === variable(signal, 'ENDPOINT') && pathname === '/')
      said.add(`${endpointBy} has no path: unlike ${variable(undefined, 'ENDPOINT')} it gets none added`);
  }
  yield* said;
}

function* serviceName(env: Env): Iterable<string> {
  const name = text(env, 'OTEL_SERVICE_NAME');
  const other = serviceNameInResource(env);
  if (name === undefined || other === undefined || other === name.trim()) return;
  yield `OTEL_SERVICE_NAME=${name.trim()} wins over service.name=${other} in OTEL_RESOURCE_ATTRIBUTES`;
}

function* sampled(env: Env): Iterable<string> {
  const chosen = text(env, 'OTEL_TRACES_SAMPLER') ?? '';
  const ratio = Number(text(env, 'OTEL_TRACES_SAMPLER_ARG'));
  if (/always_off$/.test(chosen))
    yield `OTEL_TRACES_SAMPLER=${chosen}: no trace is recorded, unless a caller's is`;
  else if (SAMPLERS_BY_RATIO.includes(chosen) && ratio >= 0 && ratio < 1)
    yield `OTEL_TRACES_SAMPLER=${chosen}: ${Number((ratio * 100).toPrecision(6))} % of traces are recorded`;
}
