/**
 * Options: given in code, or by environment variables. A bad option in code throws. A bad variable is reported and its
 * default used, so that it never stops the host.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { commaSeparated } from './base/text.js';
import {
  defaultSettings,
  ENV_PREFIX,
  PACKAGE,
  PACKAGES_VARIABLE,
  PROPAGATE_VARIABLE,
  type Settings,
  tagsOf,
} from './config.js';
import { builtInCatalog, combineCatalogs, type ErrorCatalog } from './errors/catalog.js';
import { loadErrorCatalog } from './errors/load.js';
import type { PaperclipInstrumentationConfig } from './types.js';
import { PACKAGE_NAME } from './version.js';

/** Called with one sentence for each thing in the configuration that an operator should know. */
export type Warn = (message: string) => void;
/** The same for a bad variable, with its name. */
export type WarnOfVariable = (message: string, variable: string) => void;

const providerKey = z
  .string()
  .regex(/^[\w.:-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, ".", ":", "_" or "-"' });
const packageName = z.string().regex(PACKAGE, { error: 'must be the name of an npm package' });
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
  leaseInventory: flag.optional(),
  providerSpans: flag.optional(),
  propagateContext: flag.optional(),
  packages: z.array(packageName).min(1, { error: 'must name at least one package' }).readonly().optional(),
  requestHook: hook.optional(),
  responseHook: hook.optional(),
});

/** The variables of the options, and how their text becomes a value to validate. */
const ENVIRONMENT = {
  providers: { variable: `${ENV_PREFIX}PROVIDERS`, parse: commaSeparated },
  captureIds: { variable: `${ENV_PREFIX}CAPTURE_IDS`, parse: boolean },
  errorDetail: { variable: `${ENV_PREFIX}ERROR_DETAIL`, parse: (text: string) => text.toLowerCase() },
  errorCatalog: { variable: `${ENV_PREFIX}ERROR_CATALOG`, parse: (text: string) => text },
  fallbackWindowMs: { variable: `${ENV_PREFIX}FALLBACK_WINDOW_MS`, parse: Number },
  reacquireWindowMs: { variable: `${ENV_PREFIX}REACQUIRE_WINDOW_MS`, parse: Number },
  maxTrackedRecoveries: { variable: `${ENV_PREFIX}MAX_TRACKED_RECOVERIES`, parse: Number },
  leaseInventory: { variable: `${ENV_PREFIX}LEASE_INVENTORY`, parse: boolean },
  providerSpans: { variable: `${ENV_PREFIX}PROVIDER_SPANS`, parse: boolean },
  propagateContext: { variable: PROPAGATE_VARIABLE, parse: boolean },
  packages: { variable: PACKAGES_VARIABLE, parse: commaSeparated },
} as const;
type EnvironmentOption = keyof typeof ENVIRONMENT;

/** The names of all variables above. */
export const OPTION_VARIABLES: readonly string[] = Object.values(ENVIRONMENT).map(({ variable }) => variable);
/** The variable that names a file of error records. */
export const ERROR_CATALOG_VARIABLE = ENVIRONMENT.errorCatalog.variable;

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
 * @param warn called for each bad variable, and for each error record that was not loaded
 * @throws TypeError where the file of `errorCatalog`, given in code, cannot be used
 */
export function resolveSettings(
  options: PaperclipInstrumentationConfig,
  env: Readonly<NodeJS.ProcessEnv>,
  warn: Warn,
): Settings {
  const given = { ...readEnvironment(env, warn), ...withoutUndefined(options) };
  const defaults = defaultSettings(env);
  const { recovery } = defaults;
  const catalog =
    options.errorCatalog === undefined
      ? catalogFromEnvironment(given.errorCatalog, warn)
      : readCatalog(options.errorCatalog, 'option "errorCatalog"', warn);
  return {
    providers: new Set([...defaults.providers, ...(given.providers ?? [])]),
    captureIds: given.captureIds ?? defaults.captureIds,
    errorDetail: given.errorDetail ?? defaults.errorDetail,
    catalog,
    errorTags: tagsOf(catalog),
    recovery: {
      fallbackWindowMs: given.fallbackWindowMs ?? recovery.fallbackWindowMs,
      reacquireWindowMs: given.reacquireWindowMs ?? recovery.reacquireWindowMs,
      maxTrackedRecoveries: given.maxTrackedRecoveries ?? recovery.maxTrackedRecoveries,
    },
    leaseInventory: given.leaseInventory ?? defaults.leaseInventory,
    providerSpans: given.providerSpans ?? defaults.providerSpans,
    propagateContext: given.propagateContext ?? defaults.propagateContext,
    packages: given.packages ?? defaults.packages,
    exceptionSignals: defaults.exceptionSignals,
  };
}

/**
 * The options that variables set.
 *
 * @param warn called for each bad variable
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

/** OpenTelemetry's boolean variables hold `true` or `false`, in any case. */
function boolean(text: string): unknown {
  const lower = text.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : text;
}

/** An option with the value `undefined` counts as not given. */
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
