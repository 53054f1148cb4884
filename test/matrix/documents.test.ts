/** What README and docs/compatibility.md say of the matrix. Nothing is installed or run here. */
import { expect, it } from 'vitest';

const load = (name: string) => import(new URL(`${name}.mjs`, import.meta.url).href);
const { differences } = await load('../support/blocks');
const { allPlaces, pagesOf } = await load('all-places');
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

it('docs/compatibility.md lists the places: npm run test:places -- --write', async () => {
  expect(differences('.', pagesOf(await allPlaces()))).toEqual([]);
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
