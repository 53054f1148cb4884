/** Check: this package's own options that variables set. */
import { ENV_PREFIX, type Settings } from '../../config.js';
import { ERROR_CATALOG_VARIABLE, readEnvironment, resolveSettings } from '../../options.js';
import type { PaperclipInstrumentationConfig } from '../../types.js';
import { nearest } from '../otel/nearest.js';
import { millisecondsOf, trueOrFalse } from '../otel/values.js';
import { type Check, type Finding, ok, problem } from './check.js';

const DEFAULTS = resolveSettings({}, {}, () => {});

export const options: Check = {
  id: 'options',
  title: 'Options',
  run: ({ env }) => {
    const problems: Finding[] = [];
    // The check `catalog` looks at the file of error records.
    const { errorCatalog: _, ...given } = readEnvironment(
      { ...env, [ERROR_CATALOG_VARIABLE]: undefined },
      (warning, variable) => problems.push(wrong(warning, variable, env[variable]?.trim() ?? '')),
    );
    if (problems.length > 0) return problems;
    const different = Object.entries(given).filter(([name, value]) => isDifferent({ [name]: value }));
    if (different.length === 0) return [ok('defaults')];
    return [ok(`${different.map(([name, value]) => `${name}=${value}`).join(', ')}; else defaults`)];
  },
};

/** What to say about an option whose variable is bad. */
interface Expected {
  /** What is used instead, in words. */
  readonly used: string;
  /** The value that was probably meant. It may not be valid either. */
  guess(value: string): string | undefined;
  /** What to set the variable to, in words, where no value can be guessed. */
  readonly remedy: string;
  /** All valid values, where they are few. */
  readonly of?: readonly string[];
}

/** @param of the valid values. The first one records less, and is proposed where none is near. */
const choice = (used: string, ...of: readonly [string, string]): Expected => ({
  used: `${used} is used`,
  guess: (value) => (of[0] === 'false' ? trueOrFalse(value) : (nearest(value.toLowerCase(), of) ?? of[0])),
  remedy: `to ${of.join(' or ')}`,
  of,
});
const milliseconds = (used: number): Expected => ({
  used: `${used} is used`,
  guess: (value) => withoutGrouping(value) ?? millisecondsOf(value)?.toString(),
  remedy: `to a whole number of milliseconds, such as ${used}`,
});
const names = (used: string, remedy: string): Expected => ({
  used,
  guess: (value) =>
    value
      .replaceAll(/[\s"',;]+/g, ' ')
      .trim()
      .replaceAll(' ', ','),
  remedy,
});

const { captureIds, errorDetail, recovery, leaseInventory, providerSpans, propagateContext, packages } =
  DEFAULTS;
const EXPECTED: Readonly<Record<string, Expected>> = {
  CAPTURE_IDS: choice(String(captureIds), 'false', 'true'),
  ERROR_DETAIL: choice(errorDetail, 'catalogued', 'full'),
  FALLBACK_WINDOW_MS: milliseconds(recovery.fallbackWindowMs),
  REACQUIRE_WINDOW_MS: milliseconds(recovery.reacquireWindowMs),
  MAX_TRACKED_RECOVERIES: {
    used: `${recovery.maxTrackedRecoveries} is used`,
    guess: withoutGrouping,
    remedy: `to a whole number, such as ${recovery.maxTrackedRecoveries}`,
  },
  LEASE_INVENTORY: choice(String(leaseInventory), 'false', 'true'),
  PROVIDER_SPANS: choice(String(providerSpans), 'false', 'true'),
  PROPAGATE_CONTEXT: choice(String(propagateContext), 'false', 'true'),
  PROVIDERS: names('only the known providers are used', 'to the keys of providers, with commas between them'),
  PACKAGES: names(
    `${packages.join(',')} is used`,
    `to the names of npm packages, with commas between them, such as ${packages[0]}`,
  ),
};

/** @param warning of this package itself */
function wrong(warning: string, variable: string, value: string): Finding {
  const expected = EXPECTED[variable.slice(ENV_PREFIX.length)];
  if (expected === undefined) return problem(warning, `correct ${variable}`);
  const reason = warning.slice(variable.length).replace(/; using the default$/, '');
  const guess = expected.guess(value);
  const others = expected.of?.filter((each) => each !== guess) ?? [];
  const remedy =
    guess !== undefined && isValid(variable, guess)
      ? `set ${variable}=${[guess, ...others].join(', or to ')}`
      : `set ${variable} ${expected.remedy}`;
  return problem(`${variable}=${value}${reason}; ${expected.used}`, remedy);
}

function isValid(variable: string, value: string): boolean {
  let isRight = true;
  readEnvironment({ [variable]: value }, () => {
    isRight = false;
  });
  return isRight;
}

/** The digits of a number that people write in groups, such as `30_000` or `30,000`. */
function withoutGrouping(value: string): string | undefined {
  return /^\d{1,3}(?:[_,' ]\d{3})+$/.test(value) ? value.replaceAll(/\D/g, '') : undefined;
}

/** Whether it changes the settings from the defaults. */
function isDifferent(given: PaperclipInstrumentationConfig): boolean {
  return written(resolveSettings(given, {}, () => {})) !== written(DEFAULTS);
}

function written(settings: Settings): string {
  return JSON.stringify(settings, (_, value) => (value instanceof Set ? [...value] : value));
}
