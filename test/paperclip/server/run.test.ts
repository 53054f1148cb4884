/** Agents' runs on the real server: timers start them, and they open duplex channels. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Span } from '../../support/otlp.js';
import {
  endsOfMetrics,
  endsOfSpans,
  latest,
  ofScope,
  operationsOfCalls,
  operationsOfSpans,
} from './expected.js';
import type { Run } from './paperclip.js';
import { PROVIDER_KEY, Site } from './site.js';

/** The one operation of a run that no call of the plug-in answers to: it releases each lease of the run. */
const RELEASE_ALL = 'release_run_leases';

describe('agents that run in sandboxes', () => {
  let site: Site;
  let runs: Run[];
  let spans: Span[];

  beforeAll(async () => {
    site = await Site.create();
    const { receiver } = site;
    const server = await site.bootWithSdk();
    await site.paperclip.enableDuplexChannels();
    const good = await site.createEnvironment('Good');
    const refusing = await site.createEnvironment('Refusing', { duplexChannelOpen: 'refuse' });
    runs = [await site.run(good), await site.run(refusing)];
    await site.leaseRows();
    await server.stop();
    spans = ofScope(receiver.spans);
  });

  afterAll(() => site.close());

  it('succeed, with a duplex channel and without', () => {
    expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(endsOfSpans(spans)).toMatchObject({
      'acquire_run_lease: success': 2,
      'open_duplex_channel: success': 1,
      'open_duplex_channel: WORKER_ERROR': 1,
    });
  });

  it('have one span for each operation that the plug-in saw', () => {
    const seen = spans.filter(({ name }) => name !== RELEASE_ALL);
    expect(operationsOfSpans(seen)).toEqual(operationsOfCalls(site.calls()));
    expect(endsOfMetrics(site.receiver.metrics)).toEqual(endsOfSpans(spans));
  });

  it('can be found by the id of the run, from its first operation on', () => {
    const acquires = spans.filter(({ name }) => name === 'acquire_run_lease sandbox');
    expect(acquires.map(({ attributes }) => attributes['paperclip.run.id'])).toEqual(
      runs.map(({ id }) => id),
    );
  });

  it('release each lease below the release of all leases of the run', () => {
    const all = spans.filter(({ name }) => name === RELEASE_ALL).map(({ spanId }) => spanId);
    const releases = spans.filter(({ name }) => name === 'release_run_lease sandbox');
    expect(releases.map(({ parentSpanId }) => parentSpanId)).toEqual(all);
  });

  it('count as one request for a channel each, of which one was opened and one fell back', () => {
    const requests = latest(site.receiver.metrics, 'paperclip.duplex.requests');
    expect(requests.map(({ attributes, value }) => ({ ...attributes, value }))).toEqual([
      { 'paperclip.environment.provider': PROVIDER_KEY, 'paperclip.duplex.outcome': 'opened', value: 1 },
      {
        'paperclip.environment.provider': PROVIDER_KEY,
        'paperclip.duplex.outcome': 'fallback',
        'paperclip.duplex.fallback.reason': 'channel_open_failed',
        'error.type': 'WORKER_ERROR',
        value: 1,
      },
    ]);
  });

  it('leave the measurements of the channel that was open', () => {
    const { metrics } = site.receiver;
    expect(latest(metrics, 'paperclip.duplex.channel.active').map(({ value }) => value)).toEqual([0]);
    expect(latest(metrics, 'paperclip.duplex.channel.duration')).toMatchObject([
      { attributes: { 'paperclip.duplex.channel.end': 'closed' }, value: 1 },
    ]);
    const bytes = latest(metrics, 'paperclip.duplex.channel.io');
    expect(bytes.map(({ attributes }) => attributes['network.io.direction']).sort()).toEqual([
      'receive',
      'transmit',
    ]);
    for (const { value } of bytes) expect(value).toBeGreaterThan(0);
  });
});
