/** How pictures are drawn, on invented data; what they show is measured. */
import { describe, expect, it } from 'vitest';
import { dashboard } from '../../observability/src/dashboards/dashboard.js';
import { bars, lines, rows, single } from '../../observability/src/dashboards/panels.js';
import { dashboardPicture } from '../../observability/src/pictures/dashboard-picture.js';
import {
  type Measured,
  panelKey,
  type Series,
  type Span,
} from '../../observability/src/pictures/measured.js';
import { Palette, readableOn, THEMES, type Theme } from '../../observability/src/pictures/theme.js';
import { tracePicture } from '../../observability/src/pictures/trace-picture.js';
import { traceWith } from '../../observability/src/pictures/traces.js';
import { formatOf } from '../../observability/src/pictures/units.js';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  VALUE_OTHER,
} from '../../src/semconv.js';
import { type Element, parseXml } from './xml.js';

const [LIGHT] = THEMES as readonly [Theme, Theme];
const RANGE = { from: 0, to: 240_000, stepMs: 60_000 };
const COMMON = { title: 'Panel', description: 'What it shows.', width: 24, queries: [] };
const PROVIDER = 'paperclip_environment_provider';

function draw(panel: Parameters<typeof dashboard>[0]['sections'][0]['panels'][0], data: Series[]): Element[] {
  const spec = {
    uid: 'd',
    title: 'Dashboard',
    description: '',
    sections: [{ title: 'Row', panels: [panel] }],
  };
  const panels = { [panelKey('Dashboard', 'Panel')]: data };
  const measured: Measured = { range: RANGE, seed: 1, panels, spans: [] };
  return parseXml(dashboardPicture(dashboard(spec), { measured, theme: LIGHT, caption: 'invented' }));
}

const series = (name: string, ...values: (number | null)[]): Series => ({
  labels: { [PROVIDER]: name },
  name,
  points: values.flatMap((value, index) => (value === null ? [] : [[index * 60_000, value] as const])),
});
const texts = (elements: readonly Element[]) =>
  elements.filter(({ name }) => name === 'text').map(({ text }) => text);
const withColor = (elements: readonly Element[], color: string | undefined, attribute: 'fill' | 'stroke') =>
  elements.filter(({ attributes }) => attributes[attribute] === color);

describe('one number', () => {
  const limits = { notable: 0.1, high: 0.25 };

  it.each([
    [0.099, 'green', '9.9%'],
    [0.1, 'orange', '10%'],
    [0.249, 'orange', '24.9%'],
    [0.25, 'red', '25%'],
  ])('%s is on %s and reads %s', (value, color, shown) => {
    const elements = draw(single({ ...COMMON, unit: 'percentunit', limits }), [series('', value)]);
    const colored = elements.filter(({ attributes }) =>
      Object.values(LIGHT.named).includes(attributes.fill ?? ''),
    );
    expect(colored.map(({ name, attributes }) => [name, attributes.fill])).toEqual([
      ['rect', LIGHT.named[color]],
    ]);
    expect(texts(elements)).toContain(shown);
  });

  it('says what the dashboard says where there is nothing to count', () => {
    expect(texts(draw(single({ ...COMMON, unit: 'percentunit', limits }), []))).toContain('none');
  });
});

describe('a graph', () => {
  it('has a gap where there is no value, and a point where one stands alone', () => {
    const gapped = draw(lines({ ...COMMON, unit: 'short' }), [series('a', 1, 2, null, 4, null)]);
    const paths = withColor(gapped, LIGHT.palette[0], 'stroke').map(({ attributes }) => attributes.d);
    expect(paths.join('').match(/M/g)).toHaveLength(2);
    const alone = draw(lines({ ...COMMON, unit: 'short' }), [series('a', 1, 2, 3, null, 5)]);
    const marks = (elements: Element[]) =>
      withColor(elements, LIGHT.palette[0], 'fill').filter(({ attributes }) =>
        / scale|matrix/.test(attributes.transform ?? ''),
      ).length;
    expect(marks(alone)).toBe(1);
  });

  it('has dashed lines at its thresholds, in their colours', () => {
    const limits = { notable: 0.1, high: 0.25 };
    const elements = draw(lines({ ...COMMON, unit: 'percentunit', limits }), [series('a', 0.1, 0.5)]);
    const dashed = elements.filter(({ attributes }) => attributes['stroke-dasharray'] === '6,4');
    expect(dashed.map(({ attributes }) => attributes.stroke)).toEqual([LIGHT.named.orange, LIGHT.named.red]);
  });

  it('names its series in the order of the alphabet, and its times in UTC', () => {
    const elements = draw(bars({ ...COMMON, unit: 'short' }), [series('b & c', 1, 1), series('a', 1, 2)]);
    expect(texts(elements).slice(-2)).toEqual(['a', 'b & c']);
    expect(texts(elements)).toContain('00:02');
  });

  it('says so where there is no data', () => {
    expect(texts(draw(lines({ ...COMMON, unit: 'short' }), []))).toContain('No data');
  });
});

it('a table has the columns that the dashboard names, the highest value first', () => {
  const spec = { ...COMMON, unit: 'short', rows: { [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'Provider' } };
  const elements = draw(rows({ ...spec, queries: [{ expr: 'x', legend: 'Failures' }] }), [
    series('e2b', 2),
    series('daytona', 30),
  ]);
  expect(texts(elements).slice(-6)).toEqual(['Provider', 'Failures', 'daytona', '30', 'e2b', '2']);
});

it.each([
  ['percentunit', 0.0342, '3.4%'],
  ['s', 0, '0 s'],
  ['s', 0.0008, '800 µs'],
  ['s', 0.25, '250 ms'],
  ['s', 75, '1.3 min'],
  ['short', 0.5, '0.5'],
  ['short', 12_300, '12.3 K'],
  ['Bps', 2048, '2 kB/s'],
  ['none', 2, '2'],
])('in %s, %d reads %s', (unit, value, shown) => {
  expect(formatOf(unit)(value)).toBe(shown);
});

it('a unit that nobody has said how to write is an error', () => {
  expect(() => formatOf('furlong')).toThrow('no format for the unit furlong');
});

it('a name keeps its colour in another panel, where no other name has it', () => {
  const palette = new Palette(['red', 'green', 'blue']);
  expect(palette.colorsOf(['a', 'b'])).toEqual(['red', 'green']);
  expect(palette.colorsOf(['c', 'b'])).toEqual(['red', 'green']);
  expect(palette.colorsOf(['b', 'd'])).toEqual(['green', 'red']);
});

it('letters on a colour are the ones that are easier to read', () => {
  expect(readableOn('#fade2a')).toBe('#111217');
  expect(readableOn('#1f60c4')).toBe('#ffffff');
});

describe('a trace', () => {
  const span = (spanId: string, rest: Partial<Span>): Span => ({
    traceId: 'abcdef0123',
    spanId,
    service: 'paperclip',
    name: spanId,
    attributes: {},
    status: 0,
    start: 0,
    duration: 1000,
    links: [],
    ...rest,
  });
  const recovery = { [ATTR_PAPERCLIP_RECOVERY_KIND]: 'fallback' };
  const spans = [
    span('other', {
      traceId: 'f',
      attributes: { ...recovery, [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: VALUE_OTHER },
      links: ['other'],
    }),
    span('run', { parentId: 'root', start: 2000, links: ['open'], attributes: recovery }),
    span('open', { parentId: 'root', start: 500, status: 2, attributes: { [ATTR_ERROR_TYPE]: 'refused' } }),
    span('root', { duration: 4000 }),
  ];

  it('is one in which the failure was on a provider that is known', () => {
    const { rows: found, duration } = traceWith('fallback', spans);
    expect(found.map((row) => [row.span.spanId, row.depth, row.failure?.spanId])).toEqual([
      ['root', 0, undefined],
      ['open', 1, undefined],
      ['run', 1, 'open'],
    ]);
    expect(duration).toBe(4000);
  });

  it('is missed where there is none', () => {
    expect(() => traceWith('reacquire', spans)).toThrow('no trace with a link of the kind reacquire');
  });

  it('shows failures in red, attributes by their names, and links as arrows', () => {
    const options = { title: 'Trace', caption: 'invented', theme: LIGHT };
    const elements = parseXml(tracePicture([traceWith('fallback', spans)], options));
    expect(withColor(elements, LIGHT.named.red, 'fill').filter(({ text }) => text !== '')).toMatchObject([
      { text: 'open' },
    ]);
    expect(texts(elements)).toContain(`${ATTR_ERROR_TYPE} = refused`);
    expect(texts(elements)).toContain('trace abcdef0 · 4 ms · 3 spans');
    expect(withColor(elements, LIGHT.named.orange, 'fill')).toHaveLength(1);
  });
});
