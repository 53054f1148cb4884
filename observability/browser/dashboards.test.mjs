// @ts-check
/**
 * What a reader sees of the dashboards, in a browser, on a real Prometheus. `WORDS="incident 1600"` limits it to the views whose name has
 * all the words: scenario, dashboard, theme, width.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { SCENARIOS } from './scenarios.mjs';
import { NAMES, Stage } from './stage.mjs';

/** Its build for `import` cannot be loaded by Node.js. @type {typeof import('@grafana/data')} */
const { createTheme } = createRequire(import.meta.url)('@grafana/data');

/** @typedef {{ title: string, type: string, text: string, canvases: number, empty?: string, error: string, series: { name: string, color: string }[], isLegendCut: boolean, backgrounds: string[], columns: string[], rows: { text: string, isCut: boolean, links: string[] }[][], cut: string[] }} Seen */

const GOOD = 'blue';
const DOUBTFUL = 'semi-dark-orange';
const BAD = 'semi-dark-red';
const NEITHER = '#8e8e8e';
/** The colour of each outcome and of known providers, by the word in a legend. */
const MEANINGS = {
  opened: GOOD,
  fallback: DOUBTFUL,
  failed: BAD,
  cancelled: NEITHER,
  gate_off: NEITHER,
  'unsupported-driver-operation': DOUBTFUL,
  'missing-metadata-field': BAD,
  succeeded: GOOD,
  still_incomplete: DOUBTFUL,
  acquire_failed: BAD,
  not_attempted: NEITHER,
  not_retried: NEITHER,
  ok: GOOD,
  error: BAD,
  released: GOOD,
  expired: DOUBTFUL,
  created: GOOD,
  resumed: 'green',
  replacement: DOUBTFUL,
  plugin_complete: GOOD,
  non_plugin: DOUBTFUL,
  plugin_incomplete: BAD,
  absent: NEITHER,
  exit: GOOD,
  transport_closed: BAD,
  stopped: NEITHER,
  daytona: 'light-blue',
  e2b: DOUBTFUL,
  kubernetes: 'semi-dark-blue',
};
/** Titles of tables whose last column is what they are sorted by: the most first. */
const SORTED = [
  'Failures by operation and error',
  'Requests by provider, outcome and reason',
  'Ends by driver and provider',
];

/** Samples that Prometheus reads for the overview: a twentieth of what it read before panels had recordings. */
const MOST_SAMPLES = new Map([
  ['incident', 12_200_000 / 20],
  ['fleet', 5_250_000 / 20],
]);

const VIEWS = Object.keys(SCENARIOS)
  .flatMap((scenario) =>
    NAMES.flatMap((dashboard) =>
      /** @type {const} */ (['dark', 'light']).flatMap((theme) =>
        [1600, 1300].map((width) => ({ scenario, dashboard, theme, width })),
      ),
    ),
  )
  .filter((view) =>
    (process.env.WORDS ?? '').split(' ').every((word) => Object.values(view).join('-').includes(word)),
  );

/** @type {Stage} */
let stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage?.close());

for (const view of VIEWS) {
  describe(Object.values(view).join(', '), () => {
    /** @type {Seen[]} */
    let seen = [];
    let samples = 0;
    before(async () => {
      const page = await stage.show(view);
      seen = await page.evaluate(look);
      samples = await page.evaluate(() => Number(document.body.dataset.samples));
      await page.close();
    });

    test('each panel has data, or says in its own words that there was nothing', () => {
      assert.ok(seen.length > 10);
      assert.deepEqual(
        found(seen, ({ error }) => error !== '' && error),
        [],
      );
      assert.deepEqual(
        found(seen, ({ empty }) => empty === 'No data' && empty),
        [],
      );
      if (view.scenario === 'incident')
        assert.deepEqual(
          found(seen, ({ empty }) => empty),
          [],
        );
    });

    test('each series has a name', () => {
      assert.deepEqual(
        found(
          seen,
          ({ series }) => series.find(({ name }) => /^Value\b/.test(name) || name.includes('{'))?.name,
        ),
        [],
      );
      assert.deepEqual(
        found(seen, ({ columns }) => columns.find((name) => /^Value\b|_/.test(name))),
        [],
      );
    });

    test('no column, cell or legend is cut off', () => {
      assert.deepEqual(
        found(seen, ({ cut }) => cut[0]),
        [],
      );
      assert.deepEqual(
        found(seen, ({ isLegendCut }) => isLegendCut && 'legend'),
        [],
      );
    });

    test('outcomes have their colours', () => {
      const { visualization } = createTheme({ colors: { mode: view.theme } });
      const wrong = seen.flatMap(({ title, series }) =>
        series.flatMap(({ name, color }) =>
          Object.entries(MEANINGS)
            .filter(([word]) => name.replace(/ \d+%$/, '') === word)
            .filter(([, meant]) => color !== rgb(visualization.getColorByName(meant)))
            .map(([word, meant]) => `${title}: ${word} is ${color}, not ${meant}`),
        ),
      );
      assert.deepEqual(wrong, []);
    });

    test('a number that is not there is neither good nor bad', () => {
      const { visualization } = createTheme({ colors: { mode: view.theme } });
      const judged = ['green', 'orange', 'red'].map((name) => rgb(visualization.getColorByName(name)));
      const none = seen.filter(({ type, text }) => type === 'stat' && text.endsWith('none'));
      assert.deepEqual(
        found(none, ({ backgrounds }) => backgrounds.find((color) => judged.includes(color))),
        [],
      );
    });

    test('tables have the most first, whole counts, and links in few columns', () => {
      for (const { title, rows } of seen.filter(
        ({ title, rows }) => SORTED.includes(title) && rows.length > 0,
      )) {
        const counts = rows.map((row) => row.at(-1)?.text ?? '');
        assert.deepEqual(
          counts.filter((count) => !/^[1-9]\d*$/.test(count)),
          [],
          title,
        );
        assert.deepEqual(
          counts,
          [...counts].sort((a, b) => Number(b) - Number(a)),
          title,
        );
        for (const row of rows)
          assert.ok(row.flatMap(({ links }) => links).length <= 2, `${title}: links in ${row.length} cells`);
      }
    });

    test('links of failures lead to the provider and driver of their row', () => {
      const failures = seen.find(({ title }) => title === 'Failures by operation and error');
      for (const row of failures?.rows ?? []) {
        const [operation, driver, provider, , error] = row.map(({ text }) => text);
        const urls = row.flatMap(({ links }) => links);
        const tags = urls.map(
          (url) => JSON.parse(new URL(url).searchParams.get('panes') ?? '').traces.queries[0].tags,
        );
        const one = `error.type=${error} paperclip.environment.operation.name=${operation} paperclip.environment.driver=${driver}`;
        assert.deepEqual(tags, provider ? [one, `${one} paperclip.environment.provider=${provider}`] : [one]);
      }
    });

    test('legends say what a series was last and at most, or how many there were', () => {
      assert.deepEqual(
        found(
          seen.filter(({ type, series }) => type === 'timeseries' && series.length > 0),
          ({ text }) => !/Last \*: .*Max: |Total: /.test(text) && 'legend',
        ),
        [],
      );
    });

    if (view.dashboard === 'paperclip-overview') {
      test('the first panel has what fires, and leads to its runbook', () => {
        const [firing] = seen;
        assert.equal(firing?.title, 'What fires now');
        const stranded = firing?.rows.find((row) =>
          row.some(({ text }) => text === 'PaperclipLeasesStranded'),
        );
        assert.deepEqual(
          stranded?.flatMap(({ links }) => links.map((link) => link.replace(/.*\/docs\//, ''))),
          ['runbooks/leases-stranded.md'],
        );
      });

      test('big numbers are those of now, of all and of the provider that is worst off', () => {
        const now = seen.filter(({ title }) => title.includes(' now, and the worst'));
        assert.equal(now.length, 3);
        for (const { text, canvases } of now) {
          assert.match(text, /all.*%.*worst: .*%/);
          assert.equal(canvases, 2);
        }
        if (view.scenario !== 'calm') assert.match(now[0]?.text ?? '', /worst: e2b/);
      });

      test('the worst servers come first, and lead to themselves', () => {
        const { rows = [] } = seen.find(({ title }) => title === 'Worst servers') ?? {};
        assert.equal(rows.length, Math.min(10, SCENARIOS[view.scenario]?.servers ?? 0));
        const shares = rows.map((row) => Number.parseFloat(row[2]?.text ?? ''));
        assert.deepEqual(
          shares,
          [...shares].sort((a, b) => b - a),
        );
        for (const [, server] of rows)
          assert.match(String(server?.links[0]), new RegExp(`var-instance=${server?.text}&`));
      });

      const most = MOST_SAMPLES.get(view.scenario);
      if (most !== undefined)
        test('Prometheus reads little for it', () => {
          assert.ok(samples < most, `${samples} samples`);
        });
    }

    test('leases that cost money have a provider', () => {
      const hours = seen.find(({ title }) => title.startsWith('Lease-hours'))?.rows ?? [];
      assert.deepEqual(
        hours.filter(([provider]) => provider?.text === ''),
        [],
      );
    });

    test('what nobody attempted does not hide how long re-acquires take', () => {
      const series = seen.find(({ title }) => title.startsWith('Duration of re-acquires'))?.series ?? [];
      assert.deepEqual(
        series.filter(({ name }) => name.startsWith('not_')),
        [],
      );
    });
  });
}

/** @param {readonly Seen[]} seen @param {(panel: Seen) => unknown} what */
function found(seen, what) {
  return seen.flatMap((panel) => {
    const problem = what(panel);
    return problem ? [`${panel.title}: ${problem}`] : [];
  });
}

/** @param {string} hex */
function rgb(hex) {
  return `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;
}

/** Runs in the page. @returns {Seen[]} */
function look() {
  const SERIES = 'data-testid VizLegend series ';
  const text = (/** @type {Element} */ element) => element.textContent?.trim() ?? '';
  const isCut = (/** @type {Element} */ element) =>
    [element, ...element.querySelectorAll('*')].some(
      (each) =>
        each.clientWidth > 0 &&
        each.scrollWidth > each.clientWidth + 1 &&
        getComputedStyle(each).overflowX !== 'visible',
    );
  /** A dashed line has its colour in a gradient. @param {Element} icon */
  const colorOf = (icon) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(icon);
    return /rgb\([^)]*\)/.exec(backgroundImage)?.[0] ?? backgroundColor;
  };
  /** Right-aligned text that does not fit stands out on the left. @param {Element} cell */
  const standsOut = (cell) => {
    const { left, right } = cell.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(cell);
    const inner = range.getBoundingClientRect();
    return inner.width > 0 && (inner.left < left - 1 || inner.right > right + 1);
  };
  return [...document.querySelectorAll('[data-panel]')].map((panel) => {
    const edge = panel.getBoundingClientRect().right;
    const cells = [...panel.querySelectorAll('[role=columnheader], [role=gridcell]')];
    const legend = [...panel.querySelectorAll(`[data-testid^="${SERIES}"]`)];
    const scrolled = [...panel.querySelectorAll('[data-testid="data-testid viz-layout-legend"] *')];
    return {
      title: panel.getAttribute('data-panel') ?? '',
      type: panel.getAttribute('data-type') ?? '',
      text: text(panel),
      canvases: panel.querySelectorAll('canvas').length,
      empty: panel.querySelector('[data-empty]')?.textContent ?? undefined,
      error: panel.querySelector('[data-error]')?.textContent ?? '',
      series: legend.map((item) => ({
        name: (item.getAttribute('data-testid') ?? '').slice(SERIES.length),
        color: colorOf(item.querySelector('[data-testid="series-icon"]') ?? item),
      })),
      isLegendCut: scrolled.some(
        (each) => each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY !== 'visible',
      ),
      backgrounds: [...panel.querySelectorAll('*')].map((each) => getComputedStyle(each).backgroundColor),
      columns: [...panel.querySelectorAll('[role=columnheader]')].map(text),
      rows: [...panel.querySelectorAll('[role=row]')]
        .map((row) =>
          [...row.querySelectorAll('[role=gridcell]')].map((cell) => ({
            text: text(cell),
            isCut: isCut(cell),
            links: [...cell.querySelectorAll('a')]
              .filter((link) => text(link) !== '')
              .map(({ href }) => href),
          })),
        )
        .filter((row) => row.length > 0),
      cut: [...panel.querySelectorAll('h2'), ...cells]
        .filter((cell) => isCut(cell) || standsOut(cell) || cell.getBoundingClientRect().right > edge + 1)
        .map(text),
    };
  });
}
