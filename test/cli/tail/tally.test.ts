import { describe, expect, it } from 'vitest';
import { readTraces } from '../../../src/cli/tail/otlp.js';
import { Session } from '../../../src/cli/tail/session.js';
import { Tally } from '../../../src/cli/tail/tally.js';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_RECOVERY_KIND,
} from '../../../src/semconv.js';
import { metrics, type SpanOptions, span, sum, traces } from './requests.js';

const operation = (options: SpanOptions, name = 'execute') => {
  const attributes = { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name, ...options.attributes };
  const [read] = readTraces(traces([span({ ...options, attributes })])).operations;
  if (read === undefined) throw new Error('no operation');
  return read;
};
const failed = (id: string, errorType = 'TypeError', name?: string) =>
  operation({ id, end: 5, attributes: { [ATTR_ERROR_TYPE]: errorType } }, name);
const recoveryOf = (...links: string[]) =>
  operation({ id: 'f0', links, attributes: { [ATTR_PAPERCLIP_RECOVERY_KIND]: 'fallback' } });

describe('what an operation recovers from', () => {
  it('is the failure that its span links to, of any earlier request', () => {
    const tally = new Tally();
    tally.add(failed('1', 'a', 'open_duplex_channel'));
    tally.add(failed('2', 'a', 'execute'));
    expect(tally.failureOf(recoveryOf('3', '1'))?.name).toBe('open_duplex_channel');
  });

  it('is not known where that did not fail, or did not come', () => {
    const tally = new Tally();
    tally.add(operation({ id: '1' }));
    expect(tally.failureOf(recoveryOf('1', '2'))).toBeUndefined();
  });

  it('is nothing for an operation that links to a failure without recovering from it', () => {
    const tally = new Tally();
    tally.add(failed('1'));
    expect(tally.failureOf(operation({ links: ['1'] }))).toBeUndefined();
  });

  it('is forgotten once 10,000 others failed after it', () => {
    const tally = new Tally();
    tally.add(failed('a0'));
    tally.add(failed('a1'));
    for (let n = 1; n < 10_000; n += 1) tally.add({ ...failed('b'), id: String(n) });
    expect([tally.failureOf(recoveryOf('a0')), tally.failureOf(recoveryOf('a1'))?.name]).toEqual([
      undefined,
      'execute',
    ]);
  });
});

it('operations are counted by name and outcome, in alphabetical order', () => {
  const tally = new Tally();
  const all = [operation({}), failed('1', 'b'), failed('2', 'a'), failed('3', 'b'), operation({}, 'acquire')];
  for (const one of all) tally.add(one);
  expect(tally.outcomes).toEqual([
    { operation: 'acquire', outcome: 'ok', count: 1 },
    { operation: 'execute', outcome: 'a', count: 1 },
    { operation: 'execute', outcome: 'b', count: 2 },
    { operation: 'execute', outcome: 'ok', count: 1 },
  ]);
  expect({ operations: tally.operations, failed: tally.failed }).toEqual({ operations: 5, failed: 3 });
});

it('no more than 1,000 pairs of name and outcome are told apart', () => {
  const tally = new Tally();
  for (let n = 0; n < 1_100; n += 1) tally.add(failed(String(n), `error ${n}`));
  tally.add(failed('1', 'error 5'));
  expect(tally.outcomes.length).toBe(1_001);
  expect(tally.outcomes.filter(({ count }) => count > 1)).toEqual([
    { operation: '_OTHER', outcome: '_OTHER', count: 100 },
    { operation: 'execute', outcome: 'error 5', count: 2 },
  ]);
});

it('no more than 1,000 servers are told apart', () => {
  const session = new Session();
  for (let n = 0; n < 1_001; n += 1)
    session.takeTraces(traces([span({})], { resource: { 'service.instance.id': String(n) } }));
  expect(session.tally.servers).toBe(1_000);
});

describe('there is enough for a summary', () => {
  const spans = (end: number, instance = 'a') =>
    traces([span({ end })], { resource: { 'service.instance.id': instance } });
  const points = (at: number, instance = 'a') =>
    metrics([sum({ name: 'x', value: 1, at })], { resource: { 'service.instance.id': instance } });

  /** Takes spans (`s`) and metrics (`m`) and tells after each whether there is. */
  const completeness = (...requests: object[]) => {
    const session = new Session();
    return requests.map((request) => {
      session.takeTraces(request);
      session.takeMetrics(request);
      return session.tally.isComplete;
    });
  };

  it('with metrics that were collected after an operation ended', () => {
    expect(completeness(spans(10), points(11))).toEqual([false, true]);
  });

  it('also where those came first, as when a server ends', () => {
    expect(completeness(points(11), spans(10))).toEqual([false, true]);
  });

  it('also where an operation that ended later came first', () => {
    expect(completeness(spans(12), spans(10), points(11))).toEqual([false, false, true]);
  });

  it('not with older metrics', () => {
    expect(completeness(points(9), spans(10), points(9), points(10))).toEqual([false, false, false, true]);
  });

  it('also where older ones come late', () => {
    expect(completeness(points(11), points(9), spans(10))).toEqual([false, false, true]);
  });

  it('not with those of another server', () => {
    expect(completeness(spans(10, 'a'), points(11, 'b'), spans(10, 'b'))).toEqual([false, false, true]);
  });

  it('not with spans and metrics of others', () => {
    const scope = 'other';
    expect(
      completeness(
        traces([span({ end: 10 })], { scope }),
        metrics([sum({ name: 'x', value: 1, at: 11 })], { scope }),
      ),
    ).toEqual([false, false]);
  });

  it('with histograms alone', () => {
    const { sum: histogram } = sum({ name: 'x', value: 1, at: 11 });
    const resource = { 'service.instance.id': 'a' };
    expect(completeness(spans(10), metrics([{ name: 'x', histogram }], { resource }))).toEqual([false, true]);
  });
});
