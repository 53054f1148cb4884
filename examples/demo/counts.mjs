// @ts-check
/** Numbers by the members of a closed set of names, such as outcomes. */

/**
 * @template {string} Name
 * @param {readonly Name[]} names
 */
export function zeroes(names) {
  return /** @type {Record<Name, number>} */ (Object.fromEntries(names.map((name) => [name, 0])));
}

/**
 * @template {string} Name
 * @param {Readonly<Record<Name, number>>} counts
 */
export function entries(counts) {
  return /** @type {[Name, number][]} */ (Object.entries(counts));
}

/** @param {Readonly<Record<string, number>>} counts */
export function sum(counts) {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/**
 * @param {Readonly<Record<string, number>>} counts
 * @returns {string} those that are not zero
 */
export function describe(counts) {
  const counted = entries(counts).filter(([, count]) => count > 0);
  return counted.map(([name, count]) => `${count} ${name}`).join(', ') || '-';
}

/** @param {number} part @param {number} whole */
export function percentage(part, whole) {
  return whole === 0 ? '-' : `${Math.round((100 * part) / whole)}%`;
}
