/**
 * Configuration: options given in code, environment variables, defaults. A bad option in code throws; a bad
 * environment variable is reported and its default used, so that it never stops the host.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { builtInCatalog, combineCatalogs, type ErrorCatalog, loadErrorCatalog } from './errors/catalog.js';
import type { RecoveryLimits } from './recovery/outcomes.js';
import { PROVIDERS } from './semconv.js';
import { commaSeparated } from './text.js';
import type { ErrorDetail, PaperclipInstrumentationConfig } from './types.js';
import { PACKAGE_NAME } from './version.js';

/** Configuration as the rest of the package uses it. */
export interface Settings {
  readonly providers: ReadonlySet<string>;
  readonly captureIds: boolean;
  readonly errorDetail: ErrorDetail;
  readonly catalog: ErrorCatalog;
  /** Tags of the catalog's records. */
  readonly errorTags: ReadonlySet<string>;
  readonly recovery: RecoveryLimits;
  readonly packages: readonly string[];
  readonly exceptionSignals: { readonly event: boolean; readonly log: boolean };
}

/** Receives one sentence for each thing in the configuration that an operator should know. */
export type Warn = (message: string) => void;
/** The same for a variable that is bad, with its name. */
export type WarnOfVariable = (message: string, variable: string) => void;

export const ENV_PREFIX = 'OTEL_INSTRUMENTATION_PAPERCLIP_';
/** OpenTelemetry semantic conventions, exceptions: `logs`, `logs/dup`, or unset for span events. */
const ENV_EXCEPTION_SIGNAL = 'OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN';

const SERVERS = ['@paperclipai/server'];

const providerKey = z
  .string()
  .regex(/^[\w.:-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, ".", ":", "_" or "-"' });
const packageName = z
  .string()
  .regex(/^(@[\w.~-]+\/)?[\w.~-]+$/, { error: 'must be the name of an npm package' });
const positiveInteger = z.int({ error: 'must be a whole number' }).min(1, { error: 'must be at least 1' });
const flag = z.boolean({ error: 'must be true or false' });
const hook = z.custom((value) => typeof value === 'function', { error: 'must be a function' });

const optionsSchema = z.strictObject({
  enabled: flag.optional(),
  providers: z.array(providerKey).max(64, { error: 'must be at most 64 keys' }).readonly().optional(),
  captureIds: flag.optional(),
  errorDetail: z.enum(['catalogued', 'full'], { error: 'must be catalogued or full' }).optional(),
  errorCatalog: z.string().min(1).optional(),
  fallbackWindowMs: positiveInteger.optional(),
  reacquireWindowMs: positiveInteger.optional(),
  maxTrackedRecoveries: positiveInteger.optional(),
  packages: z.array(packageName).min(1, { error: 'must name at least one package' }).readonly().optional(),
  requestHook: hook.optional(),
  responseHook: hook.optional(),
});

/** Options that an environment variable can set, and how its text becomes a value to validate. */
const ENVIRONMENT = {
  providers: { variable: `${ENV_PREFIX}PROVIDERS`, parse: commaSeparated },
  captureIds: { variable: `${ENV_PREFIX}CAPTURE_IDS`, parse: boolean },
  errorDetail: { variable: `${ENV_PREFIX}ERROR_DETAIL`, parse: (text: string) => text.toLowerCase() },
  errorCatalog: { variable: `${ENV_PREFIX}ERROR_CATALOG`, parse: (text: string) => text },
  fallbackWindowMs: { variable: `${ENV_PREFIX}FALLBACK_WINDOW_MS`, parse: Number },
  reacquireWindowMs: { variable: `${ENV_PREFIX}REACQUIRE_WINDOW_MS`, parse: Number },
  maxTrackedRecoveries: { variable: `${ENV_PREFIX}MAX_TRACKED_RECOVERIES`, parse: Number },
  packages: { variable: `${ENV_PREFIX}PACKAGES`, parse: commaSeparated },
} as const;
type EnvironmentOption = keyof typeof ENVIRONMENT;

/** The names of all variables above. */
export const OPTION_VARIABLES: readonly string[] = Object.values(ENVIRONMENT).map(({ variable }) => variable);
/** The one that names a file of error records. */
export const ERROR_CATALOG_VARIABLE = ENVIRONMENT.errorCatalog.variable;
/** The one that names the packages that are treated as Paperclip's server. */
export const PACKAGES_VARIABLE = ENVIRONMENT.packages.variable;

/**
 * Checks options given in code.
 *
 * @throws TypeError that names the option and what is wrong with it
 */
export function validateOptions(options: PaperclipInstrumentationConfig): PaperclipInstrumentationConfig {
  const parsed = optionsSchema.safeParse(withoutUndefined(options));
  if (parsed.success) return options;
  const problems = parsed.error.issues.map(describeIssue).join('; ');
  throw new TypeError(`${PACKAGE_NAME}: ${problems}`);
}

/**
 * Resolves options, environment and defaults to settings.
 *
 * @param options options given in code, already checked
 * @param env the environment variables
 * @param warn told of bad variables and of error records that were not loaded
 * @throws TypeError where the file of `errorCatalog`, given in code, cannot be used
 */
export function resolveSettings(
  options: PaperclipInstrumentationConfig,
  env: NodeJS.ProcessEnv,
  warn: Warn,
): Settings {
  const fromEnvironment = readEnvironment(env, warn);
  const given = { ...fromEnvironment, ...withoutUndefined(options) };
  const catalog =
    options.errorCatalog === undefined
      ? catalogFromEnvironment(given.errorCatalog, warn)
      : readCatalog(options.errorCatalog, 'option "errorCatalog"', warn);
  return {
    providers: new Set([...PROVIDERS, ...(given.providers ?? [])]),
    captureIds: given.captureIds ?? true,
    errorDetail: given.errorDetail ?? 'catalogued',
    catalog,
    errorTags: new Set(catalog.records.map(({ backgroundTag }) => backgroundTag)),
    recovery: {
      fallbackWindowMs: given.fallbackWindowMs ?? 30_000,
      reacquireWindowMs: given.reacquireWindowMs ?? 300_000,
      maxTrackedRecoveries: given.maxTrackedRecoveries ?? 10_000,
    },
    packages: given.packages ?? SERVERS,
    exceptionSignals: readExceptionSignals(env[ENV_EXCEPTION_SIGNAL]),
  };
}

/** Names of the packages that are treated as Paperclip's server, for a process that has no options but variables. */
export function serverPackages(env: NodeJS.ProcessEnv): readonly string[] {
  return readEnvironment(env, () => {}).packages ?? SERVERS;
}

/**
 * The options that variables set.
 *
 * @param warn told of bad variables
 */
export function readEnvironment(
  env: Readonly<NodeJS.ProcessEnv>,
  warn: WarnOfVariable,
): Partial<PaperclipInstrumentationConfig> {
  const values: Record<string, unknown> = {};
  for (const option of Object.keys(ENVIRONMENT) as EnvironmentOption[]) {
    const { variable, parse } = ENVIRONMENT[option];
    const text = env[variable]?.trim();
    if (text === undefined || text === '') continue;
    const value = parse(text);
    const parsed = optionsSchema.shape[option].safeParse(value);
    if (parsed.success) values[option] = value;
    else
      warn(`${variable}: ${parsed.error.issues[0]?.message ?? 'is not valid'}; using the default`, variable);
  }
  return values;
}

function catalogFromEnvironment(path: string | undefined, warn: Warn): ErrorCatalog {
  if (path === undefined) return builtInCatalog;
  try {
    return readCatalog(path, ERROR_CATALOG_VARIABLE, warn);
  } catch (error) {
    warn(
      `${error instanceof Error ? error.message : ERROR_CATALOG_VARIABLE}; using the built-in error catalog`,
    );
    return builtInCatalog;
  }
}

function readCatalog(path: string, origin: string, warn: Warn): ErrorCatalog {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new TypeError(`${origin}: cannot read ${path}${reason}`);
  }
  const loaded = loadErrorCatalog(text, { source: `${origin}: ${path}` });
  for (const problem of loaded.problems) warn(`${problem.message}; the record is left out`);
  return combineCatalogs(loaded, builtInCatalog);
}

function readExceptionSignals(value: string | undefined): Settings['exceptionSignals'] {
  const choice = value?.trim().toLowerCase();
  if (choice === 'logs') return { event: false, log: true };
  return { event: true, log: choice === 'logs/dup' };
}

/** OpenTelemetry's boolean variables: `true` and `false` in any case; anything else is not valid. */
function boolean(text: string): unknown {
  const lower = text.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : text;
}

/** An option given as `undefined` is an option not given. */
function withoutUndefined<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => `"${key}"`).join(', ');
    return `unknown option ${keys} (known: ${Object.keys(optionsSchema.shape).join(', ')})`;
  }
  return `option "${issue.path.join('.')}": ${issue.message}`;
}
