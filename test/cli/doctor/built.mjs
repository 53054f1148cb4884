// @ts-check
/**
 * Tells the exporters that the real `NodeSDK` builds for each of some environments.
 *
 * `node built.mjs <file that resolves the SDK> [own]`, with the environments as JSON on standard input; with `own` the SDK
 * gets an exporter of traces, as Paperclip makes it for gRPC
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [from, own] = process.argv.slice(2);
const load = createRequire(/** @type {string} */ (from));
const { NodeSDK } = load('@opentelemetry/sdk-node');
const { OTLPTraceExporter } = load('@opentelemetry/exporter-trace-otlp-grpc');
const EXPORTER = /^(?:OTLP(?:Trace|Metric|Log)|Console(?:Span|Metric|LogRecord)|Zipkin|Prometheus)Exporter$/;
const PROVIDERS = { traces: '_tracerProvider', metrics: '_meterProvider', logs: '_loggerProvider' };

/** @param {unknown} root @param {(value: any) => boolean} wanted @returns {any[]} */
function find(root, wanted) {
  const found = [];
  const seen = new Set();
  const waiting = [root];
  for (let value = waiting.shift(); value !== undefined || waiting.length > 0; value = waiting.shift()) {
    if (value === null || typeof value !== 'object' || seen.has(value)) continue;
    seen.add(value);
    if (wanted(value)) found.push(value);
    else waiting.push(...Object.values(value));
  }
  return found;
}

/** @param {any} exporter */
async function describe(exporter) {
  const { name } = exporter.constructor;
  if (name.startsWith('Console')) return { type: 'console' };
  if (name === 'ZipkinExporter') return { type: 'zipkin', url: exporter._urlStr };
  if (name === 'PrometheusExporter')
    return { type: 'prometheus', host: exporter._host, port: exporter._port };
  const [grpc] = find(
    exporter,
    ({ address, credentials }) => address !== undefined && credentials !== undefined,
  );
  if (grpc !== undefined) {
    const isPlain = grpc.credentials()._isSecure() === false;
    return { type: 'otlp', protocol: 'grpc', url: `${isPlain ? 'http' : 'https'}://${grpc.address}` };
  }
  const [http] = find(exporter, ({ url, headers }) => url !== undefined && headers !== undefined);
  const type = (await http.headers())['Content-Type'];
  return {
    type: 'otlp',
    protocol: type === 'application/json' ? 'http/json' : 'http/protobuf',
    url: http.url,
  };
}

const all = [];
for (const env of JSON.parse(readFileSync(0, 'utf8'))) {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
  Object.assign(process.env, env);
  const url = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const sdk = new NodeSDK(own === undefined ? {} : { traceExporter: new OTLPTraceExporter({ url }) });
  sdk.start();
  /** @type {Record<string, unknown>} */
  const built = {};
  for (const [signal, provider] of Object.entries(PROVIDERS)) {
    const exporters = find(sdk[provider], (value) => EXPORTER.test(value.constructor?.name ?? ''));
    built[signal] = await Promise.all(exporters.map(describe));
  }
  all.push(built);
}
process.stdout.write(JSON.stringify(all), () => process.exit());
