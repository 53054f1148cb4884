/** Which versions of Paperclip are supported, and why a copy of OpenTelemetry's API may see no SDK. */

/** The first version with `environment-runtime.js`. */
export const FIRST_VERSION = '2026.427.0';

/** The version that all packages in Paperclip's repository have, so it tells nothing. */
export const PLACEHOLDER_VERSION = '0.3.1';

/**
 * Whether a version is from before {@link FIRST_VERSION}. Published versions are dates (`2026.916.1`,
 * `2026.825.0-canary.5`); {@link PLACEHOLDER_VERSION} is not.
 */
export function isTooOld(version: string | undefined): boolean {
  const [year = 0, day = 0] = numbersOf(version ?? '');
  const [firstYear = 0, firstDay = 0] = numbersOf(FIRST_VERSION);
  return year > 2000 && (year < firstYear || (year === firstYear && day < firstDay));
}

/** Says why this package does not see an SDK that is registered. */
export function registeredUnseen(theirs: string, ours: string | undefined): string {
  return (
    `registered through @opentelemetry/api ${theirs}, and this package uses ${ours}, ` +
    'which does not read what an older version registered'
  );
}

function numbersOf(version: string): number[] {
  return version.split('.', 2).map(Number);
}
