/** Ranges of versions as npm writes them, as far as the packages that are looked at do: `>=`, `<`, `^`, spaces and `||`. */

type Numbers = readonly [number, number, number];

/** Whether a version is in a range. Marks of prereleases are not looked at, and what is not understood is met. */
export function satisfies(version: string, range: string): boolean {
  return range.split('||').some((all) => {
    // From one version to another.
    if (all.includes(' - ')) return true;
    const comparators = all.replace(/([<>=^~])\s+/g, '$1').trim();
    return comparators.split(/\s+/).every((comparator) => meets(numbersOf(version), comparator));
  });
}

/** Which of two versions is the later one: positive where the first is. */
export function compare(one: string, other: string): number {
  return compareNumbers(numbersOf(one), numbersOf(other));
}

/** The version from which on a range is open: of `^18.19.0 || >=20.6.0`, `20.6.0`. */
export function lowest(range: string): string | undefined {
  return />=\s*([\d.]+)/.exec(range)?.[1];
}

function meets(version: Numbers, comparator: string): boolean {
  const [, operator, text = ''] = /^(>=|<|\^|(?=\d+\.\d+\.\d))(\d.*)$/.exec(comparator) ?? [];
  const bound = numbersOf(text);
  const order = compareNumbers(version, bound);
  switch (operator) {
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    case '^':
      return order >= 0 && compareNumbers(version, ceiling(bound)) < 0;
    case '':
      return order === 0;
    default:
      // Nobody is accused of what is not understood.
      return true;
  }
}

/** The first version that is not compatible any more. */
function ceiling([major, minor]: Numbers): Numbers {
  return major > 0 ? [major + 1, 0, 0] : [0, minor + 1, 0];
}

function compareNumbers(one: Numbers, other: Numbers): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function numbersOf(version: string): Numbers {
  const [major = 0, minor = 0, patch = 0] = version
    .split(/[.+-]/, 3)
    .map((part) => Number.parseInt(part, 10) || 0);
  return [major, minor, patch];
}
