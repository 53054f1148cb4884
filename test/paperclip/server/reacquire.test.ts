/**
 * Recoveries on the real server, and what only looks like one. Paperclip's table holds a lease without the provider's
 * lease id: the agent's run gets no duplex channel on it, and the next run of its issue acquires a fresh one. A run is
 * cancelled while its channel is opened. And Paperclip sweeps leases whose teardown fails, before runs of the same issues.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Span } from '../../support/otlp.js';
import { endsOfMetrics, endsOfSpans, latest, ofScope } from './expected.js';
import type { Run } from './paperclip.js';
import { PROVIDER_KEY, Site } from './site.js';

const PROVIDER = { 'paperclip.environment.provider': PROVIDER_KEY };
const OPEN = 'open_duplex_channel sandbox';
const ACQUIRE = 'acquire_run_lease sandbox';
const TEARDOWN = 'retry_pending_sandbox_teardown sandbox';

describe('an issue whose lease lacks metadata, a run that is cancelled and a sweep', () => {
  let site: Site;
  let runs: Run[];
  let issueId: string;
  let stopped: Run;
  let swept: string[];
  let sweptRuns: Run[];
  let spans: Span[];

  beforeAll(async () => {
    site = await Site.create();
    const { receiver } = site;
    // The shortest time between two sweeps.
    const server = await site.bootWithSdk({ HEARTBEAT_SCHEDULER_INTERVAL_MS: '10000' });
    const { paperclip } = site;
    await paperclip.enableDuplexChannels();
    const environment = await site.createEnvironment('Losing', { environmentAcquireLease: 'drop-id' });
    const agent = await site.createAgent(environment);
    issueId = (await paperclip.createIssue(site.companyId, agent, 'Work')).id;
    const first = await paperclip.run(agent, issueId);
    await site.changeEnvironment(environment, {});
    runs = [first, await paperclip.run(agent, issueId)];

    const stalling = await site.createEnvironment('Stalling', { duplexChannelOpen: 'stall' });
    stopped = await site.cancelledRun(stalling, 'duplexChannelOpen');

    const issues = ['One', 'Two'].map((title) => paperclip.createIssue(site.companyId, agent, title));
    swept = (await Promise.all(issues)).map(({ id }) => id);
    await site.leaveLeases(environment, swept);
    sweptRuns = [];
    for (const issue of swept) sweptRuns.push(await paperclip.run(agent, issue));
    await site.leaseRows();
    await server.stop();
    spans = ofScope(receiver.spans);
  });

  afterAll(() => site.close());

  it('work on the issue goes on without a channel, and with one once the lease is complete', () => {
    expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(ofIssue(OPEN).map(({ attributes }) => attributes['error.type'])).toEqual([
      'missing-metadata-field',
      undefined,
    ]);
    expect(endsOfMetrics(site.receiver.metrics)).toEqual(endsOfSpans(spans));
  });

  it('every operation that uses the incomplete lease says which field it lacks', () => {
    const lacking = spans.filter(
      ({ attributes }) =>
        attributes['paperclip.lease.shape'] === 'plugin_incomplete' && attributes['paperclip.run.id'],
    );
    expect(new Set(lacking.map(({ attributes }) => attributes['paperclip.run.id']))).toEqual(
      new Set([runs[0]?.id]),
    );
    for (const { attributes } of lacking)
      expect(attributes['paperclip.lease.missing_fields']).toBe('providerLeaseId');
  });

  it('the next run of the issue re-acquires, with success', () => {
    for (const name of [ACQUIRE, OPEN])
      expect(ofIssue(name).map(aboutRecovery)).toEqual([
        { run: runs[0]?.id, kind: undefined },
        { run: runs[1]?.id, kind: 'reacquire' },
      ]);
  });

  it('the sweep fails, and the runs of the same issues recover from nothing', () => {
    expect(sweptRuns.map(({ status }) => status)).toEqual(swept.map(() => 'succeeded'));
    const teardowns = spans.filter(({ name }) => name === TEARDOWN);
    expect(
      teardowns.map(({ attributes }) => [attributes['paperclip.issue.id'], attributes['error.type']]).sort(),
    ).toEqual(swept.map((issue) => [issue, 'missing-metadata-field']).sort());
    const recovering = spans.filter(
      ({ attributes }) =>
        swept.includes(String(attributes['paperclip.issue.id'])) && attributes['paperclip.recovery.kind'],
    );
    expect(recovering).toEqual([]);
  });

  it('are one re-acquire', () => {
    const succeeded = { ...PROVIDER, 'paperclip.lease.reacquire.outcome': 'succeeded' };
    expect(pointsOf('paperclip.lease.reacquires')).toEqual([{ attributes: succeeded, value: 1 }]);
    expect(pointsOf('paperclip.lease.reacquire.duration')).toEqual([{ attributes: succeeded, value: 1 }]);
  });

  it('are a request that fell back, one that was cancelled, and one that opened for each other run', () => {
    expect(stopped.status).toBe('cancelled');
    const points = pointsOf('paperclip.duplex.requests');
    expect(points).toHaveLength(3);
    expect(points).toEqual(
      expect.arrayContaining([
        {
          attributes: {
            ...PROVIDER,
            'paperclip.duplex.outcome': 'fallback',
            'paperclip.duplex.fallback.reason': 'channel_open_failed',
            'error.type': 'missing-metadata-field',
          },
          value: 1,
        },
        { attributes: { ...PROVIDER, 'paperclip.duplex.outcome': 'cancelled' }, value: 1 },
        { attributes: { ...PROVIDER, 'paperclip.duplex.outcome': 'opened' }, value: 3 },
      ]),
    );
  });

  const ofIssue = (name: string) =>
    spans.filter((span) => span.name === name && span.attributes['paperclip.issue.id'] === issueId);

  const pointsOf = (name: string) =>
    latest(site.receiver.metrics, name).map(({ attributes, value }) => ({ attributes, value }));
});

function aboutRecovery({ attributes }: Span) {
  return {
    run: attributes['paperclip.run.id'],
    kind: attributes['paperclip.recovery.kind'],
  };
}
