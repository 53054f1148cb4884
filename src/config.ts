/** The settings of one instance, and their defaults. Nothing here validates, so nothing here loads zod. */
import type { Signal } from './base/api.js';
import { commaSeparated } from './base/text.js';
import { builtInCatalog, type ErrorCatalog } from './errors/catalog.js';
import type { RecoveryLimits } from './recovery/outcomes.js';
import { PROVIDERS } from './semconv.js';
import type { ErrorDetail } from './types.js';

/** The configuration as the rest of the package uses it. */
export interface Settings {
  readonly providers: ReadonlySet<string>;
  readonly captureIds: boolean;
  readonly errorDetail: ErrorDetail;
  readonly catalog: ErrorCatalog;
  /** Tags of the catalog's records. */
  readonly errorTags: ReadonlySet<string>;
  readonly recovery: RecoveryLimits;
  /** Whether the table of leases is asked. */
  readonly leaseInventory: boolean;
  /** Whether spans of providers are recorded below the operation. */
  readonly providerSpans: boolean;
  /** Whether processes are told of the context, in environment variables. */
  readonly propagateContext: boolean;
  /** Names of the packages that are treated as Paperclip's server. */
  readonly packages: readonly string[];
  readonly exceptionSignals: { readonly event: boolean; readonly log: boolean };
}

type Env = Readonly<NodeJS.ProcessEnv>;

export const ENV_PREFIX = 'OTEL_INSTRUMENTATION_PAPERCLIP_';
/** The variable that names the packages of a renamed fork. */
export const PACKAGES_VARIABLE = `${ENV_PREFIX}PACKAGES`;
/** The variable that has the context passed on. */
export const PROPAGATE_VARIABLE = `${ENV_PREFIX}PROPAGATE_CONTEXT`;
/** OpenTelemetry semantic conventions, exceptions: `logs`, `logs/dup`, or unset for span events. */
const EXCEPTION_SIGNAL_VARIABLE = 'OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN';

/** The `service.name` where none is configured. Paperclip's own bootstrap (`instrumentation.js` of the server) uses it. */
export const DEFAULT_SERVICE_NAME = 'paperclip';

const SERVERS = ['@paperclipai/server'];
/** The name of an npm package. */
export const PACKAGE = /^(@[\w.~-]+\/)?[\w.~-]+$/;

/** Whether a variable sets an option of this package. */
export function hasOptions(env: Env): boolean {
  return Object.keys(env).some((name) => name.startsWith(ENV_PREFIX) && env[name]?.trim());
}

/** The settings where no option is given. */
export function defaultSettings(env: Env): Settings {
  return {
    providers: new Set(PROVIDERS),
    captureIds: true,
    errorDetail: 'catalogued',
    catalog: builtInCatalog,
    errorTags: tagsOf(builtInCatalog),
    recovery: { fallbackWindowMs: 30_000, reacquireWindowMs: 300_000, maxTrackedRecoveries: 10_000 },
    leaseInventory: false,
    providerSpans: true,
    propagateContext: false,
    packages: SERVERS,
    exceptionSignals: exceptionSignals(env),
  };
}

export function tagsOf({ records }: ErrorCatalog): ReadonlySet<string> {
  return new Set(records.map(({ backgroundTag }) => backgroundTag));
}

/** The `packages` of the settings, for a process that has no options but variables. */
export function serverPackages(env: Env): readonly string[] {
  const names = commaSeparated(env[PACKAGES_VARIABLE] ?? '');
  return names.length > 0 && names.every((name) => PACKAGE.test(name)) ? names : SERVERS;
}

/** The `propagateContext` of the settings, for a process that has no options but variables. */
export function propagatesContext(env: Env): boolean {
  return env[PROPAGATE_VARIABLE]?.trim().toLowerCase() === 'true';
}

/** The signals that this package emits, without those that the operator has switched off. */
export function wantedSignals(env: Env): Signal[] {
  const emitted: Signal[] = exceptionSignals(env).log ? ['traces', 'metrics', 'logs'] : ['traces', 'metrics'];
  return emitted.filter(
    (signal) => !commaSeparated(env[`OTEL_${signal.toUpperCase()}_EXPORTER`] ?? '').includes('none'),
  );
}

function exceptionSignals(env: Env): Settings['exceptionSignals'] {
  const choice = env[EXCEPTION_SIGNAL_VARIABLE]?.trim().toLowerCase();
  if (choice === 'logs') return { event: false, log: true };
  return { event: true, log: choice === 'logs/dup' };
}
