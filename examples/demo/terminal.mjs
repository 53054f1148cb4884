// @ts-check
/** How the report looks: colours where they are wanted, and columns that line up. */
import { styleText } from 'node:util';

const coloured = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;

/** Marks what failed, also where there are no colours. */
export const FAILED = '✗';

/** @param {'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold'} style @param {string} text */
export function paint(style, text) {
  return coloured ? styleText(style, text) : text;
}

/**
 * @param {number} seconds
 * @returns {string}
 */
export function formatDuration(seconds) {
  const ms = seconds * 1000;
  if (ms >= 1000) return `${seconds.toFixed(1)} s`;
  return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
}

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {'left' | 'right'} [align]
 * @property {(cell: string) => string} [paint] colours a cell, after it was measured
 */

/**
 * @param {readonly Column[]} columns
 * @param {readonly string[][]} rows
 * @returns {string[]} the lines of the table
 */
export function table(columns, rows) {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  /** @param {readonly string[]} cells @param {(column: Column, cell: string) => string} style */
  const line = (cells, style) =>
    columns
      .map((column, index) => {
        const cell = cells[index] ?? '';
        const padding = ' '.repeat((widths[index] ?? 0) - cell.length);
        return column.align === 'right' ? padding + style(column, cell) : style(column, cell) + padding;
      })
      .join('  ')
      .trimEnd();
  const titles = columns.map(({ title }) => title);
  return [
    line(titles, (_column, title) => paint('dim', title)),
    ...rows.map((row) => line(row, (column, cell) => column.paint?.(cell) ?? cell)),
  ];
}
