/** Chooses few cells in which every pair of values that can be together is together at least once. */

/**
 * Takes the cell with the most pairs that no chosen one has, until there is none left. The first of equals,
 * so that the choice is the same each time.
 *
 * @param cells every cell that can exist
 */
export function pairwise(cells) {
  const pairs = new Map(cells.map((cell) => [cell, pairsOf(cell)]));
  const missing = new Set([...pairs.values()].flat());
  const chosen = [];
  while (missing.size > 0) {
    let best;
    let most = 0;
    for (const [cell, ofCell] of pairs) {
      const count = ofCell.filter((pair) => missing.has(pair)).length;
      if (count > most) [best, most] = [cell, count];
    }
    chosen.push(best);
    for (const pair of pairs.get(best)) missing.delete(pair);
  }
  return chosen;
}

function pairsOf(cell) {
  const values = Object.entries(cell).map(([name, value]) => `${name}=${value}`);
  return values.flatMap((value, index) => values.slice(index + 1).map((other) => `${value} ${other}`));
}
