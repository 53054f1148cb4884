import { describe, expect, it } from 'vitest';
import { type Target, translate } from '../../../src/cli/naming/promql.js';

const SHIPPED: Target = { naming: 'underscores', hasNativeHistograms: false };
const NATIVE: Target = { ...SHIPPED, hasNativeHistograms: true };
const SUFFIXES: Target = { ...SHIPPED, naming: 'NoUTF8EscapingWithSuffixes' };
const DOTS: Target = { ...SHIPPED, naming: 'NoTranslation' };

const DURATION = 'paperclip_lease_duration(_seconds)?';
const series = (part: string, more = '') => `{__name__=~"${DURATION}_${part}"${more}}`;
const native = (more = '') => `{__name__=~"${DURATION}"${more}}`;

describe('names with dots', () => {
  it.each([
    ['a counter', '{__name__=~"paperclip_duplex_requests(_total)?"}', '{"paperclip.duplex.requests_total"}'],
    [
      'a counter with a unit',
      '{__name__=~"paperclip_duplex_channel_io(_bytes)?(_total)?"}',
      '{"paperclip.duplex.channel.io_bytes_total"}',
    ],
    ['what has neither', 'paperclip_lease_held', '{"paperclip.lease.held"}'],
    ['a histogram', series('bucket'), '{"paperclip.lease.duration_seconds_bucket"}'],
    [
      'conditions',
      series('count', ', error_type!="", job="a", paperclip_lease_end=~"failed|expired"'),
      '{"paperclip.lease.duration_seconds_count", "error.type"!="", job="a", "paperclip.lease.end"=~"failed|expired"}',
    ],
    ['conditions on a resource', 'target_info{service_version="1"}', 'target_info{"service.version"="1"}'],
    [
      'lists of labels',
      'sum by (job, error_type) (a:b:c) / on (error_type) group_left () max without () (target_info)',
      'sum by (job, "error.type") (a:b:c) / on ("error.type") group_left () max without () (target_info)',
    ],
    [
      'a function of ranges',
      `increase(${series('sum')}[$__rate_interval] offset 1h)`,
      'increase({"paperclip.lease.duration_seconds_sum"}[$__rate_interval] offset 1h)',
    ],
    // Grafana puts the label into a URL, and Grafana 11 takes no dots there.
    [
      'what a variable offers',
      `label_values(${series('count', ', instance=~"$instance"')}, paperclip_environment_provider)`,
      'label_values({"paperclip.lease.duration_seconds_count", instance=~"$instance"}, U__paperclip_2e_environment_2e_provider)',
    ],
    ['texts', 'count_values("error_type", a:b:c)', 'count_values("error_type", a:b:c)'],
  ])('%s', (_what, expr, expected) => {
    expect(translate(expr, SUFFIXES)).toBe(expected);
    expect(translate(expr, SHIPPED)).toBe(expr);
  });

  it.each([
    ['{__name__=~"paperclip_duplex_channel_io(_bytes)?(_total)?"}', '{"paperclip.duplex.channel.io"}'],
    [series('bucket'), '{"paperclip.lease.duration_bucket"}'],
  ])('without suffixes %s is %s', (expr, expected) => {
    expect(translate(expr, DOTS)).toBe(expected);
  });
});

describe('native histograms', () => {
  it.each([
    ['a number now', series('count'), `histogram_count(${native()})`],
    ['a sum now', series('sum'), `histogram_sum(${native()})`],
    [
      'a number before',
      `${series('count', ', job="a"')} offset $__interval > 0`,
      `histogram_count(${native(', job="a"')} offset $__interval) > 0`,
    ],
    [
      'an increase',
      `sum(increase(${series('count')}[5m] offset 1d))`,
      `sum(histogram_count(increase(${native()}[5m] offset 1d)))`,
    ],
    ['a rate of sums', `rate(${series('sum')}[5m])`, `histogram_sum(rate(${native()}[5m]))`],
    [
      'the last value',
      `last_over_time(${series('count')}[6h] offset 5m)`,
      `histogram_count(last_over_time(${native()}[6h] offset 5m))`,
    ],
    ['resets', `resets(${series('count')}[5m]) > 0`, `resets(${native()}[5m]) > 0`],
    // It knows no histograms.
    [
      'the highest value',
      `max_over_time(${series('count')}[5m] offset 1h)`,
      `max_over_time(histogram_count(${native()})[5m:] offset 1h)`,
    ],
    [
      'a subquery',
      `max_over_time(${series('count')}[$__range:1m])`,
      `max_over_time(histogram_count(${native()})[$__range:1m])`,
    ],
    [
      'a quantile',
      `histogram_quantile(0.95, sum by (job, le) (rate(${series('bucket')}[5m])))`,
      `histogram_quantile(0.95, sum by (job) (rate(${native()}[5m])))`,
    ],
    ['buckets', `sum by (le) (increase(${series('bucket')}[5m]))`, `sum (increase(${native()}[5m]))`],
    ['no histogram', 'paperclip_lease_held offset 1h', 'paperclip_lease_held offset 1h'],
    [
      'what a variable offers',
      `label_values(${series('count')}, instance)`,
      `label_values(${native()}, instance)`,
    ],
  ])('%s', (_what, expr, expected) => {
    expect(translate(expr, NATIVE)).toBe(expected);
    expect(translate(expr, SHIPPED)).toBe(expr);
  });

  it('have dots, too', () => {
    expect(
      translate(`increase(${series('count', ', error_type=""')}[5m])`, {
        ...DOTS,
        hasNativeHistograms: true,
      }),
    ).toBe('histogram_count(increase({"paperclip.lease.duration", "error.type"=""}[5m]))');
  });
});

describe('what cannot be translated is an error that says why, and where', () => {
  it.each([
    ['{__name__=~"paperclip_unknown"}', 'no metric of the conventions is called "paperclip_unknown"'],
    ['{job="a"}', 'no metric of the conventions is called ""'],
    ['sum(a:b:c', 'brackets that are not closed'],
    ['sum(a:b:c))', 'a bracket that was not opened'],
    ['a:b:c # all', 'no PromQL from character 6 on'],
    [series('bucket'), 'buckets without increase() or rate()'],
    [`max_over_time(${series('bucket')}[5m])`, 'buckets without increase() or rate()'],
    [`rate(${series('bucket', ', le="1"')}[5m])`, 'a native histogram has no "le"'],
  ])('%s', (expr, problem) => {
    expect(() => translate(expr, NATIVE)).toThrow(new Error(`${problem}: ${expr}`));
  });
});
