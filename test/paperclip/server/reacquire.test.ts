/**
 * A lease that Paperclip's table holds without the provider's lease id, on the real server: the agent's run gets no
 * duplex channel on it, and the next run of its issue acquires a fresh one.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Span } from '../../support/otlp.js';
import { endsOfMetrics, endsOfSpans, latest, ofScope } from './expected.js';
import type { Run } from './paperclip.js';
import { PROVIDER_KEY, Site } from './site.js';

const PROVIDER = { 'paperclip.environment.provider': PROVIDER_KEY };
const OPEN = 'open_duplex_channel sandbox';
const ACQUIRE = 'acquire_run_lease sandbox';

describe('an issue whose lease lacks metadata', () => {
  let site: Site;
  let runs: Run[];
  let issueId: string;
  let spans: Span[];

  beforeAll(async () => {
    site = await Site.create();
    const { receiver } = site;
    const server = await site.bootWithSdk();
    const { paperclip } = site;
    await paperclip.enableDuplexChannels();
    const environment = await site.createEnvironment('Losing', { environmentAcquireLease: 'drop-id' });
    const agent = await site.createAgent(environment);
    issueId = (await paperclip.createIssue(site.companyId, agent, 'Work')).id;
    const first = await paperclip.run(agent, issueId);
    await site.changeEnvironment(environment, {});
    runs = [first, await paperclip.run(agent, issueId)];
    await site.leaseRows();
    await server.stop();
    spans = ofScope(receiver.spans);
  });

  afterAll(() => site.close());

  it('is worked on without a channel, and with one once the lease is complete', () => {
    expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(named(OPEN).map(({ attributes }) => attributes['error.type'])).toEqual([
      'missing-metadata-field',
      undefined,
    ]);
    expect(endsOfMetrics(site.receiver.metrics)).toEqual(endsOfSpans(spans));
  });

  it('says which field the lease lacks, on every operation that uses it', () => {
    const lacking = spans.filter(
      ({ attributes }) => attributes['paperclip.lease.shape'] === 'plugin_incomplete',
    );
    expect(new Set(lacking.map(({ attributes }) => attributes['paperclip.run.id']))).toEqual(
      new Set([runs[0]?.id]),
    );
    for (const { attributes } of lacking)
      expect(attributes['paperclip.lease.missing_fields']).toBe('providerLeaseId');
  });

  it('is re-acquired by its next run, with success', () => {
    expect(named(ACQUIRE).map(aboutRecovery)).toEqual([
      { run: runs[0]?.id, issue: issueId, kind: undefined },
      { run: runs[1]?.id, issue: issueId, kind: 'reacquire' },
    ]);
    expect(named(OPEN).map(aboutRecovery)).toEqual([
      { run: runs[0]?.id, issue: issueId, kind: undefined },
      { run: runs[1]?.id, issue: issueId, kind: 'reacquire' },
    ]);
    const succeeded = { ...PROVIDER, 'paperclip.lease.reacquire.outcome': 'succeeded' };
    expect(pointsOf('paperclip.lease.reacquires')).toEqual([{ attributes: succeeded, value: 1 }]);
    expect(pointsOf('paperclip.lease.reacquire.duration')).toEqual([{ attributes: succeeded, value: 1 }]);
  });

  it('counts as a request that fell back and one that opened, as Paperclip decided', () => {
    expect(pointsOf('paperclip.duplex.requests')).toEqual([
      {
        attributes: {
          ...PROVIDER,
          'paperclip.duplex.outcome': 'fallback',
          'paperclip.duplex.fallback.reason': 'channel_open_failed',
          'error.type': 'missing-metadata-field',
        },
        value: 1,
      },
      { attributes: { ...PROVIDER, 'paperclip.duplex.outcome': 'opened' }, value: 1 },
    ]);
  });

  const named = (name: string) => spans.filter((span) => span.name === name);

  const pointsOf = (name: string) =>
    latest(site.receiver.metrics, name).map(({ attributes, value }) => ({ attributes, value }));
});

function aboutRecovery({ attributes }: Span) {
  return {
    run: attributes['paperclip.run.id'],
    issue: attributes['paperclip.issue.id'],
    kind: attributes['paperclip.recovery.kind'],
  };
}
