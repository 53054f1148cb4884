/**
 * The `OTEL_*` variables that OpenTelemetry's SDK, exporters and instrumentations for JavaScript read (0.221, 0.223 and
 * 0.301), and what each may hold.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
import { PROTOCOLS, SIGNALS, variable } from './exporters.js';

/** What a variable may hold. A blank one is unset. */
export type Holds =
  | { readonly kind: 'any' | 'boolean' | 'positive' | 'milliseconds' | 'count' | 'ratio' | 'port' | 'pairs' }
  /** An option of the program itself, which the program judges. */
  | { readonly kind: 'own' }
  /** Read with the white space around it: a file is then not found, and a name has blanks. */
  | { readonly kind: 'exact' | 'endpoint' }
  | {
      readonly kind: 'one' | 'several';
      readonly of: readonly string[];
      readonly anyCase?: boolean;
      readonly trimmed?: boolean;
    };

/** The program whose variables are judged: what it has beside the SDK. */
export interface Program {
  /** All variables that something in it reads: {@link VARIABLES}, and its own. */
  readonly variables: ReadonlyMap<string, Holds>;
  /** The name of its instrumentation, in lower case. */
  readonly instrumentation: string;
  /** Who starts the SDK, in words. */
  readonly startedBy: string;
}

const ANY: Holds = { kind: 'any' };
const BOOLEAN: Holds = { kind: 'boolean' };
const POSITIVE: Holds = { kind: 'positive' };
const MILLISECONDS: Holds = { kind: 'milliseconds' };
const COUNT: Holds = { kind: 'count' };
const EXACT: Holds = { kind: 'exact' };
const ENDPOINT: Holds = { kind: 'endpoint' };
const PAIRS: Holds = { kind: 'pairs' };
const oneOf = (values: string, how: { anyCase?: true; trimmed?: true } = {}): Holds => ({
  kind: 'one',
  of: values.split(' '),
  ...how,
});
const several = (values: string): Holds => ({ kind: 'several', of: values.split(' ') });

/** Settings of OTLP, which follow `OTEL_EXPORTER_OTLP_` or `OTEL_EXPORTER_OTLP_<signal>_`. */
const OTLP: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ['ENDPOINT', ENDPOINT],
  // The SDK does not trim the protocol of traces.
  ['PROTOCOL', { kind: 'one', of: PROTOCOLS }],
  ['HEADERS', PAIRS],
  ['COMPRESSION', oneOf('gzip none', { trimmed: true })],
  ['TIMEOUT', MILLISECONDS],
  ['INSECURE', BOOLEAN],
  ['CERTIFICATE', EXACT],
  ['CLIENT_CERTIFICATE', EXACT],
  ['CLIENT_KEY', EXACT],
]);
export const OTLP_SETTINGS: readonly string[] = [...OTLP.keys()];

const otlp = [undefined, ...SIGNALS].flatMap((signal) =>
  [...OTLP].map(([setting, holds]): [string, Holds] => [variable(signal, setting), holds]),
);

const batches = ['BSP', 'BLRP'].flatMap((processor) =>
  ['SCHEDULE_DELAY', 'EXPORT_TIMEOUT', 'MAX_QUEUE_SIZE', 'MAX_EXPORT_BATCH_SIZE'].map(
    (setting): [string, Holds] => [
      `OTEL_${processor}_${setting}`,
      setting.startsWith('MAX_') ? POSITIVE : MILLISECONDS,
    ],
  ),
);

const limits = [
  'ATTRIBUTE_VALUE_LENGTH_LIMIT',
  'ATTRIBUTE_COUNT_LIMIT',
  'SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  'SPAN_ATTRIBUTE_COUNT_LIMIT',
  'SPAN_EVENT_COUNT_LIMIT',
  'SPAN_LINK_COUNT_LIMIT',
  'SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT',
  'SPAN_ATTRIBUTE_PER_LINK_COUNT_LIMIT',
  'EVENT_ATTRIBUTE_COUNT_LIMIT',
  'LINK_ATTRIBUTE_COUNT_LIMIT',
  'LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  'LOGRECORD_ATTRIBUTE_COUNT_LIMIT',
].map((limit): [string, Holds] => [`OTEL_${limit}`, COUNT]);

export const SAMPLERS_BY_RATIO = ['traceidratio', 'parentbased_traceidratio'];

export const VARIABLES: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ['OTEL_SDK_DISABLED', BOOLEAN],
  ['OTEL_SERVICE_NAME', EXACT],
  ['OTEL_RESOURCE_ATTRIBUTES', PAIRS],
  ['OTEL_LOG_LEVEL', oneOf('info none error warn debug verbose all', { anyCase: true })],
  ['OTEL_PROPAGATORS', several('tracecontext baggage b3 b3multi jaeger none')],
  ['OTEL_TRACES_EXPORTER', several('otlp console none zipkin null')],
  ['OTEL_METRICS_EXPORTER', several('otlp prometheus console none')],
  ['OTEL_LOGS_EXPORTER', several('otlp console none')],
  [
    'OTEL_TRACES_SAMPLER',
    oneOf(`parentbased_always_on parentbased_always_off always_on always_off ${SAMPLERS_BY_RATIO.join(' ')}`),
  ],
  ['OTEL_TRACES_SAMPLER_ARG', { kind: 'ratio' }],
  ...otlp,
  [variable('metrics', 'TEMPORALITY_PREFERENCE'), oneOf('cumulative delta lowmemory', { anyCase: true })],
  [
    variable('metrics', 'DEFAULT_HISTOGRAM_AGGREGATION'),
    oneOf('explicit_bucket_histogram base2_exponential_bucket_histogram', { anyCase: true }),
  ],
  ['OTEL_METRICS_EXEMPLAR_FILTER', oneOf('trace_based always_on always_off', { trimmed: true })],
  ['OTEL_METRIC_EXPORT_INTERVAL', MILLISECONDS],
  ['OTEL_METRIC_EXPORT_TIMEOUT', MILLISECONDS],
  ...batches,
  ...limits,
  ['OTEL_EXPORTER_PROMETHEUS_HOST', EXACT],
  ['OTEL_EXPORTER_PROMETHEUS_PORT', { kind: 'port' }],
  ['OTEL_EXPORTER_ZIPKIN_ENDPOINT', ENDPOINT],
  [
    'OTEL_NODE_RESOURCE_DETECTORS',
    // The SDK has those up to `none`, `auto-instrumentations-node` the others.
    several('host os process serviceinstance env all none container aws azure gcp'),
  ],
  ['OTEL_NODE_EXPERIMENTAL_SDK_METRICS', BOOLEAN],
  ['OTEL_NODE_ENABLED_INSTRUMENTATIONS', ANY],
  ['OTEL_NODE_DISABLED_INSTRUMENTATIONS', ANY],
  ['OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS', ANY],
  ['OTEL_SEMCONV_STABILITY_OPT_IN', ANY],
  ['OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', oneOf('logs logs/dup', { anyCase: true, trimmed: true })],
]);

/** Read by SDKs of other languages or by the operator for Kubernetes, or set by Kubernetes for a service. */
export const OTHERS = [
  /^OTEL_(?:DOTNET|PYTHON|JAVAAGENT|JAVA|GO|PHP|RUBY|CPP|ERLANG|ELIXIR|SWIFT|RUST|EBPF|COLLECTOR|OPERATOR|POD)_/,
  /^OTEL_(?:JMX|LAMBDA|NODE_IP$|RESOURCE_ATTRIBUTES_|INJECTOR|EXPERIMENTAL_)/,
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP)(?:_\w+)?)$/,
];

/** Read by exporters that the SDK does not have, so they are not misspelt. */
export const NOT_HERE = /^OTEL_EXPORTER_(?:JAEGER_|OTLP_PROFILES_|ZIPKIN_TIMEOUT$)/;

/** People write a protocol into the names of OTLP's variables, and no name has one. */
export const IN_OTLP = /^(OTEL_EXPORTER_OTLP_)(?:HTTP|GRPC)_/;

/** Declarative configuration, which a `NodeSDK` that is started in code does not read. */
export const CONFIG_FILES = ['OTEL_CONFIG_FILE', 'OTEL_EXPERIMENTAL_CONFIG_FILE'];
