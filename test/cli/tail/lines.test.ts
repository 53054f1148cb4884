import { describe, expect, it } from 'vitest';
import { cut, headerOf, operationLine, outcomesTable } from '../../../src/cli/tail/lines.js';
import { readTraces } from '../../../src/cli/tail/otlp.js';
import { Session } from '../../../src/cli/tail/session.js';
import type { Paint } from '../../../src/cli/tail/style.js';
import type { Failure } from '../../../src/cli/tail/tally.js';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  ATTR_PROCESS_EXIT_CODE,
  ERROR_TYPE_TIMEOUT,
  LEASE_IDENTITY_FIELDS,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import { type Attributes, metrics, NOON, type SpanOptions, span, sum, traces } from './requests.js';

const plain: Paint = (text) => text;
const marked: Paint = (text, colour) => `<${colour}>${text}</>`;

const FAILURE: Failure = { name: 'open_duplex_channel', endedAt: BigInt(NOON + 1_234) * 1_000_000n };

interface LineOptions extends SpanOptions {
  name?: string;
  provider?: string;
  failure?: Failure;
  paint?: Paint;
}

function lineOf({ name = 'execute', provider = 'e2b', failure, paint = plain, ...options }: LineOptions) {
  const attributes = {
    [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name,
    [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'sandbox',
    [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: provider,
    ...options.attributes,
  };
  const [operation] = readTraces(traces([span({ end: 25, ...options, attributes })])).operations;
  if (operation === undefined) throw new Error('no operation');
  return operationLine(operation, failure, paint);
}

/** What stands behind the duration. */
const endOf = (attributes: Attributes, options: LineOptions = {}) =>
  lineOf({ ...options, attributes }).slice(62);

describe('a line', () => {
  it('has time, operation, driver, provider, duration and outcome', () => {
    expect(lineOf({ start: 3_000, end: 3_025 })).toBe(
      '12:00:03.025 execute               sandbox e2b          25 ms ok',
    );
  });

  it('keeps its columns where the longest names there are fill them', () => {
    expect(lineOf({ name: 'open_duplex_channel', provider: 'kubernetes', end: 3_599_000 })).toBe(
      '12:59:59.000 open_duplex_channel   sandbox kubernetes 59m 59s ok',
    );
    expect(lineOf({ name: 'get_runner_ingress_endpoint' })).toBe(
      '12:00:00.025 get_runner_ingress_endpoint sandbox e2b    25 ms ok',
    );
  });

  it('has no more than 120 characters', () => {
    const attributes = {
      [ATTR_ERROR_TYPE]: 'E'.repeat(100),
      [ATTR_PAPERCLIP_RECOVERY_KIND]: 'reacquire',
      [ATTR_PAPERCLIP_LEASE_MISSING_FIELDS]: 'f'.repeat(100),
    };
    const line = lineOf({ name: 'n'.repeat(100), provider: 'p'.repeat(100), attributes });
    expect(line.length).toBe(120);
    expect(line.startsWith(`12:00:00.025 ↳ ${'n'.repeat(29)}… sandbox ${'p'.repeat(15)}… 25 ms EEE`)).toBe(
      true,
    );
  });

  it('names all fields that a lease can lack', () => {
    const attributes = {
      [ATTR_ERROR_TYPE]: TAG_MISSING_METADATA_FIELD,
      [ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG]: TAG_MISSING_METADATA_FIELD,
      [ATTR_PAPERCLIP_LEASE_MISSING_FIELDS]: LEASE_IDENTITY_FIELDS.join(','),
    };
    expect(lineOf({ name: 'open_duplex_channel', provider: 'kubernetes', attributes })).toBe(
      '12:00:00.025 open_duplex_channel   sandbox kubernetes   25 ms missing-metadata-field: pluginId provider providerLeaseId',
    );
  });

  it('says from what it recovers, and how', () => {
    const attributes = { [ATTR_PAPERCLIP_RECOVERY_KIND]: 'fallback', [ATTR_PROCESS_EXIT_CODE]: 3 };
    expect(lineOf({ attributes, failure: FAILURE })).toBe(
      '12:00:00.025 ↳ execute             sandbox e2b          25 ms ok ← open_duplex_channel 12:00:01.234 (fallback) · exit 3',
    );
  });

  it('of a recovery that fails as before says first from what', () => {
    const attributes = {
      [ATTR_PAPERCLIP_RECOVERY_KIND]: 'reacquire',
      [ATTR_ERROR_TYPE]: TAG_MISSING_METADATA_FIELD,
      [ATTR_PAPERCLIP_LEASE_MISSING_FIELDS]: 'providerLeaseId',
    };
    const line = lineOf({
      name: 'open_duplex_channel',
      provider: 'kubernetes',
      attributes,
      failure: FAILURE,
    });
    expect(line).toBe(
      '12:00:00.025 ↳ open_duplex_channel sandbox kubernetes   25 ms missing-metadata-field ← open_duplex_channel 12:00:01.234…',
    );
  });

  it('says so where it is not known what that was', () => {
    expect(endOf({ [ATTR_PAPERCLIP_RECOVERY_KIND]: 'reacquire' })).toBe(
      'ok ← reacquire, of what has not come',
    );
  });

  it('does without what is not known', () => {
    const [operation] = readTraces(traces([{ traceId: '1', spanId: '2' }])).operations;
    if (operation === undefined) throw new Error('no operation');
    expect(operationLine(operation, undefined, plain)).toBe(
      '--:--:--.--- _OTHER                                         – ok',
    );
  });
});

it('the line of an unknown outcome has no duration either, and is yellow', () => {
  const attributes = { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN]: true };
  expect(lineOf({ attributes, paint: marked })).toBe(
    '12:00:00.025 execute               sandbox e2b              – <yellow>unknown</>',
  );
});

describe('the outcome', () => {
  const incomplete = {
    [ATTR_PAPERCLIP_LEASE_SHAPE]: 'plugin_incomplete',
    [ATTR_PAPERCLIP_LEASE_MISSING_FIELDS]: 'metadata.pluginId,providerLeaseId',
  };
  const nonPlugin = { [ATTR_PAPERCLIP_LEASE_SHAPE]: 'non_plugin' };
  const error = { [ATTR_ERROR_TYPE]: 'TypeError' };

  it.each([
    ['is ok', {}, 'ok'],
    ['is the type of the error', error, 'TypeError'],
    [
      'has a tag that differs from it',
      { ...error, [ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG]: 'tag' },
      'TypeError · tag',
    ],
    ['has no exit code 0', { [ATTR_PROCESS_EXIT_CODE]: 0 }, 'ok'],
    ['has another exit code', { [ATTR_PROCESS_EXIT_CODE]: 137 }, 'ok · exit 137'],
    [
      'has that a command ran out of time',
      { [ATTR_ERROR_TYPE]: ERROR_TYPE_TIMEOUT, [ATTR_PROCESS_EXIT_CODE]: 124 },
      'timeout · exit 124',
    ],
    [
      'has what the lease lacks on a failure',
      { ...incomplete, ...error },
      'TypeError · lacks pluginId providerLeaseId',
    ],
    ['does without it where it does no harm', incomplete, 'ok'],
    [
      'has the shape of a lease of no plug-in on a failure',
      { ...nonPlugin, ...error },
      'TypeError · non_plugin',
    ],
    ['does without that where it does no harm', nonPlugin, 'ok'],
    [
      'has no shape of a complete lease',
      { [ATTR_PAPERCLIP_LEASE_SHAPE]: 'plugin_complete', ...error },
      'TypeError',
    ],
  ])('%s', (_, attributes: Attributes, outcome) => {
    expect(endOf(attributes)).toBe(outcome);
  });

  it.each([
    ['ok', {}, '<green>ok</>'],
    [
      'what the driver cannot do',
      { [ATTR_ERROR_TYPE]: TAG_UNSUPPORTED_DRIVER_OPERATION },
      '<yellow>unsupported-driver-operation</>',
    ],
    [
      'what the lease lacks',
      { [ATTR_ERROR_TYPE]: TAG_MISSING_METADATA_FIELD },
      '<magenta>missing-metadata-field</>',
    ],
    ['other errors', error, '<red>TypeError</>'],
  ])('has a colour of its own: %s', (_, attributes: Attributes, painted) => {
    expect(lineOf({ attributes, paint: marked })).toBe(
      `12:00:00.025 execute               sandbox e2b          25 ms ${painted}`,
    );
  });

  it('of a recovery stands beside it in another colour', () => {
    const attributes = {
      [ATTR_PAPERCLIP_RECOVERY_KIND]: 'fallback',
      [ATTR_PROCESS_EXIT_CODE]: 3,
      [ATTR_ERROR_TYPE]: 'E',
    };
    expect(lineOf({ attributes, failure: FAILURE, paint: marked })).toBe(
      '12:00:00.025 <cyan>↳ </>execute             sandbox e2b          25 ms <red>E</><cyan> ← open_duplex_channel 12:00:01.234 (fallback)</><red> · exit 3</>',
    );
  });
});

it.each([
  [0, '0.0 ms'],
  [9, '9.0 ms'],
  [10, '10 ms'],
  [999, '999 ms'],
  [1_000, '1.0 s'],
  [59_949, '59.9 s'],
  [59_950, '1m 0s'],
  [61_000, '1m 1s'],
  [3_599_999, '1h 0m'],
  [86_340_000, '23h 59m'],
  [-1, '–'],
])('a duration of %d ms is %s', (ms, text) => {
  expect(lineOf({ start: 0, end: ms }).slice(52, 61).trimStart()).toBe(text);
});

describe('the header', () => {
  it('says that there is nothing yet', () => {
    const { rates, tally } = new Session();
    expect(headerOf(rates, tally).slice(1)).toEqual([
      'fallback – · re-acquire – · 0 operations, 0 failed · 0 servers',
      'fallback – · re-acquire – · 0 of 0 failed · 0 servers',
    ]);
    expect(headerOf(rates, tally)[0]).toBe(
      'fallback rate – (none yet) · re-acquire success – (none yet) · 0 operations, 0 failed · from 0 servers',
    );
  });

  it('has rates with their counts, operations, servers, and spans of others where there are any', () => {
    const session = new Session();
    const requests = (value: number, outcome: string) =>
      sum({
        name: METRIC_PAPERCLIP_DUPLEX_REQUESTS.name,
        value,
        attributes: { [ATTR_PAPERCLIP_DUPLEX_OUTCOME]: outcome },
      });
    const reacquired = sum({
      name: METRIC_PAPERCLIP_LEASE_REACQUIRES.name,
      value: 2,
      attributes: { [ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME]: 'succeeded' },
    });
    session.takeMetrics(metrics([requests(3, 'fallback'), requests(21, 'opened'), reacquired]));
    session.takeTraces(traces([span({ id: '1' }), span({ id: '2', status: 2 })]));
    session.takeTraces(traces([span({})], { scope: 'http' }));
    expect(headerOf(session.rates, session.tally)).toEqual([
      'fallback rate 12.5 % (3 of 24) · re-acquire success 100 % (2 of 2) · 2 operations, 1 failed · from 1 server · 1 other span',
      'fallback 12.5 % (3 of 24) · re-acquire 100 % (2 of 2) · 2 operations, 1 failed · 1 server',
      'fallback 12.5 % · re-acquire 100 % · 1 of 2 failed · 1 server',
    ]);
  });
});

it('the summary is a table of operations and outcomes', () => {
  const outcomes = [
    { operation: 'execute', outcome: 'ok', count: 12 },
    { operation: 'open_duplex_channel', outcome: 'TypeError', count: 1 },
  ];
  expect(outcomesTable(outcomes, plain)).toEqual([
    'execute              ok         12',
    'open_duplex_channel  TypeError   1',
  ]);
  expect(outcomesTable(outcomes, marked)[0]).toBe('execute              <green>ok</>         12');
});

it('a text that is cut ends with an ellipsis', () => {
  expect([cut('abcd', 4), cut('abcd', 3), cut('abcd', 1), cut('abcd', 0)]).toEqual(['abcd', 'ab…', '…', '…']);
});

it('a text is cut between characters, never within one', () => {
  expect([cut('😀😀😀', 3), cut('😀😀😀', 2)]).toEqual(['😀😀😀', '😀…']);
});
