/** The real server with Paperclip's own OpenTelemetry bootstrap, which starts long after the preload. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Span } from '../../support/otlp.js';
import { endsOfMetrics, endsOfSpans, ofScope, operationsOfCalls, operationsOfSpans } from './expected.js';
import { type Call, ESM_HOOK, REGISTER, Site, START } from './site.js';

describe("with `./register` and Paperclip's own SDK", () => {
  let site: Site;
  let calls: Call[];
  let spans: Span[];

  beforeAll(async () => {
    site = await Site.create();
    // Without a loader hook Paperclip's SDK traces no HTTP: the server is made of ES modules.
    const server = await site.boot({ preloads: [REGISTER, ESM_HOOK], env: site.receiver.env });
    const environment = await site.createEnvironment('Good');
    await site.probe(environment);
    await site.testAgent(environment);
    await site.leaseRows();
    await server.stop();
    calls = site.calls();
    spans = ofScope(site.receiver.spans);
  });

  afterAll(() => site.close());

  it("exports the operations that happened through that SDK, as Paperclip's", () => {
    expect(operationsOfSpans(spans)).toEqual(operationsOfCalls(calls));
    expect(new Set(spans.map(({ resource }) => resource['service.name']))).toEqual(new Set(['paperclip']));
  });

  it('puts each operation below the HTTP request that led to it', () => {
    expect(count(spans.map((span) => requestOf(span, site.receiver.spans)))).toEqual({
      'POST /api/environments/:id/probe': 2,
      'POST /api/companies/:companyId/adapters/:type/test-environment': 7,
    });
  });

  it('exports metrics where that SDK is asked for them, and they agree with the spans', () => {
    expect(endsOfMetrics(site.receiver.metrics)).toEqual(endsOfSpans(spans));
  });
});

describe('with `./start` where Paperclip would start an SDK as well', () => {
  let site: Site;

  beforeAll(async () => {
    site = await Site.create();
  });

  afterAll(() => site.close());

  it('exports each operation once, in spans and in metrics', async () => {
    const { receiver } = site;
    const server = await site.boot({ preloads: [START], env: receiver.env });
    await site.probe(await site.createEnvironment('Good'));
    expect(await server.stop()).toMatchObject({ code: 0, signal: null });

    const ends = { 'acquire_run_lease: success': 1, 'release_run_lease: success': 1 };
    expect(endsOfSpans(ofScope(receiver.spans))).toEqual(ends);
    expect(endsOfMetrics(receiver.metrics)).toEqual(ends);
  });
});

/** The name of the HTTP span that is the root above the span. */
function requestOf(span: Span, all: readonly Span[]): string {
  const parent = all.find(({ spanId }) => spanId === span.parentSpanId);
  if (parent !== undefined) return requestOf(parent, all);
  return span.scope === '@opentelemetry/instrumentation-http' ? span.name : 'no HTTP request';
}

function count(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, names.filter((other) => other === name).length]));
}
