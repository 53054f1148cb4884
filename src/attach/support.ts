/** Which versions of Paperclip can be instrumented, and which copies of OpenTelemetry's API do not meet. */

/** The first version with `environment-runtime.js`. What a later one no longer has is left alone. */
export const FIRST_VERSION = '2026.427.0';

/** What the packages in Paperclip's repository carry, which says nothing. */
export const PLACEHOLDER_VERSION = '0.3.1';

/**
 * Whether a version is from before {@link FIRST_VERSION}. Published versions are dates (`2026.916.1`,
 * `2026.825.0-canary.5`); {@link PLACEHOLDER_VERSION} is none.
 */
export function isTooOld(version: string | undefined): boolean {
  const [year = 0, day = 0] = numbersOf(version ?? '');
  const [firstYear = 0, firstDay = 0] = numbersOf(FIRST_VERSION);
  return year > 2000 && (year < firstYear || (year === firstYear && day < firstDay));
}

/** What is the matter where this package does not see an SDK that is registered. */
export function registeredUnseen(theirs: string, ours: string | undefined): string {
  return (
    `registered through @opentelemetry/api ${theirs}, and this package uses ${ours}, ` +
    'which does not read what an older version registered'
  );
}

function numbersOf(version: string): number[] {
  return version.split('.', 2).map(Number);
}
