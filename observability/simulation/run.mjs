/**
 * `npm run test:alerts [-- --write | words…]`: plays traffic through the alert rules, and says what fired when. With words, only
 * rows that have all of them. Without, docs/alerts.md must say what was seen; `--write` writes it there, where all is as it must be.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { differences, requirePlaces, write } from '../../test/support/blocks.mjs';
import { words } from '../.build/observability/simulation/judge.js';
import { blocks, PAGE } from '../.build/observability/simulation/page.js';
import { ROWS } from '../.build/observability/simulation/rows.js';
import { nameOf, simulate } from '../.build/observability/simulation/simulate.js';

const { values, positionals: filters } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL('../..', import.meta.url));
requirePlaces(root, { [PAGE]: blocks([]) });

const rows = ROWS.filter((row) => filters.every((filter) => nameOf(row).includes(filter)));
const started = performance.now();
const outcomes = await simulate(rows, console.log);
for (const { row, fired, resolved, problems } of outcomes) {
  const seen = fired === undefined ? [] : [`fires after ${words(fired)}, resolved after ${words(resolved)}`];
  const verdict = problems.length === 0 ? 'ok' : 'FAILED';
  console.log(`${verdict}: ${[nameOf(row), ...seen, ...problems].join('; ')}`);
}
const good = outcomes.filter(({ problems }) => problems.length === 0).length;
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${good} of ${rows.length} as they must be, in ${seconds} s`);
if (good < rows.length || rows.length === 0) process.exitCode = 1;
else if (filters.length === 0) settle({ [PAGE]: blocks(outcomes) });

function settle(pages) {
  if (values.write) write(root, pages);
  const differing = differences(root, pages);
  if (differing.length === 0) return;
  console.log([...differing, '`npm run test:alerts -- --write` writes it.'].join('\n\n'));
  process.exitCode = 1;
}
