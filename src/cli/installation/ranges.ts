/** Ranges of versions as npm writes them, as far as the packages here use them: `>=`, `<`, `^`, spaces and `||`. */
import { compareVersions } from '../../attach/support.js';

/** Whether a version is in a range. A prerelease counts as its release. Syntax that is not known here matches. */
export function satisfies(version: string, range: string): boolean {
  return range.split('||').some((all) => {
    // A range from one version to another.
    if (all.includes(' - ')) return true;
    const comparators = all.replace(/([<>=^~])\s+/g, '$1').trim();
    return comparators.split(/\s+/).every((comparator) => meets(version, comparator));
  });
}

/** The version from which on a range is open: of `^18.19.0 || >=20.6.0`, `20.6.0`. */
export function lowest(range: string): string | undefined {
  return />=\s*([\d.]+)/.exec(range)?.[1];
}

function meets(version: string, comparator: string): boolean {
  const [, operator, bound = ''] = /^(>=|<|\^|(?=\d+\.\d+\.\d))(\d.*)$/.exec(comparator) ?? [];
  const order = compareVersions(version, bound);
  switch (operator) {
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    case '^':
      return order >= 0 && compareVersions(version, nextBreaking(bound)) < 0;
    case '':
      return order === 0;
    default:
      return true;
  }
}

/** The first later version that is not compatible. */
function nextBreaking(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 0 ? `${major + 1}` : `0.${minor + 1}`;
}
