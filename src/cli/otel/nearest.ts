/** Spelling suggestions. */

/** The largest share of letters to edit with which one word is still taken for another. */
const FARTHEST = 0.25;

/**
 * @param word what was written
 * @param words what could have been meant, the likelier first
 * @returns the nearest; nothing where none is near
 */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const other of words) {
    const count = edits(word, other);
    // One edit may be a typing error in a short word, too.
    const limit = Math.max(1, FARTHEST * Math.max(word.length, other.length));
    if (count <= limit && count < least) {
      best = other;
      least = count;
    }
  }
  return best;
}

/**
 * How many letters to insert, delete, replace or swap with their neighbours to turn one word into the other: the
 * restricted Damerau-Levenshtein distance.
 */
function edits(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let count = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
      );
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwapped) count = Math.min(count, at(row - 2, column - 2) + 1);
      rows[row]?.push(count);
    }
  }
  return at(one.length, other.length);
}
