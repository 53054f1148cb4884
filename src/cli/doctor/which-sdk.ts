/** Which OpenTelemetry SDK a server would start. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPackageJson } from '../../attach/identity.js';
import { keepFromChildren } from '../../attach/inheritance.js';
import { withoutModules } from '../../attach/node-options.js';
import { wantedSignals } from '../../config.js';
import { HERE, installed, SDK } from '../installation/installed.js';
import { type Env, list } from '../otel/environment.js';
import {
  type Exporter,
  exportersOf,
  otlpExporter,
  otlpPackage,
  PROTOCOLS,
  type Protocol,
  SIGNALS,
  type Signal,
} from '../otel/exporters.js';
import type { Subject } from './check.js';
import { runProbe } from './probe.js';

/** A `NodeSDK`, and who starts it. */
export interface Starting {
  readonly by: 'preload' | 'Paperclip';
  /** The folder from which its packages are resolved. */
  readonly from: string;
  readonly version: string | undefined;
  /** The exporter of traces that Paperclip gives to its own SDK. */
  readonly given: OwnExporter | undefined;
}

/** Why none is started. `absent`: the server has no code for it. `off`: no endpoint is set. */
export interface NotStarting {
  readonly by: 'nobody';
  readonly why: 'no sdk-node' | 'no server' | 'absent' | 'off' | 'packages';
  /** Packages that Paperclip's own SDK needs, as npm takes them. */
  readonly missing: readonly string[];
}

interface OwnExporter {
  readonly package: string;
  readonly protocol: Protocol;
  /** Paperclip passes a `url` with gRPC only. */
  readonly url: string | undefined;
}

type Where = Pick<Subject, 'env' | 'preload' | 'server'>;

/** The SDK that would start first. The API refuses what a later one registers. */
export function sdkOf(subject: Where): Starting | NotStarting {
  if (subject.preload === 'register') return ownSdkOf(subject);
  const found = installed(SDK, HERE);
  if (found === undefined) return { by: 'nobody', why: 'no sdk-node', missing: [] };
  return { by: 'preload', from: HERE, version: found.version, given: undefined };
}

/**
 * Paperclip's own SDK (`instrumentation.js` of the server). It starts where an endpoint is set and Paperclip's optional
 * peers are installed. From 2026.831.0 on each needs exactly the version that Paperclip's package.json names.
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
  const exporter = otlpPackage('traces', protocol);
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

/**
 * What this SDK exports; where none is known to start, what an SDK of the user's own would.
 *
 * @param served signals that another SDK serves, and that this one leaves to it
 */
export function exportersOfSdk(
  sdk: Starting | NotStarting,
  env: Env,
  served: readonly Signal[] = [],
): readonly Exporter[] {
  return SIGNALS.filter((signal) => !served.includes(signal)).flatMap((signal) =>
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

/** The protocol of traces of Paperclip's own SDK. */
function ownProtocol(env: Env): Protocol {
  const written = env.OTEL_EXPORTER_OTLP_PROTOCOL?.trim().toLowerCase();
  return PROTOCOLS.find((protocol) => protocol === written) ?? 'grpc';
}

/** Time limit for a process that loads the user's preloads, in milliseconds. */
const LIMIT = 20_000;

/** The signals that this package emits and that are not among these. */
export function unservedBy(served: readonly Signal[], env: Env): Signal[] {
  return wantedSignals(env).filter((signal) => !served.includes(signal));
}

/** Several checks ask about the same environment. */
const known = new WeakMap<Env, Promise<readonly Signal[]>>();

/**
 * The signals that a preload of the user's own in `NODE_OPTIONS` serves. Found by loading it in a process of its own; none
 * where it starts no SDK.
 */
export function servedByUser(subject: Pick<Subject, 'env' | 'folder'>): Promise<readonly Signal[]> {
  const found = known.get(subject.env) ?? findServed(subject);
  known.set(subject.env, found);
  return found;
}

async function findServed({ env, folder }: Pick<Subject, 'env' | 'folder'>): Promise<readonly Signal[]> {
  const kept: NodeJS.ProcessEnv = { ...env };
  keepFromChildren({ env: kept, execArgv: [] });
  const { NODE_OPTIONS: options = '' } = kept;
  if (withoutModules(options, () => true) === options) return [];
  delete kept.OTEL_LOG_LEVEL;
  // An SDK without exporters registers nothing, and the exporter for Prometheus opens a port.
  if (list(env, 'OTEL_METRICS_EXPORTER').includes('prometheus')) kept.OTEL_METRICS_EXPORTER = 'console';
  const { answer } = await runProbe<readonly Signal[]>('registered', {
    env: kept,
    cwd: folder,
    limit: LIMIT,
  });
  return answer ?? [];
}
