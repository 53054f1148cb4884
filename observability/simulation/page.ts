/** What `docs/alerts.md` says of a simulation: the blocks of the page, in Markdown. */

import { TIMING } from '../src/limits.js';
import { ALERTS } from '../src/rules/index.js';
import { type Outcome, words } from './judge.js';
import { WEEK } from './traffic.js';

export const PAGE = 'docs/alerts.md';

/** The block of the rows in which nothing is wrong. */
const QUIET = 'nothing is wrong';

/** Blocks by name: one for each alert, and one for what no alert may fire for. Without outcomes, each with no rows. */
export function blocks(outcomes: readonly Outcome[]): Record<string, string> {
  const names = ALERTS.map((create) => create(TIMING).name);
  return {
    [QUIET]: quiet(outcomes.filter(({ row }) => row.fault === undefined)),
    ...Object.fromEntries(
      names.map((name) => [
        name,
        fires(outcomes.filter(({ row }) => row.fault !== undefined && row.alert === name)),
      ]),
    ),
  };
}

function fires(outcomes: readonly Outcome[]): string {
  return table(
    ['what is wrong', 'requests', 'fires after', 'at most', 'resolved after', 'at most'],
    outcomes.map(({ row, fired, resolved }) => [
      row.what,
      row.traffic,
      fired === undefined ? 'never' : words(fired),
      row.within === undefined ? '' : words(row.within),
      row.resolves === undefined || resolved === undefined ? '' : words(resolved),
      row.resolves === undefined ? '' : words(row.resolves),
    ]),
  );
}

function quiet(outcomes: readonly Outcome[]): string {
  return table(
    ['what happens', 'requests', 'for', 'looked at', 'false alarms'],
    outcomes.map(({ row, falseAlarms }) => [
      row.what,
      row.traffic,
      row.length % WEEK === 0
        ? `${row.length / WEEK} weeks`.replace(/^1 weeks/, '1 week')
        : words(row.length),
      row.watched === undefined ? 'all alerts' : row.watched.join(', '),
      String(falseAlarms.length),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}
