import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding, Preload } from '../../../src/cli/doctor/check.js';
import { variables } from '../../../src/cli/doctor/variables.js';
import { VARIABLES } from '../../../src/cli/otel/known-variables.js';
import { nearest } from '../../../src/cli/otel/nearest.js';
import { type Env, followVariables } from './follow.js';

const look = (env: Env, preload: Preload = 'start') =>
  variables.run({ env, preload, folder: '/', server: undefined }) as readonly Finding[];
const problem = (found: string, remedy: string): Finding => ({ mark: 'problem', found, remedy });
const note = (found: string): Finding => ({ mark: 'note', found });

describe('what is right', () => {
  it("does not count this package's own options, which are another check's", () => {
    const own = { OTEL_INSTRUMENTATION_PAPERCLIP_CAPTURE_IDS: 'yes' };
    expect(look({ OTEL_SERVICE_NAME: 'one', OTEL_LOGS_EXPORTER: 'otlp', ...own })).toEqual([
      { mark: 'ok', found: '2 OTEL_* variables set, all valid' },
    ]);
    expect(look(own)).toEqual([
      { mark: 'ok', found: "no OTEL_* variable is set, other than this package's own options" },
    ]);
  });

  it('no variable at all', () => {
    expect(look({ PATH: '/bin' })).toEqual([{ mark: 'ok', found: 'no OTEL_* variable is set' }]);
  });

  it.each<[string, Env]>([
    ['usual ones', { OTEL_SERVICE_NAME: 'one', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }],
    [
      'grpc without scheme',
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    ],
    ['lists with blanks', { OTEL_TRACES_EXPORTER: ' otlp , console ', OTEL_PROPAGATORS: 'b3,none' }],
    ['words in any case where the SDK takes them', { OTEL_LOG_LEVEL: 'Debug', OTEL_SDK_DISABLED: ' TRUE' }],
    [
      'numbers',
      {
        OTEL_BSP_SCHEDULE_DELAY: '1e3',
        OTEL_SPAN_EVENT_COUNT_LIMIT: '0',
        OTEL_METRIC_EXPORT_INTERVAL: '2147483647',
        OTEL_BSP_MAX_QUEUE_SIZE: '3000000000',
      },
    ],
    ['headers', { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc==, x-tenant=one,' }],
    ['attributes', { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,team=a%3Db' }],
    [
      'a timeout of metrics within the interval',
      { OTEL_METRIC_EXPORT_INTERVAL: '2000', OTEL_METRIC_EXPORT_TIMEOUT: '2000' },
    ],
    ['an interval below the default timeout', { OTEL_METRIC_EXPORT_INTERVAL: '1000' }],
    [
      'exceptions as log records',
      { OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN: 'logs', OTEL_LOGS_EXPORTER: 'console' },
    ],
    [
      'an endpoint over HTTP that nothing uses',
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
      },
    ],
  ])('%s', (_, env) => {
    const count = Object.keys(env).length;
    const found =
      count === 1 ? '1 OTEL_* variable set, and valid' : `${count} OTEL_* variables set, all valid`;
    expect(look(env)).toEqual([{ mark: 'ok', found }]);
  });

  it.each<[string, Env]>([
    ['blank ones', { OTEL_EXPORTER_OTLP_PROTOCOL: ' ', OTEL_TRACE_EXPORTER: '' }],
    [
      'those for other languages',
      {
        OTEL_DOTNET_AUTO_HOME: '/x',
        OTEL_PYTHON_DISABLED_INSTRUMENTATIONS: 'x',
        OTEL_JAVAAGENT_ENABLED: 'x',
      },
    ],
    ['those of other instrumentations', { OTEL_INSTRUMENTATION_KAFKA_ENABLED: 'true' }],
    [
      'links of Kubernetes to a service called otel-collector',
      {
        OTEL_COLLECTOR_SERVICE_HOST: '10.0.0.1',
        OTEL_COLLECTOR_PORT_4317_TCP_ADDR: '10.0.0.1',
        OTEL_TRACES_PORT_4317_TCP: 'x',
      },
    ],
    ['those of the operator', { OTEL_RESOURCE_ATTRIBUTES_POD_NAME: 'one', OTEL_POD_IP: '10.0.0.1' }],
  ])('leaves %s alone', (_, env) => {
    expect(look(env)).toEqual([{ mark: 'ok', found: 'no OTEL_* variable is set' }]);
  });
});

const PROTOCOLS = 'http/protobuf, http/json, grpc';
const misspelt = (name: string, meant: string) =>
  [`${name} is read by nothing; probably ${meant} is meant`, `rename ${name} to ${meant}`] as const;

/** What is wrong, and what to do: with it done, nothing is. */
const FAULTS: readonly (readonly [env: Env, found: string, remedy: string])[] = [
  // Names
  ...(
    [
      ['OTEL_EXPORTER_OLTP_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318'],
      ['OTEL_EXPORTER_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318'],
      [
        'OTEL_EXPORTER_OTLP_TRACE_ENDPOINT',
        'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
        'http://collector:4318/v1/traces',
      ],
      ['OTEL_TRACE_EXPORTER', 'OTEL_TRACES_EXPORTER', 'otlp'],
      ['OTEL_SERVICENAME', 'OTEL_SERVICE_NAME', 'one'],
      ['OTEL_METRICS_EXPORT_INTERVAL', 'OTEL_METRIC_EXPORT_INTERVAL', '1000'],
      ['OTEL_INSTRUMENTATION_PAPERCLIP_PROVIDER', 'OTEL_INSTRUMENTATION_PAPERCLIP_PROVIDERS', 'one'],
      ['otel_service_name', 'OTEL_SERVICE_NAME', 'one'],
    ] as const
  ).map(([name, meant, value]) => [{ [name]: value }, ...misspelt(name, meant)] as const),
  [
    { OTEL_SERVICENAME: 'one', OTEL_SERVICE_NAME: 'two' },
    'OTEL_SERVICENAME is read by nothing; there is also OTEL_SERVICE_NAME',
    'unset OTEL_SERVICENAME',
  ],
  [
    { OTEL_CONFIG_FILE: 'otel.yaml' },
    'OTEL_CONFIG_FILE is not read: an SDK that Paperclip or the preload starts is set up by variables',
    'unset OTEL_CONFIG_FILE, and set the OTEL_* variables that say the same',
  ],
  // Values
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'http' },
    `OTEL_EXPORTER_OTLP_PROTOCOL=http is none of ${PROTOCOLS}`,
    'set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
  ],
  [
    { OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'json' },
    `OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=json is none of ${PROTOCOLS}`,
    'set OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/json',
  ],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'GRPC' },
    `OTEL_EXPORTER_OTLP_PROTOCOL=GRPC is none of ${PROTOCOLS}`,
    'set OTEL_EXPORTER_OTLP_PROTOCOL=grpc',
  ],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc ' },
    'OTEL_EXPORTER_OTLP_PROTOCOL has white space around its value, and it is read with it',
    'set OTEL_EXPORTER_OTLP_PROTOCOL=grpc',
  ],
  [
    { OTEL_TRACES_EXPORTER: 'oltp,console' },
    'OTEL_TRACES_EXPORTER=oltp,console: oltp is none of otlp, console, none, zipkin',
    'set OTEL_TRACES_EXPORTER=otlp,console',
  ],
  [
    { OTEL_METRICS_EXPORTER: 'promethius' },
    'OTEL_METRICS_EXPORTER=promethius: promethius is none of otlp, prometheus, console, none',
    'set OTEL_METRICS_EXPORTER=prometheus',
  ],
  [
    { OTEL_TRACES_EXPORTER: 'jaeger' },
    'OTEL_TRACES_EXPORTER=jaeger: jaeger is none of otlp, console, none, zipkin',
    'set OTEL_TRACES_EXPORTER=otlp',
  ],
  [
    { OTEL_PROPAGATORS: 'tracecontex,baggage' },
    'OTEL_PROPAGATORS=tracecontex,baggage: tracecontex is none of tracecontext, baggage, b3, b3multi, jaeger, none',
    'set OTEL_PROPAGATORS=tracecontext,baggage',
  ],
  [
    { OTEL_TRACES_SAMPLER: 'traceidratio_based', OTEL_TRACES_SAMPLER_ARG: '1' },
    'OTEL_TRACES_SAMPLER=traceidratio_based is none of parentbased_always_on, parentbased_always_off, always_on, always_off, traceidratio, parentbased_traceidratio',
    'set OTEL_TRACES_SAMPLER=traceidratio',
  ],
  [
    { OTEL_LOG_LEVEL: 'trace' },
    'OTEL_LOG_LEVEL=trace is none of info, none, error, warn, debug, verbose, all',
    'set OTEL_LOG_LEVEL=info',
  ],
  [
    { OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN: 'log' },
    'OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN=log is none of logs, logs/dup',
    'set OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN=logs',
  ],
  [
    { OTEL_SDK_DISABLED: '1' },
    'OTEL_SDK_DISABLED=1 is neither true nor false, and is read as false',
    'unset OTEL_SDK_DISABLED; only OTEL_SDK_DISABLED=true keeps the SDK from starting',
  ],
  [
    { OTEL_EXPORTER_OTLP_INSECURE: 'yes' },
    'OTEL_EXPORTER_OTLP_INSECURE=yes is neither true nor false, and is read as false',
    'set OTEL_EXPORTER_OTLP_INSECURE=true',
  ],
  [
    { OTEL_METRIC_EXPORT_INTERVAL: '10s' },
    'OTEL_METRIC_EXPORT_INTERVAL=10s is not a number above 0, in milliseconds: the default is used',
    'set OTEL_METRIC_EXPORT_INTERVAL=10000',
  ],
  [
    { OTEL_BSP_SCHEDULE_DELAY: 'often' },
    'OTEL_BSP_SCHEDULE_DELAY=often is not a number above 0: the default is used',
    'unset OTEL_BSP_SCHEDULE_DELAY',
  ],
  ...['99999999999', '1e400'].map(
    (value) =>
      [
        { OTEL_METRIC_EXPORT_INTERVAL: value },
        `OTEL_METRIC_EXPORT_INTERVAL=${value} is above 2147483647, the most milliseconds that a timer takes`,
        'unset OTEL_METRIC_EXPORT_INTERVAL',
      ] as const,
  ),
  [
    { OTEL_EXPORTER_PROMETHEUS_PORT: '94640' },
    'OTEL_EXPORTER_PROMETHEUS_PORT=94640 is not a port: the default is used',
    'unset OTEL_EXPORTER_PROMETHEUS_PORT',
  ],
  [
    { OTEL_SERVICE_NAME: ' one' },
    'OTEL_SERVICE_NAME has white space around its value, and it is read with it',
    'set OTEL_SERVICE_NAME=one',
  ],
  [
    { OTEL_SERVICE_NAME: '"one of ours"' },
    'OTEL_SERVICE_NAME is in quotation marks; they are kept as part of the value (as in files for docker --env-file)',
    "set OTEL_SERVICE_NAME='one of ours'",
  ],
  // Together
  [
    { OTEL_TRACES_EXPORTER: 'console,none' },
    'OTEL_TRACES_EXPORTER=console,none: none beside others means otlp alone',
    'set OTEL_TRACES_EXPORTER=console',
  ],
  [
    { OTEL_METRICS_EXPORTER: 'console,none' },
    'OTEL_METRICS_EXPORTER=console,none: none beside others wins',
    'set OTEL_METRICS_EXPORTER=console',
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    'OTEL_EXPORTER_OTLP_ENDPOINT does not start with http:// or https://: nothing can be sent there',
    'set OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318',
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a' },
    'OTEL_EXPORTER_OTLP_ENDPOINT does not start with http:// or https://: nothing can be sent there',
    'let OTEL_EXPORTER_OTLP_ENDPOINT begin with https://',
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'me:p4ss@collector:4318' },
    'OTEL_EXPORTER_OTLP_ENDPOINT does not start with http:// or https://: nothing can be sent there',
    'let OTEL_EXPORTER_OTLP_ENDPOINT begin with https://',
  ],
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '10.0.0.1:4318/v1/traces' },
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT does not start with http:// or https://: the default, http://localhost:4318, is used',
    'let OTEL_EXPORTER_OTLP_TRACES_ENDPOINT begin with http://',
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' http://collector:4318' },
    'OTEL_EXPORTER_OTLP_ENDPOINT has white space around its value, and it is read with it',
    'set OTEL_EXPORTER_OTLP_ENDPOINT without the white space',
  ],
  [
    { OTEL_EXPORTER_ZIPKIN_ENDPOINT: 'http://zipkin/in/tok3n ' },
    'OTEL_EXPORTER_ZIPKIN_ENDPOINT has white space around its value, and it is read with it',
    'set OTEL_EXPORTER_ZIPKIN_ENDPOINT without the white space',
  ],
  [
    { OTEL_TRACES_SAMPLER: 'traceidratio' },
    'OTEL_TRACES_SAMPLER=traceidratio without OTEL_TRACES_SAMPLER_ARG records all traces',
    'set OTEL_TRACES_SAMPLER_ARG=1, or to the fraction to record, such as 0.25',
  ],
  [
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '100' },
    'OTEL_TRACES_SAMPLER_ARG=100 is not from 0 to 1: all traces are recorded',
    'set OTEL_TRACES_SAMPLER_ARG=1',
  ],
  [
    { OTEL_TRACES_SAMPLER_ARG: '1' },
    'OTEL_TRACES_SAMPLER_ARG is not read without OTEL_TRACES_SAMPLER: all traces are recorded',
    'set OTEL_TRACES_SAMPLER=parentbased_traceidratio',
  ],
  [
    { OTEL_METRIC_EXPORT_INTERVAL: '1000', OTEL_METRIC_EXPORT_TIMEOUT: '2000' },
    'OTEL_METRIC_EXPORT_TIMEOUT=2000 is above OTEL_METRIC_EXPORT_INTERVAL=1000, and is cut to it',
    'set OTEL_METRIC_EXPORT_TIMEOUT=1000',
  ],
  [
    {
      OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'paperclip',
      OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'paperclip,http',
    },
    'OTEL_NODE_ENABLED_INSTRUMENTATIONS and OTEL_NODE_DISABLED_INSTRUMENTATIONS both name paperclip: it is disabled',
    'set OTEL_NODE_DISABLED_INSTRUMENTATIONS=http',
  ],
  [
    { OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN: 'logs', OTEL_LOGS_EXPORTER: 'none' },
    'OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN=logs makes exceptions log records, and log records are not exported',
    'unset OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN',
  ],
];

describe('what is wrong', () => {
  it.each(FAULTS)('%j', (env, found, remedy) => {
    expect(look(env)).toEqual([problem(found, remedy)]);
    expect(look(followVariables(remedy, env)).filter(({ mark }) => mark === 'problem')).toEqual([]);
  });

  it.each<[string, string]>([
    ['x-a=b,tok3n', 'entry 2 has no "=", and is left out'],
    ['=tok3n', 'entry 1 has no name or no value, and is left out'],
    ['x-a=tok3n;path', 'entry 1 is cut off at its semicolon'],
    ['x-a=tok3n%', 'entry 1 has a "%" that encodes nothing, and is left out'],
    ['x-a=b,x tok3n=c', 'entry 2 has a name that HTTP does not take, and nothing can be sent'],
    ['x%3Atok3n=c', 'entry 1 has a name that HTTP does not take, and nothing can be sent'],
    ['x-a=b,x-c=tok3n%0A', 'entry 2 has a value that HTTP does not take, and nothing can be sent'],
    ['x-a=tok3n\u2026', 'entry 1 has a value that HTTP does not take, and nothing can be sent'],
  ])('a header is named by where it stands: %s', (headers, what) => {
    const [found, ...others] = look({ OTEL_EXPORTER_OTLP_HEADERS: headers });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ mark: 'problem', found: `OTEL_EXPORTER_OTLP_HEADERS: ${what}` });
    expect(JSON.stringify(found)).not.toContain('tok3n');
  });

  it.each(['team', 'team=a=b', 'team=%'])(
    'attributes that make the SDK leave all of them out: %s',
    (entry) => {
      expect(look({ OTEL_RESOURCE_ATTRIBUTES: `a=b,${entry}` })).toEqual([
        problem(
          'OTEL_RESOURCE_ATTRIBUTES: entry 2 is not name=value, and the whole variable is left out',
          'write entry 2 of OTEL_RESOURCE_ATTRIBUTES as name=value, with %2C for a comma, %3D for "=" and %25 for a percent sign',
        ),
      ]);
    },
  );

  it('an address that the SDK does not start with', () => {
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://' };
    expect(look(env)).toEqual([
      problem(
        'OTEL_EXPORTER_OTLP_ENDPOINT is no address, and the SDK does not start with it',
        'set OTEL_EXPORTER_OTLP_ENDPOINT to a URL, such as http://localhost:4318',
      ),
    ]);
  });
});

it.each([
  [
    'OTEL_EXPORTER_OTLP_HEADERS',
    'x a=b',
    'write entry 1 of OTEL_EXPORTER_OTLP_HEADERS with a name of letters, digits, "-" and "_"',
  ],
  [
    'OTEL_EXPORTER_OTLP_LOGS_HEADERS',
    'a=b,x=%0D',
    'write entry 2 of OTEL_EXPORTER_OTLP_LOGS_HEADERS with a value without line breaks, control characters and letters beyond Latin-1',
  ],
])('a header that HTTP does not take is to be written otherwise: %s=%s', (name, value, remedy) => {
  expect(look({ [name]: value })).toEqual([expect.objectContaining({ mark: 'problem', remedy })]);
});

describe('the name of a variable that nothing reads', () => {
  it.each([
    'OTEL_EXPORTER_JAEGER_ENDPOINT',
    'OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT',
    'OTEL_EXPORTER_ZIPKIN_TIMEOUT',
    'OTEL_EXPORTER_ZIPKIN_PROTOCOL',
    'OTEL_EXPORTER_OTLP_TOKEN',
    'OTEL_EXPORTER_OTLP_SPAN_ENDPOINT',
  ])('means no other: %s', (name) => {
    expect(look({ [name]: 'x' })).toEqual([note(`${name}: read by nothing that runs here`)]);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_HTTP_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    ['OTEL_EXPORTER_OTLP_GRPC_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'],
    ['OTEL_EXPORTER_OTLP_TIME_OUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'],
    ['OTEL_EXPORTER_TRACE_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
    ['OTEL_EXPORTER_OTLP_LOG_ENDPOINT', 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'],
    ['OTEL_LOGS_LEVEL', 'OTEL_LOG_LEVEL'],
  ])('means another, word by word: %s', (name, meant) => {
    expect(look({ [name]: 'x' })).toEqual([problem(...misspelt(name, meant))]);
  });

  it('leaves what is wrong with the one that is meant to be said, too', () => {
    const env = { OTEL_EXPORTER_OLTP_ENDPOINT: 'http://one', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' };
    expect(look(env).map(({ found }) => found)).toEqual([
      'OTEL_EXPORTER_OLTP_ENDPOINT is read by nothing; there is also OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_ENDPOINT does not start with http:// or https://: nothing can be sent there',
    ]);
  });
});

describe('what may surprise', () => {
  const own = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  const general = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  it.each<[Env, string]>([
    [
      { [general]: 'http://collector:4317' },
      `${general} has port 4317, the usual one for gRPC, but the protocol is http/protobuf`,
    ],
    [
      { [general]: 'http://collector:4318', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      `${general} has port 4318, the usual one for HTTP, but the protocol is grpc`,
    ],
    [
      { [own]: 'http://collector:4317/v1/traces', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' },
      `${own} has a path, which grpc leaves out`,
    ],
    [{ [own]: 'http://collector:4318' }, `${own} has no path: unlike ${general} it gets none added`],
    [
      { OTEL_SERVICE_NAME: 'one', OTEL_RESOURCE_ATTRIBUTES: 'service.name=two' },
      'OTEL_SERVICE_NAME=one wins over service.name=two in OTEL_RESOURCE_ATTRIBUTES',
    ],
    [
      { OTEL_TRACES_SAMPLER: 'always_off' },
      "OTEL_TRACES_SAMPLER=always_off: no trace is recorded, unless a caller's is",
    ],
    [
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
      'OTEL_TRACES_SAMPLER=traceidratio: 25 % of traces are recorded',
    ],
    [
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.07' },
      'OTEL_TRACES_SAMPLER=traceidratio: 7 % of traces are recorded',
    ],
    [
      { OTEL_SERVICE_NAMESPACE: 'one', OTEL_WHATEVER: 'two' },
      'OTEL_SERVICE_NAMESPACE, OTEL_WHATEVER: read by nothing that runs here',
    ],
  ])('%j', (env, found) => {
    expect(look(env)).toEqual([note(found)]);
  });
});

describe('the nearest word', () => {
  it('is one with an edit or few', () => {
    expect(nearest('oltp', ['console', 'otlp'])).toBe('otlp');
    expect(nearest('abcd', ['xbcd', 'abcx'])).toBe('xbcd');
    expect(nearest('abcdefgh', ['abcdxxxh'])).toBeUndefined();
    expect(nearest('anything', [])).toBeUndefined();
  });

  it('is itself for every known variable', () => {
    for (const name of VARIABLES.keys()) expect(nearest(name, VARIABLES.keys())).toBe(name);
  });
});

it('knows every variable that the installed SDK reads', () => {
  const root = 'node_modules/@opentelemetry';
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!api|configuration|instrumentation)[\w-]+\/build\/src\/.*\.js$/.test(file),
  );
  const code = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const ways = [/FromEnv\)\(['"](OTEL_\w+)/g, /process\.env\.(OTEL_\w+)/g, /process\.env\[['"](OTEL_\w+)/g];
  const [byCall, ...others] = ways.map((way) => [...code.matchAll(way)].map(([, name = '']) => name));
  const [byName, byIndex] = others;
  expect(byCall).toContain('OTEL_BSP_SCHEDULE_DELAY');
  expect(byName).toContain('OTEL_EXPORTER_PROMETHEUS_HOST');
  expect(byIndex).toContain('OTEL_EXPORTER_OTLP_HEADERS');
  const read = [byCall, byName, byIndex].flatMap((names) => names ?? []);
  expect(read.filter((name) => !VARIABLES.has(name) && name !== 'OTEL_CONFIG_FILE')).toEqual([]);
});
