/**
 * Tells the operator whether the instrumentation works: one debug line when it attaches, and one warning, with cause and
 * remedy, if a server runs and nothing was intercepted, if its version cannot be instrumented, if there is no SDK for a signal, or
 * if the SDK is in another copy of the API.
 */
import * as nodeModule from 'node:module';
import { type Signal, servedSignals, unseenApiVersion } from '../base/api.js';
import { attempt, debug, warnOperator } from '../base/faults.js';
import { inWords } from '../base/text.js';
import { PACKAGES_VARIABLE, wantedSignals } from '../config.js';
import { shared } from '../shared.js';
import { PACKAGE_NAME } from '../version.js';
import { describePackage, type PackageFile, packageOf } from './identity.js';
import { keepFromChildren } from './inheritance.js';
import type { RuntimeListener } from './patches.js';
import { cluster, serverOf } from './server.js';
import { FIRST_VERSION, isTooOld, registeredUnseen } from './support.js';

/** Milliseconds between two looks. */
const INTERVAL = 5_000;
/** Milliseconds that a server may take to load its runtime. */
const PATIENCE = 60_000;

const WORKERS =
  'the workers of this cluster are not attached: its primary loads the runtime itself, and keeps this preload from all child ' +
  'processes. Import the server in the workers only';
const NO_SDK =
  'nothing is recorded: no OpenTelemetry SDK for traces or metrics is registered in this process. ' +
  `Use the preload ${PACKAGE_NAME}/start (run --start), which starts one, or start one in your own code`;

/** @param listener called once, when a runtime is instrumented in this process, by any copy of the package */
export function whenAttached(listener: () => void): void {
  if (shared.attachment.isAttached) listener();
  else shared.attachment.waiting.push(listener);
}

export class Watch implements RuntimeListener {
  readonly #since = performance.now();
  #news: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param servers names of the packages that are treated as Paperclip's server */
  constructor(private readonly servers: () => readonly string[]) {}

  /** Starts to look, on a timer that does not keep the process alive. */
  start(): void {
    const look = () => attempt('watching for Paperclip failed', () => this.#look());
    this.#timer ??= setInterval(look, INTERVAL).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  onPatched(runtime: PackageFile): void {
    if (shared.attachment.isAttached) return;
    setAttached();
    this.#news = `attached to ${describePackage(runtime)}`;
    this.#tellNews();
    // The watch is over where it has warned that nothing was attached.
    if (shared.attachment.told.has('unattached')) this.start();
  }

  /** The host has instrumented its runtime or driver itself. */
  onInstrumented(): void {
    setAttached();
  }

  onStranger(runtime: PackageFile): void {
    shared.attachment.strangers.add(runtime.package.name);
  }

  onUnsupported({ package: { name, version } }: PackageFile): void {
    warnOnce('unsupported', tooOld(name, version));
    keepFromChildren(process);
  }

  #look(): void {
    this.#tellNews();
    const { isPreloaded, isAttached } = shared.attachment;
    const hidden = isPreloaded ? unseenApiVersion() : undefined;
    if (hidden !== undefined) warnOnce('unseen', unseen(hidden));
    if (isAttached) {
      // Without a preload, the host's SDK gives the instrumentation its providers. With one, it can come any time.
      if (this.#news === undefined && !isPreloaded) this.stop();
      if (!isPreloaded || !this.#isLate() || !isServing()) return;
      if (hidden === undefined) warnOfUnserved();
      if (isPrimary()) warnOnce('workers', WORKERS);
      this.stop();
      return;
    }
    if (!this.#isLate() || !this.#isServer(isPreloaded)) return;
    if (!shared.attachment.told.has('unsupported')) warnOnce('unattached', this.#whyUnattached(isPreloaded));
    this.stop();
  }

  #isLate(): boolean {
    return performance.now() - this.#since >= PATIENCE;
  }

  /** The line waits for a logger, because the SDK that sets one usually starts after Paperclip's modules were loaded. */
  #tellNews(): void {
    if (this.#news !== undefined && debug(this.#news)) this.#news = undefined;
  }

  /** A preload is meant for a server. The class alone may be in any process, and is wrong only in Paperclip's own. */
  #isServer(isPreloaded: boolean): boolean {
    return isPreloaded
      ? isListening() && !isPrimary()
      : serverOf(this.servers(), process.argv[1]) !== undefined;
  }

  #whyUnattached(isPreloaded: boolean): string {
    const names = this.servers().join(', ');
    for (const stranger of shared.attachment.strangers) {
      return (
        `not attached: the runtime found is of package ${stranger}, and ${names} is expected. ` +
        `If it is a fork of Paperclip, set ${PACKAGES_VARIABLE}=${stranger}`
      );
    }
    const server = serverOf(this.servers(), process.argv[1]);
    if (server === undefined) {
      return (
        `not attached: this process listens, but has loaded no runtime of ${names}. ` +
        'If it is the server, bundled into one file, start it unbundled: a bundle cannot be attached to. ' +
        'If not, put the preload in front of the Paperclip server only'
      );
    }
    if (isTooOld(server.version)) return tooOld(server.name, server.version);
    return isPreloaded
      ? `not attached: ${server.name} ${server.version} has loaded its runtime past the loader hook. ` +
          'Put this preload before others on the command line, and start the server unbundled, by import and not by require'
      : `not attached: ${server.name} ${server.version} is loaded as ES modules, which are patched only ` +
          `behind a loader hook. Start Node.js with --import ${PACKAGE_NAME}/register`;
  }
}

function tooOld(name: string, version: string | undefined): string {
  const why = isTooOld(version) ? 'is not supported' : 'has no environmentRuntimeService to instrument';
  return `not attached: ${name} ${version} ${why}. Supported is ${FIRST_VERSION} and later; update Paperclip or this package`;
}

function unseen(theirs: string): string {
  const ours = packageOf(nodeModule.createRequire(import.meta.url).resolve('@opentelemetry/api'))?.version;
  return (
    `nothing is recorded: the SDK of this process is ${registeredUnseen(theirs, ours)}. ` +
    `Install @opentelemetry/api ${theirs} beside ${PACKAGE_NAME}, with an @opentelemetry/instrumentation that accepts it`
  );
}

function warnOfUnserved(): void {
  const served = servedSignals();
  const missing = wantedSignals(process.env).filter((signal) => !served.includes(signal));
  if (served.length === 0) warnOnce('no SDK', NO_SDK);
  else if (missing.length > 0) warnOnce('no SDK', unserved(missing));
}

function unserved(missing: readonly Signal[]): string {
  const variables = missing.map((signal) => `OTEL_${signal.toUpperCase()}_EXPORTER=none`);
  return (
    `${inWords(missing)} are not recorded: no OpenTelemetry SDK for them is registered in this process. ` +
    `Use the preload ${PACKAGE_NAME}/start (run --start), which starts what is missing, or add them to the SDK in your own ` +
    `code. If you do not want them, set ${inWords(variables)}`
  );
}

export function warnOnce(what: string, message: string): void {
  if (shared.attachment.told.has(what)) return;
  shared.attachment.told.add(what);
  warnOperator(message);
}

function setAttached(): void {
  if (shared.attachment.isAttached) return;
  shared.attachment.isAttached = true;
  for (const listener of shared.attachment.waiting.splice(0))
    attempt('watching for Paperclip failed', listener);
}

function isListening(): boolean {
  return process.getActiveResourcesInfo().includes('TCPServerWrap');
}

/** Whether this process forks the workers of a cluster, and listens for them. */
function isPrimary(): boolean {
  return Object.keys(cluster().workers ?? {}).length > 0;
}

/** Whether a process that is attached serves requests. A cluster's primary listens for its workers. */
function isServing(): boolean {
  return isListening() || cluster().isWorker;
}
