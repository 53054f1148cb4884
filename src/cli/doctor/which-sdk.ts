/** Which OpenTelemetry SDK a server would start. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPackageJson } from '../../attach/identity.js';
import { HERE, installed, SDK } from '../installation/installed.js';
import type { Subject } from './check.js';
import { type Exporter, exportersOf, otlpExporter, PROTOCOLS, type Protocol, SIGNALS } from './exporters.js';

/** A `NodeSDK`, and who starts it. */
export interface Starting {
  readonly by: 'preload' | 'Paperclip';
  /** The folder from which its packages are resolved. */
  readonly from: string;
  readonly version: string | undefined;
  /** The exporter of traces that Paperclip gives its own. */
  readonly given: OwnExporter | undefined;
}

/** Why none is started. `absent`: the server has no code for it. `off`: no endpoint is set. */
export interface NotStarting {
  readonly by: 'nobody';
  readonly why: 'no sdk-node' | 'no server' | 'absent' | 'off' | 'packages';
  /** Packages that Paperclip's own needs, as npm takes them. */
  readonly missing: readonly string[];
}

interface OwnExporter {
  readonly package: string;
  readonly protocol: Protocol;
  /** What it passes as `url`: with gRPC only. */
  readonly url: string | undefined;
}

type Where = Pick<Subject, 'env' | 'preload' | 'server'>;

/** The SDK that would start first: what a later one registers is refused. */
export function sdkOf(subject: Where): Starting | NotStarting {
  if (subject.preload === 'register') return ownSdkOf(subject);
  const found = installed(SDK, HERE);
  if (found === undefined) return { by: 'nobody', why: 'no sdk-node', missing: [] };
  return { by: 'preload', from: HERE, version: found.version, given: undefined };
}

/**
 * Paperclip's own (`instrumentation.js` of the server): with an endpoint, and where its optional peers are there. From
 * 2026.831.0 on each has to have exactly the version that its package.json names.
 */
export function ownSdkOf({ env, server }: Pick<Where, 'env' | 'server'>): Starting | NotStarting {
  const not = (why: NotStarting['why'], missing: string[] = []): NotStarting => ({
    by: 'nobody',
    why,
    missing,
  });
  if (server === undefined) return not('no server');
  const { folder } = server.package;
  const files = ['dist/instrumentation.js', 'src/instrumentation.ts'];
  if (!files.some((file) => existsSync(join(folder, file)))) return not('absent');
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return not('off');
  const protocol = ownProtocol(env);
  const exporter = `@opentelemetry/exporter-trace-otlp-${EXPORTERS[protocol]}`;
  const { peerDependencies: pinned = {} } = readPackageJson(folder);
  const missing = [...COMMON, exporter].filter((name) => {
    const found = installed(name, folder);
    return found === undefined || (pinned[name] !== undefined && found.version !== pinned[name]);
  });
  if (missing.length > 0)
    return not(
      'packages',
      missing.map((name) => (pinned[name] === undefined ? name : `${name}@${pinned[name]}`)),
    );
  const given = { package: exporter, protocol, url: protocol === 'grpc' ? endpoint : undefined };
  return { by: 'Paperclip', from: folder, version: installed(SDK, folder)?.version, given };
}

/** The exporters of that SDK; where none is known to start, those of one that your own code may start. */
export function exportersOfSdk(sdk: Starting | NotStarting, env: Subject['env']): readonly Exporter[] {
  return SIGNALS.flatMap((signal) =>
    sdk.by === 'Paperclip' && sdk.given !== undefined && signal === 'traces'
      ? [otlpExporter(env, signal, sdk.given.protocol, sdk.given.url)]
      : exportersOf(env, signal),
  );
}

const COMMON = [
  SDK,
  '@opentelemetry/auto-instrumentations-node',
  '@opentelemetry/resources',
  '@opentelemetry/semantic-conventions',
];

/** What the names of packages with OTLP exporters end with. */
export const EXPORTERS: Readonly<Record<Protocol, string>> = {
  grpc: 'grpc',
  'http/protobuf': 'proto',
  'http/json': 'http',
};

/** That of the traces of Paperclip's own. */
export function ownProtocol(env: Subject['env']): Protocol {
  const written = env.OTEL_EXPORTER_OTLP_PROTOCOL?.trim().toLowerCase();
  return PROTOCOLS.find((protocol) => protocol === written) ?? 'grpc';
}
