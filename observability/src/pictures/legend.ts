/** The legend below a graph. */
import { element, text, widthOf } from './svg.js';
import type { Theme } from './theme.js';

export interface Entry {
  readonly name: string;
  readonly color: string;
}

const SIDE = 10;
const ROW = 15;
const MARK = 12;
const GAP = 14;
const LETTERS = 10.5;

/** The entries from left to right, in as many rows as the width asks for. */
export function legend(
  entries: readonly Entry[],
  width: number,
  theme: Theme,
): { svg: string; height: number } {
  let x = SIDE;
  let y = ROW / 2;
  const drawn: string[] = [];
  for (const { name, color } of entries) {
    const needed = MARK + 5 + widthOf(name, LETTERS);
    if (x > SIDE && x + needed > width - SIDE) {
      x = SIDE;
      y += ROW;
    }
    drawn.push(
      element('rect', { x, y: y - 1.5, width: MARK, height: 3, rx: 1, fill: color }),
      text(name, x + MARK + 5, y + 3.5, { color: theme.text, size: LETTERS }),
    );
    x += needed + GAP;
  }
  return { svg: drawn.join(''), height: y + ROW / 2 + 4 };
}
