/** What README lists, against where each fact is written. */
import { describe, expect, it } from 'vitest';
import { ENV_PREFIX } from '../src/config.js';
import { PaperclipInstrumentation } from '../src/index.js';
import { resolveSettings } from '../src/options.js';
import * as semconv from '../src/semconv.js';
import { README } from './support/readme.js';

/** What the metrics API calls each. */
const INSTRUMENTS = { histogram: 'Histogram', counter: 'Counter', updowncounter: 'UpDownCounter' };

/** The rows of the table with this head. */
function table(...head: string[]): string[][] {
  const [, rows = ''] = README.split(`| ${head.join(' | ')} |\n|${' --- |'.repeat(head.length)}\n`);
  return (/^(?:\|.*\n)*/.exec(rows)?.[0] ?? '')
    .trimEnd()
    .split('\n')
    .map((row) => row.slice(2, -2).split(/ *\| /));
}

/** What stands in code. */
const codes = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

it('the operations are those of the conventions', () => {
  const [, sentence] = /^Operations: ([^.]+)\./m.exec(README) ?? [];
  expect(codes(sentence)).toEqual([...semconv.OPERATION_NAMES]);
});

it('the metrics are those of the conventions, with instrument and unit', () => {
  const metrics = (Object.values(semconv) as unknown[]).filter(
    (value): value is semconv.MetricDefinition =>
      typeof value === 'object' && value !== null && 'unit' in value,
  );
  const rows = table('metric', 'instrument', 'unit', 'what it is');
  expect(
    rows.map(([name = '', instrument = '', unit]) => [...codes(name), instrument, ...codes(unit)]),
  ).toEqual(metrics.map(({ name, instrument, unit }) => [name, INSTRUMENTS[instrument], unit]));
});

describe('the options', () => {
  const rows = table('option', 'variable', 'default', 'what it does').map(
    ([options, variable, fallback, text]) => ({
      options: codes(options),
      variable: codes(variable)[0]?.replace('…', ENV_PREFIX),
      fallback,
      text,
    }),
  );
  const warn = (message: string) => {
    throw new Error(message);
  };
  const settingsOf = (env: NodeJS.ProcessEnv) => {
    const { recovery, providers, ...others } = resolveSettings({}, env, warn);
    return { ...others, ...recovery, providers: [...providers] };
  };
  const defaults = settingsOf({});

  it('are those that the constructor takes', () => {
    let message = '';
    try {
      new PaperclipInstrumentation({ unknown: true } as never);
    } catch (error) {
      message = String(error);
    }
    const [, known = ''] = /\(known: (.+)\)/.exec(message) ?? [];
    // `enabled` is of every instrumentation.
    expect(['enabled', ...rows.flatMap(({ options }) => options)]).toEqual(known.split(', '));
  });

  /** A value of each variable that is not its default, and what it makes of which setting. */
  const changed: Record<string, readonly [value: string, setting: object]> = {
    providers: ['acme', { providers: [...semconv.PROVIDERS, 'acme'] }],
    captureIds: ['false', { captureIds: false }],
    errorDetail: ['full', { errorDetail: 'full' }],
    fallbackWindowMs: ['1', { fallbackWindowMs: 1 }],
    reacquireWindowMs: ['2', { reacquireWindowMs: 2 }],
    maxTrackedRecoveries: ['3', { maxTrackedRecoveries: 3 }],
    packages: ['@acme/paperclip', { packages: ['@acme/paperclip'] }],
  };

  it.each(
    rows.flatMap(({ options: [option = ''], variable = '' }) =>
      variable === '' || option === 'errorCatalog' ? [] : [[variable, option]],
    ),
  )('%s sets %s', (variable = '', option = '') => {
    const [value = '', setting] = changed[option] ?? [];
    expect(settingsOf({ [variable]: value })).toEqual({ ...defaults, ...setting });
    expect(setting).toBeDefined();
  });

  it('ERROR_CATALOG names a file', () => {
    const { variable = '' } = rows.find(({ options }) => options.includes('errorCatalog')) ?? {};
    expect(() => settingsOf({ [variable]: 'no/such/file' })).toThrow('cannot read no/such/file');
  });

  it('have these defaults', () => {
    const byOption = Object.fromEntries(
      rows.map(({ options: [option = ''], fallback = '' }) => [option, codes(fallback)[0] ?? fallback]),
    );
    const { captureIds, errorDetail, fallbackWindowMs, reacquireWindowMs, maxTrackedRecoveries, packages } =
      defaults;
    expect(byOption).toEqual({
      providers: 'none',
      captureIds: String(captureIds),
      errorDetail,
      errorCatalog: 'none',
      fallbackWindowMs: String(fallbackWindowMs),
      reacquireWindowMs: String(reacquireWindowMs),
      maxTrackedRecoveries: String(maxTrackedRecoveries),
      packages: packages.join(),
      requestHook: 'none',
    });
  });

  it('name the provider keys that are known without one', () => {
    const { text } = rows.find(({ options }) => options.includes('providers')) ?? {};
    expect(codes(text)).toEqual([...semconv.PROVIDERS, semconv.VALUE_OTHER]);
  });
});
