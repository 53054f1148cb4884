/** What the provider's worker does wrong, on the real server, and what the telemetry makes of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Span } from '../../support/otlp.js';
import { endsOfMetrics, endsOfSpans, latest, ofScope } from './expected.js';
import { Site } from './site.js';

describe('a provider that fails', () => {
  let site: Site;
  let keeping: string;
  let quoting: string;
  let spans: Span[];

  beforeAll(async () => {
    site = await Site.create();
    const server = await site.bootWithSdk();
    keeping = await site.createEnvironment('Keeping', { environmentReleaseLease: 'refuse' });
    quoting = await site.createEnvironment('Quoting', { environmentExecute: 'quote' });
    await site.probe(keeping);
    for (let test = 0; test < 5; test += 1) await site.testAgent(quoting);
    await site.leaseRows();
    await server.stop();
    spans = ofScope(site.receiver.spans);
  });

  afterAll(() => site.close());

  it('to give a sandbox up, which Paperclip returns, fails the release', () => {
    const [release] = spansOf(keeping, 'release_run_lease sandbox');
    expect(release?.status).toBe(2);
    expect(release?.attributes).toMatchObject({
      'error.type': 'lease_cleanup_failed',
      'paperclip.lease.status': 'pending_cleanup',
      'paperclip.lease.cleanup.status': 'failed',
    });
    expect(endsOfSpans(spans)).toMatchObject({ 'release_run_lease: lease_cleanup_failed': 1 });
    expect(endsOfMetrics(site.receiver.metrics)).toEqual(endsOfSpans(spans));
  });

  it('with a text that an agent printed begins no re-acquire', () => {
    const ends = endsOfSpans(spansOf(quoting, 'execute sandbox'));
    expect(Object.keys(ends)).toEqual(['execute: WORKER_ERROR']);
    expect(ends['execute: WORKER_ERROR']).toBeGreaterThanOrEqual(5);
    expect(latest(site.receiver.metrics, 'paperclip.lease.reacquires')).toEqual([]);
  });

  const spansOf = (environment: string, name: string) =>
    spans.filter((span) => span.name === name && span.attributes['paperclip.environment.id'] === environment);
});
