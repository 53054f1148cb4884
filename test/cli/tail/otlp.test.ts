import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMetrics, readTraces } from '../../../src/cli/tail/otlp.js';
import { Session } from '../../../src/cli/tail/session.js';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  ATTR_PROCESS_EXIT_CODE,
} from '../../../src/semconv.js';
import { type Attributes, metrics, NOON, span, sum, traces } from './requests.js';

const operationOf = (sent: object) => readTraces(traces([sent])).operations[0];
const idOf = (id: string) => `${'1'.padStart(32, '0')}-${id.padStart(16, '0')}`;

it('an operation has what its span says', () => {
  const attributes = {
    [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: 'execute',
    [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'sandbox',
    [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'e2b',
    [ATTR_PAPERCLIP_LEASE_SHAPE]: 'plugin_incomplete',
    [ATTR_PAPERCLIP_LEASE_MISSING_FIELDS]: 'providerLeaseId',
    [ATTR_ERROR_TYPE]: 'TypeError',
    [ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG]: 'tag',
    [ATTR_PROCESS_EXIT_CODE]: 3,
    [ATTR_PAPERCLIP_RECOVERY_KIND]: 'fallback',
  };
  expect(operationOf(span({ id: 'a', links: ['b', 'c'], start: 5, end: 9, attributes }))).toMatchObject({
    id: idOf('a'),
    startedAt: BigInt(NOON + 5) * 1_000_000n,
    endedAt: BigInt(NOON + 9) * 1_000_000n,
    name: 'execute',
    driver: 'sandbox',
    provider: 'e2b',
    shape: 'plugin_incomplete',
    missingFields: ['providerLeaseId'],
    errorType: 'TypeError',
    backgroundTag: 'tag',
    exitCode: 3,
    recovery: { kind: 'fallback', from: [idOf('b'), idOf('c')] },
  });
});

it('times are exact to the nanosecond', () => {
  const sent = { ...span({}), startTimeUnixNano: '1796040000123456789' };
  expect(operationOf(sent)?.startedAt).toBe(1796040000123456789n);
});

it.each([
  ['2', 2],
  ['STATUS_CODE_ERROR', 'STATUS_CODE_ERROR'],
])('a span with the status %s has failed, also without an error type', (_, status) => {
  expect(operationOf(span({ status }))?.errorType).toBe('_OTHER');
});

it.each([[undefined], [0], [1], ['STATUS_CODE_OK']])('a span with the status %j has not', (status) => {
  expect(operationOf(span({ status }))?.errorType).toBeUndefined();
});

it('an operation whose outcome nobody knows is neither ok nor failed', () => {
  const attributes = { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN]: true };
  expect(operationOf(span({ attributes }))).toMatchObject({ outcome: 'unknown', errorType: undefined });
  expect(operationOf(span({}))?.outcome).toBe('ok');
});

it('ids are the same in capital letters', () => {
  const { operations } = readTraces(traces([{ ...span({}), spanId: '00000000000000AB' }]));
  expect(operations[0]?.id).toBe(idOf('ab'));
});

it('spans of other scopes are counted only', () => {
  const { operations, others } = readTraces(traces([span({}), span({})], { scope: 'http' }));
  expect({ operations, others }).toEqual({ operations: [], others: 2 });
});

describe('what is no span, point or attribute is left out', () => {
  const one = span({ id: '1', attributes: { [ATTR_ERROR_TYPE]: 'E' } });
  const point = sum({ name: 'a', value: 1, attributes: { a: 'b' } });

  /** The value with `nothing` before and after the elements of every list in it. */
  function strewn(value: unknown, nothing: unknown): unknown {
    if (Array.isArray(value)) return [nothing, ...value.map((inner) => strewn(inner, nothing)), nothing];
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, strewn(inner, nothing)]));
  }

  it.each([[null], [[]], [{}], [0], ['text'], [true]])('%j in every list, however deep', (nothing) => {
    const resource = { 'service.name': 'paperclip', list: ['a'] };
    for (const scope of [undefined, 'http']) {
      const sent = traces([one], { resource, ...(scope && { scope }) });
      expect(readTraces(strewn(sent, nothing) as object)).toEqual(readTraces(sent));
    }
    const sent = metrics([point], { resource });
    const { points } = readMetrics(strewn(sent, nothing) as object);
    expect(points).toEqual(readMetrics(sent).points);
  });

  it('null does not make a server of nobody', () => {
    const session = new Session();
    session.takeMetrics(metrics([{ name: 'a', sum: { dataPoints: [null] } }]));
    expect(session.tally.servers).toBe(0);
  });

  it('null where one value belongs is as if it were not there', () => {
    const sent = traces([
      {
        ...one,
        status: null,
        attributes: [{ key: ATTR_ERROR_TYPE, value: { stringValue: 'E', arrayValue: null } }],
      },
    ]);
    expect(readTraces(sent).operations[0]?.errorType).toBe('E');
  });
});

it('a long text does not stay in memory because of its beginning', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const LENGTH = 10 * 1024 * 1024;
  const session = new Session();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 20; n += 1)
    session.takeTraces(
      JSON.parse(
        JSON.stringify(traces([span({ attributes: { [ATTR_ERROR_TYPE]: `${n} ${'x'.repeat(LENGTH)}` } })])),
      ),
    );
  collect();
  expect(session.tally.outcomes.length).toBe(20);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5 * LENGTH);
});

describe('operations of a request', () => {
  const order = (...ends: number[]) =>
    new Session()
      .takeTraces(traces(ends.map((end, n) => span({ id: String(n), end }))))
      .map(({ id }) => Number(id.slice(-1)));

  it('are in the order in which they ended', () => {
    expect(order(30, 10, 20, 40)).toEqual([1, 2, 0, 3]);
  });

  it('stay in that in which they came where their times differ by no more than an SDK makes them', () => {
    expect(order(10, 9, 8, 11, 9)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('texts from the network', () => {
  const nameOf = (name: string) =>
    operationOf(span({ attributes: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name } }))?.name;

  it.each([
    ['terminal escapes', '\u001B[31mred\u001B]0;title\u0007', '[31mred]0;title'],
    ['C1 controls', 'a\u009B2Jb\u0085', 'a2Jb'],
    ['line breaks', 'a\r\nb\u2028c\td', 'abcd'],
    ['what turns the direction of writing', 'a\u202Eb\u2066c', 'abc'],
    ['half characters', 'a\uD800b', 'ab'],
  ])('lose %s', (_, sent, read) => {
    expect(nameOf(sent)).toBe(read);
  });

  it('are cut at 100 characters', () => {
    expect(nameOf('x'.repeat(1_000))).toBe('x'.repeat(100));
  });
});

describe('a server', () => {
  const serversOf = (...resources: Attributes[]) => {
    const session = new Session();
    for (const resource of resources) session.takeTraces(traces([span({})], { resource }));
    return session.tally.servers;
  };
  const named = { 'service.name': 'paperclip', 'service.instance.id': 'host-1' };

  it('stays the same when it is started again, where it has an instance id', () => {
    expect(serversOf({ ...named, 'process.pid': 1 }, { ...named, 'process.pid': 2 })).toBe(1);
  });

  it('is known by its process where it has none', () => {
    const resource = { 'service.name': 'paperclip', 'host.name': 'host-1' };
    expect(serversOf({ ...resource, 'process.pid': 1 }, { ...resource, 'process.pid': 2 })).toBe(2);
  });

  it('is another with another instance id, name or namespace', () => {
    const others = { 'service.instance.id': 'b', 'service.name': 'b', 'service.namespace': 'b' };
    const resources = Object.entries(others).map(([key, value]) => ({ ...named, [key]: value }));
    expect(serversOf(named, ...resources)).toBe(4);
  });
});

it.each([
  ['50,000 spans', () => readTraces(traces(Array(50_000).fill({}))), 'more than 50000 spans'],
  ['50,000 resources', () => readTraces({ resourceSpans: Array(50_001).fill({}) }), 'more than 50000 spans'],
  ['50,000 metrics', () => readMetrics(metrics(Array(50_000).fill({}))), 'more than 50000 metrics'],
])('more than %s at once are refused', (_, read, message) => {
  expect(read).toThrow(message);
});

/** Replaces the nth value of those in an object, however deep, and tells how many there were. */
function replaced(object: unknown, n: number, value?: unknown) {
  let count = 0;
  const text = JSON.stringify(object, (_key, inner) => {
    count += 1;
    return count === n ? value : inner;
  });
  return { object: JSON.parse(text), count };
}

it('whatever stands where another value belongs, it is read without an error', () => {
  const request = {
    ...traces([span({ links: ['2'], attributes: { [ATTR_PAPERCLIP_LEASE_MISSING_FIELDS]: 'x' } })]),
    ...metrics([sum({ name: 'a', value: 1, attributes: { a: 'b' } })]),
  };
  const { count } = replaced(request, 0);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: count }), fc.jsonValue(), (n, value) => {
      const changed = replaced(request, n, value).object;
      const session = new Session();
      session.takeTraces(changed);
      session.takeMetrics(changed);
    }),
    { numRuns: 2_000 },
  );
});
