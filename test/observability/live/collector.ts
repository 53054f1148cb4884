/** A Collector with one of the examples' configurations. */
import { fileURLToPath } from 'node:url';
import { address } from './jaeger.js';
import { answering, freePort, type Servers } from './processes.js';

const EXAMPLES = new URL('../../../examples/', import.meta.url);
export const STACK_CONFIG = fileURLToPath(new URL('stack/collector.yaml', EXAMPLES));
export const GATEWAY_CONFIG = fileURLToPath(new URL('fleet/gateway.yaml', EXAMPLES));

/** Where a Collector is reached. */
export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`, by the value of `OTEL_EXPORTER_OTLP_PROTOCOL`. */
  readonly otlp: Readonly<Record<'grpc' | 'http/protobuf', string>>;
  /** Host and port of the servers' metrics, where the configuration serves them to Prometheus. */
  readonly prometheus: string;
  /** Where its own metrics are. */
  readonly telemetry: string;
}

/**
 * @param config the file
 * @param env variables for the configuration: where it sends to, beside those for the addresses to listen on
 */
export async function startCollector(
  servers: Servers,
  program: string,
  config: string,
  env: Record<string, string>,
): Promise<Collector> {
  const [grpc, http, health, prometheus] = [
    await address(),
    await address(),
    await address(),
    await address(),
  ];
  const telemetryPort = String(await freePort());
  const started = servers.start(program, ['--config', config], {
    OTLP_GRPC_LISTEN: grpc,
    OTLP_HTTP_LISTEN: http,
    PROMETHEUS_LISTEN: prometheus,
    HEALTH_LISTEN: health,
    TELEMETRY_HOST: '127.0.0.1',
    TELEMETRY_PORT: telemetryPort,
    ...env,
  });
  await answering(started, `http://${health}`);
  return {
    otlp: { grpc: `http://${grpc}`, 'http/protobuf': `http://${http}` },
    prometheus,
    telemetry: `http://127.0.0.1:${telemetryPort}/metrics`,
  };
}
