/** Which versions of Paperclip are supported, which line of OpenTelemetry JS a version is of, and why a copy of OpenTelemetry's API may see no SDK. */

/** The first version with `environment-runtime.js`. */
export const FIRST_VERSION = '2026.427.0';

/** The version that all packages in Paperclip's repository have, so it tells nothing. */
export const PLACEHOLDER_VERSION = '0.3.1';

/** Bun's `module.register` does nothing (1.4.5), and there is no `module.registerHooks`, so nothing can be attached to. */
export const IS_BUN = process.versions.bun !== undefined;

/**
 * Whether a version is from before {@link FIRST_VERSION}. Published versions are dates (`2026.916.1`,
 * `2026.825.0-canary.5`); {@link PLACEHOLDER_VERSION} is not.
 */
export function isTooOld(version: string | undefined): boolean {
  return (
    version !== undefined &&
    Number.parseInt(version, 10) > 2000 &&
    compareVersions(version, FIRST_VERSION) < 0
  );
}

/** Which of two versions is later: positive where the first one is. A prerelease counts as its release. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [numbersOf(one), numbersOf(other)];
  return first[0] - second[0] || first[1] - second[1] || first[2] - second[2];
}

/**
 * Whether a package that is released as 0.x, such as the SDK, belongs to OpenTelemetry JS 3.x: 2.x is 0.2xx, and 3.x is
 * 0.300 and later.
 */
export function isLine3({ version }: { readonly version?: string | undefined }): boolean {
  return Number(version?.split('.')[1]) >= 300;
}

/** Says why this package does not see an SDK that is registered. */
export function registeredUnseen(theirs: string, ours: string | undefined): string {
  return (
    `registered through @opentelemetry/api ${theirs}, and this package uses ${ours}, ` +
    'which does not read what an older version registered'
  );
}

function numbersOf(version: string): readonly [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version
    .split(/[.+-]/, 3)
    .map((part) => Number.parseInt(part, 10) || 0);
  return [major, minor, patch];
}
