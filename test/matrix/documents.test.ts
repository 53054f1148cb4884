/** What README and docs/compatibility.md say of the matrix. Nothing is installed or run here. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const load = (name: string) => import(new URL(`${name}.mjs`, import.meta.url).href);
const { differences } = await load('../support/blocks');
const { CHECKS } = await load('checks');
const { allCells } = await load('dimensions');
const { documents } = await load('documents');
const { pairwise } = await load('pairwise');

/** Of a run of everything, in which all passed. */
const ALL = {
  cells: pairwise(allCells()).map((cell: object) => ({ cell, result: 'passed' })),
  checks: CHECKS.map((check: object) => ({ check, result: 'passed' })),
};

it('README and docs/compatibility.md say what the matrix runs: npm run test:matrix -- --write', () => {
  expect(differences('.', documents(ALL))).toEqual([]);
});

it('docs/compatibility.md says what is promised in the other places', async () => {
  const page = readFileSync('docs/compatibility.md', 'utf8');
  const files = readdirSync(new URL('places', import.meta.url)).filter((file) => file !== 'run.mjs');
  const modules = await Promise.all(files.map((file) => load(`places/${file.replace('.mjs', '')}`)));
  const promises: string[] = modules.flatMap((module) => module.default).map(({ promise }) => promise);
  expect(promises.length).toBeGreaterThan(files.length);
  expect(promises.filter((promise) => !page.includes(`| ${promise} |`))).toEqual([]);
});

it('README leaves out what failed, and docs/compatibility.md says so', () => {
  const [first, ...others] = ALL.cells;
  const pages = documents({ ...ALL, cells: [{ ...first, result: 'FAILED' }, ...others] });
  expect(pages['docs/compatibility.md'].matrix.match(/(?<=\| )(FAILED|passed)(?= \|\n)/g)).toEqual([
    'FAILED',
    ...others.map(() => 'passed'),
  ]);
  expect(pages['README.md'].compatibility).not.toContain(`${first.cell.paperclip},`);
});
