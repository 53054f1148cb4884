import { describe, expect, it } from 'vitest';
import { readMetrics } from '../../../src/cli/tail/otlp.js';
import { Rates } from '../../../src/cli/tail/rates.js';
import {
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME as OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER as PROVIDER,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME as REACQUIRE,
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON as REASON,
} from '../../../src/semconv.js';
import { type Attributes, metrics, type SumOptions, sum } from './requests.js';

const requests = (value: number, attributes: Attributes, others: Partial<SumOptions> = {}) =>
  sum({ name: METRIC_PAPERCLIP_DUPLEX_REQUESTS.name, value, attributes, ...others });
const reacquires = (value: number, outcome: string) =>
  sum({ name: METRIC_PAPERCLIP_LEASE_REACQUIRES.name, value, attributes: { [REACQUIRE]: outcome } });

const FALLBACK = { [OUTCOME]: 'fallback', [REASON]: 'ready_timeout' };
const OPENED = { [OUTCOME]: 'opened' };

/** Both rates after these requests came, as `part of all`. */
function ratesAfter(...sent: object[]) {
  const rates = new Rates();
  for (const request of sent) for (const point of readMetrics(request).points) rates.add(point);
  const { fallback, reacquire } = rates;
  return {
    fallback: `${fallback.part} of ${fallback.all}`,
    reacquire: `${reacquire.part} of ${reacquire.all}`,
  };
}

/** The fallback rate after these sums came, each in a request of its own. */
const fallbackAfter = (...sums: object[]) => ratesAfter(...sums.map((sent) => metrics([sent]))).fallback;

describe('what counts', () => {
  it('as a fallback: requests that fell back, of all but those by design and those that were cancelled', () => {
    const byDesign = (reason: string) => ({ [OUTCOME]: 'fallback', [REASON]: reason });
    const sums = [
      requests(3, FALLBACK),
      requests(5, OPENED),
      requests(2, { [OUTCOME]: 'failed' }),
      requests(7, byDesign('gate_off')),
      requests(6, byDesign('capability_absent')),
      requests(4, { [OUTCOME]: 'cancelled' }),
    ];
    expect(ratesAfter(metrics(sums))).toEqual({ fallback: '3 of 10', reacquire: '0 of 0' });
  });

  it('as a re-acquire: those that succeeded, of all that somebody tried', () => {
    const sums = [
      reacquires(4, 'succeeded'),
      reacquires(1, 'still_incomplete'),
      reacquires(2, 'acquire_failed'),
      reacquires(3, 'operation_failed'),
      reacquires(8, 'not_retried'),
      reacquires(9, 'not_attempted'),
    ];
    expect(ratesAfter(metrics(sums))).toEqual({ fallback: '0 of 0', reacquire: '4 of 10' });
  });

  it('not: metrics of others by the same name, other metrics, and what is no count', () => {
    const others = metrics([requests(1, FALLBACK)], { scope: 'other' });
    const odd = [
      { ...requests(1, FALLBACK), name: 'other' },
      requests(-1, FALLBACK),
      requests(Number.NaN, FALLBACK),
    ];
    expect(ratesAfter(others, metrics(odd))).toEqual({ fallback: '0 of 0', reacquire: '0 of 0' });
  });
});

describe('cumulative sums', () => {
  it('count once, however often they are sent', () => {
    expect(
      fallbackAfter(
        requests(2, FALLBACK, { at: 1 }),
        requests(2, FALLBACK, { at: 2 }),
        requests(5, FALLBACK, { at: 3 }),
      ),
    ).toBe('5 of 5');
  });

  it('that come late say nothing', () => {
    expect(fallbackAfter(requests(5, FALLBACK, { at: 3 }), requests(2, FALLBACK, { at: 2 }))).toBe('5 of 5');
  });

  it('go on where the clock was set back, also where older ones come late after that', () => {
    expect(
      fallbackAfter(
        requests(5, FALLBACK, { at: 100 }),
        requests(9, FALLBACK, { at: 50 }),
        requests(5, FALLBACK, { at: 100 }),
        requests(12, FALLBACK, { at: 60 }),
      ),
    ).toBe('12 of 12');
  });

  it('of several providers and servers add up', () => {
    const inOneRequest = [
      requests(1, { ...FALLBACK, [PROVIDER]: 'e2b' }),
      requests(2, { ...FALLBACK, [PROVIDER]: 'modal' }),
    ];
    const sent = ['a', 'b'].map((instance) =>
      metrics(inOneRequest, { resource: { 'service.name': 'paperclip', 'service.instance.id': instance } }),
    );
    expect(ratesAfter(...sent).fallback).toBe('6 of 6');
  });

  it('of two processes with the same instance id add up', () => {
    const sent = [1, 2].map((pid) =>
      metrics([requests(3, OPENED)], { resource: { 'service.instance.id': 'host', 'process.pid': pid } }),
    );
    expect(ratesAfter(...sent, ...sent).fallback).toBe('0 of 6');
  });

  it('that begin again with another start go on from what there was', () => {
    expect(
      fallbackAfter(requests(5, OPENED, { start: 0, at: 1 }), requests(7, OPENED, { start: 2, at: 3 })),
    ).toBe('0 of 12');
  });

  it('that begin again without one do so as well', () => {
    const withoutStart = (value: number, at: number) => {
      const sent = requests(value, OPENED, { at });
      for (const point of sent.sum.dataPoints) point.startTimeUnixNano = '0';
      return sent;
    };
    expect(fallbackAfter(withoutStart(5, 1), withoutStart(2, 2), withoutStart(3, 3))).toBe('0 of 8');
    expect(fallbackAfter(withoutStart(5, 2), withoutStart(2, 1))).toBe('0 of 5');
  });

  it('are the same, in whatever order their attributes come', () => {
    const turned = Object.fromEntries(Object.entries(FALLBACK).reverse());
    expect(fallbackAfter(requests(4, FALLBACK, { at: 1 }), requests(4, turned, { at: 2 }))).toBe('4 of 4');
  });

  it('are followed up to 10,000, and the one that was heard of longest ago is then forgotten', () => {
    const series = (start: number, value = 1, at = 1) => requests(value, OPENED, { start, at });
    const many = Array.from({ length: 10_000 }, (_, n) => series(n));
    const heardAgain = series(0, 1, 2);
    const oneMore = series(10_000);
    expect(fallbackAfter(...many, heardAgain, oneMore, series(0, 3, 3))).toBe('0 of 10003');
    expect(fallbackAfter(...many, heardAgain, oneMore, series(1, 1, 2))).toBe('0 of 10002');
  });
});

it.each([[1], ['AGGREGATION_TEMPORALITY_DELTA']])('delta sums (%j) add up', (aggregationTemporality) => {
  const sent = [requests(2, FALLBACK, { at: 1 }), requests(3, OPENED, { at: 2 })].map((one) => ({
    ...one,
    sum: { ...one.sum, aggregationTemporality },
  }));
  expect(fallbackAfter(...sent, ...sent)).toBe('4 of 10');
});
