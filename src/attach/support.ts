/** Which versions of Paperclip can be instrumented. */

/** The first version with `environment-runtime.js`. What a later one no longer has is left alone. */
export const FIRST_VERSION = '2026.427.0';

/**
 * Whether a version is from before {@link FIRST_VERSION}. Published versions are dates (`2026.916.1`,
 * `2026.825.0-canary.5`). The packages in Paperclip's repository carry `0.3.1`, which says nothing.
 */
export function isTooOld(version: string | undefined): boolean {
  const [year = 0, day = 0] = numbersOf(version ?? '');
  const [firstYear = 0, firstDay = 0] = numbersOf(FIRST_VERSION);
  return year > 2000 && (year < firstYear || (year === firstYear && day < firstDay));
}

function numbersOf(version: string): number[] {
  return version.split('.', 2).map(Number);
}
