/** What README and docs/compatibility.md say of the matrix. Nothing is installed or run here. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const load = (name: string) => import(new URL(`${name}.mjs`, import.meta.url).href);
const { differences } = await load('../support/blocks');
const { CHECKS } = await load('checks');
const { allCells, OPENTELEMETRY, NODE } = await load('dimensions');
const { BLOCKS, documents, publish } = await load('documents');
const { pairwise } = await load('pairwise');

type Result = 'passed' | 'FAILED';

/** Of a run of everything, in which all passed. */
const ALL = {
  cells: pairwise(allCells()).map((cell: object) => ({ cell, result: 'passed' })),
  checks: CHECKS.map((check: object) => ({ check, result: 'passed' })),
};

/** Of two cells without a value in common, and no installs. */
const two = (first: Result, second: Result) => ({
  cells: [
    { cell: cellOf('2026.427.0', 'npm', '0.221', '20'), result: first },
    { cell: cellOf('2026.916.1', 'docker', '0.301', '24'), result: second },
  ],
  checks: [],
});

function cellOf(paperclip: string, layout: string, otel: string, node: string) {
  return { paperclip, layout, otel, node, version: 'published', preload: 'first' };
}

it('README and docs/compatibility.md say what the matrix runs: npm run test:matrix -- --write', () => {
  expect(differences('.', documents(ALL))).toEqual([]);
});

describe('what a run says', () => {
  it('README names the values that were run, with exact versions', () => {
    expect(documents(two('passed', 'passed'))['README.md'].compatibility.split('\n')).toEqual([
      '| | run and passed |',
      '| --- | --- |',
      '| Paperclip | 2026.427.0, 2026.916.1 |',
      '| installed | by npm, in the Docker image (rebuilt) |',
      `| OpenTelemetry JS | ${openTelemetry('0.221')}, ${openTelemetry('0.301')} |`,
      `| Node.js | ${NODE[20]}, ${NODE[24]} |`,
      '',
    ]);
  });

  it('a cell that failed stands as FAILED, and README leaves its values out', () => {
    const pages = documents(two('passed', 'FAILED'));
    expect(pages['docs/compatibility.md'].matrix.split('\n').slice(2)).toEqual([
      `| 2026.427.0 | npm | 0.221.0 | ${NODE[20]} | published | first | passed |`,
      `| 2026.916.1 | docker | 0.301.0 | ${NODE[24]} | published | first | FAILED |`,
      '',
    ]);
    expect(pages['README.md'].compatibility.split('\n').slice(2)).toEqual([
      '| Paperclip | 2026.427.0 |',
      '| installed | by npm |',
      `| OpenTelemetry JS | ${openTelemetry('0.221')} |`,
      `| Node.js | ${NODE[20]} |`,
      '',
    ]);
  });

  it('a value that passed in one cell and failed in another is left out', () => {
    const { cells, checks } = two('passed', 'FAILED');
    const shared = cells.map(({ cell, result }) => ({ cell: { ...cell, node: '24' }, result }));
    const pages = documents({ cells: shared, checks });
    expect(pages['README.md'].compatibility).toContain('| Node.js | none |');
  });

  it('an install that failed stands as FAILED', () => {
    const [first, ...others] = ALL.checks;
    const pages = documents({ ...ALL, checks: [{ ...first, result: 'FAILED' }, ...others] });
    const results = pages['docs/compatibility.md'].installs.match(/\w+(?= \|\n)/g);
    expect(results).toEqual(['result', 'FAILED', 'passed', 'passed']);
  });

  it('the reasons stand there, and what is not as published', () => {
    const { impossible, replaced } = documents(ALL)['docs/compatibility.md'];
    expect(impossible).toContain('- node 20 with otel 0.301: OpenTelemetry JS 3.x needs Node.js 22.15\n');
    expect(replaced).toContain(
      '- server 2026.720.0 with the other packages of 2026.722.0: its own are not published\n',
    );
    expect(replaced).toContain('with an empty `findReachablePaperclipApiUrlOverSsh` in');
  });

  function openTelemetry(line: string) {
    const its = OPENTELEMETRY[line];
    return `${its['@opentelemetry/sdk-trace']} (\`sdk-node\` ${its['@opentelemetry/sdk-node']}, API ${its['@opentelemetry/api']})`;
  }
});

describe('the pages', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'compatibility-'));
    mkdirSync(join(root, 'docs'));
    for (const [path, blocks] of Object.entries<object>(BLOCKS))
      writeFileSync(join(root, path), Object.keys(blocks).map(place).join(''));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const place = (name: string) =>
    `by hand, before ${name}\n\n<!-- generated: ${name} -->\nold\n<!-- end -->\n\n`;
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const edit = (path: string, from: string, to: string) =>
    writeFileSync(join(root, path), read(path).replace(from, to));

  it('are written where everything passed, and then agree', () => {
    expect(publish(root, ALL, true).isGood).toBe(true);
    expect(publish(root, ALL, false)).toEqual({
      isGood: true,
      text: 'README.md and docs/compatibility.md say what was run',
    });
  });

  it('keep what is written by hand, and the blocks of others', () => {
    const other = '<!-- generated: other -->\nits own\n<!-- end -->\n';
    writeFileSync(join(root, 'README.md'), `${other}${read('README.md')}after\n`);
    publish(root, ALL, true);
    const { compatibility } = documents(ALL)['README.md'];
    expect(read('README.md')).toBe(
      `${other}by hand, before compatibility\n\n<!-- generated: compatibility -->\n\n${compatibility}\n<!-- end -->\n\nafter\n`,
    );
  });

  it('are left as they are where something failed', () => {
    const [first, ...others] = ALL.cells;
    const before = [read('README.md'), read('docs/compatibility.md')];
    expect(publish(root, { ...ALL, cells: [{ ...first, result: 'FAILED' }, ...others] }, true)).toEqual({
      isGood: false,
      text: 'nothing was written into README.md and docs/compatibility.md: not everything passed',
    });
    expect([read('README.md'), read('docs/compatibility.md')]).toEqual(before);
  });

  it('that differ are left as they are: the lines are named, and the command', () => {
    publish(root, ALL, true);
    edit('README.md', `${NODE[20]}, `, '');
    const before = read('README.md');
    const nodes = Object.values(NODE).join(', ');
    expect(publish(root, ALL, false)).toEqual({
      isGood: false,
      text: [
        'This is not what was run.',
        `README.md, compatibility:\n- | Node.js | ${nodes.replace(`${NODE[20]}, `, '')} |\n+ | Node.js | ${nodes} |`,
        '`npm run test:matrix -- --write` runs it again and writes what was run, where everything passes.',
      ].join('\n\n'),
    });
    expect(read('README.md')).toBe(before);
  });

  it('that say passed of a cell that failed differ in that line', () => {
    publish(root, two('passed', 'passed'), true);
    expect(publish(root, two('passed', 'FAILED'), false).text).toContain(
      `docs/compatibility.md, matrix:\n- | 2026.916.1 | docker | 0.301.0 | ${NODE[24]} | published | first | passed |\n+ | 2026.916.1 | docker | 0.301.0 | ${NODE[24]} | published | first | FAILED |\n\n`,
    );
  });

  it('that have their lines in another order differ', () => {
    publish(root, two('passed', 'passed'), true);
    const { cells, checks } = two('passed', 'passed');
    expect(publish(root, { cells: cells.reverse(), checks }, false).text).toContain(
      'docs/compatibility.md, matrix:\nthe same lines, in another order or number\n',
    );
  });

  /** Without programs to run, lest a fault here has the matrix run. */
  function run(folder: string, ...args: string[]) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(folder, 'test/matrix/run.mjs'), ...args],
      { encoding: 'utf8', env: { PATH: '', MATRIX_CACHE: join(root, 'cache') } },
    );
    return { status, stdout, stderr };
  }

  it.each([
    ['no place', place('compatibility'), ''],
    ['two places', 'by hand', place('compatibility')],
    ['a place without an end', '<!-- end -->', ''],
    ['an end after the start of another block', '<!-- end -->', place('other')],
  ])('with %s are refused before anything is run', (_, from, to) => {
    edit('README.md', from, to);
    cpSync('test/matrix', join(root, 'test/matrix'), { recursive: true });
    cpSync('test/support/blocks.mjs', join(root, 'test/support/blocks.mjs'));
    cpSync('package.json', join(root, 'package.json'));
    expect(run(root)).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'README.md needs one place for the generated block `compatibility`: the lines `<!-- generated: compatibility -->` and, below it, `<!-- end -->`\n',
    });
  });

  it.each([[['--write', 'docker']], [['--write', '--full']]])('are not written by %j', (args) => {
    expect(run('.', ...args)).toEqual({
      status: 2,
      stdout: '',
      stderr: '--write goes with no filter and without --full\n',
    });
  });
});
