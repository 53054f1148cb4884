/** The real server behind the preload that brings an SDK along: what is exported is what happened. */
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
import type { AgentTest, ProbeResult } from './paperclip.js';
import type { Exit } from './server.mjs';
import { type Call, type LeaseRow, PROVIDER_KEY, Site } from './site.js';

describe('with `--import opentelemetry-instrumentation-paperclip/start` and a collector', () => {
  let site: Site;
  let environments: { good: string; refusing: string };
  let probe: ProbeResult;
  let refused: ProbeResult;
  let agent: AgentTest;
  let rows: LeaseRow[];
  let calls: Call[];
  let spans: Span[];
  let exit: Exit;

  beforeAll(async () => {
    site = await Site.create();
    const { receiver } = site;
    const server = await site.bootWithSdk({ OTEL_INSTRUMENTATION_PAPERCLIP_PROPAGATE_CONTEXT: 'true' });
    environments = {
      good: await site.createEnvironment('Good'),
      refusing: await site.createEnvironment('Refusing', { environmentAcquireLease: 'refuse' }),
    };
    probe = await site.probe(environments.good);
    refused = await site.probe(environments.refusing);
    agent = await site.testAgent(environments.good);
    rows = await site.leaseRows();
    exit = await server.stop();
    calls = site.calls();
    spans = ofScope(receiver.spans);
  });

  afterAll(() => site.close());

  it('lets the server do what it was asked', () => {
    expect(probe.ok).toBe(true);
    expect(refused.ok).toBe(false);
    expect(agent.checks.map(({ code }) => code)).toContain('pi_hello_probe_passed');
    expect(exit).toMatchObject({ code: 0, signal: null });
  });

  it('exports one span for each operation that the plug-in saw, and no other', () => {
    expect(operationsOfSpans(spans)).toEqual(operationsOfCalls(calls));
    expect(endsOfSpans(spans)).toEqual({
      'acquire_run_lease: success': 2,
      'acquire_run_lease: WORKER_ERROR': 1,
      'realize_workspace: success': 1,
      'execute: success': 4,
      'release_run_lease: success': 2,
    });
  });

  it("names in its spans the leases that Paperclip's own table holds", () => {
    const idsIn = (operation: string) =>
      spans
        .filter(({ name, status }) => name === `${operation} sandbox` && status !== 2)
        .map(({ attributes }) => attributes['paperclip.lease.id'])
        .sort();
    const ids = rows.map(({ id }) => id).sort();
    expect(rows.map((row) => [row.status, row.environment_id])).toEqual([
      ['released', environments.good],
      ['released', environments.good],
    ]);
    expect(idsIn('acquire_run_lease')).toEqual(ids);
    expect(idsIn('release_run_lease')).toEqual(ids);
  });

  it('tells driver, provider and owner of each', () => {
    for (const { attributes } of spans) {
      expect(attributes).toMatchObject({
        'paperclip.environment.driver': 'sandbox',
        'paperclip.environment.provider': PROVIDER_KEY,
        'paperclip.company.id': site.companyId,
      });
    }
  });

  it('begins a trace with each operation where nothing else is traced', () => {
    expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual(spans.map(() => ''));
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(spans.length);
  });

  it('has each span of the provider below the operation that it belongs to', () => {
    const operationOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    const ofProvider = site.receiver.spans.filter(({ name }) => name.startsWith('sandbox.daytona.'));
    expect(ofProvider.map(({ parentSpanId }) => operationOf.get(parentSpanId)).sort()).toEqual([
      'acquire_run_lease sandbox',
      'acquire_run_lease sandbox',
      'acquire_run_lease sandbox',
      'realize_workspace sandbox',
      'release_run_lease sandbox',
      'release_run_lease sandbox',
    ]);
  });

  it('tells each command in the sandbox, and nobody else, of its operation', () => {
    const executes = spans.filter(({ name }) => name === 'execute sandbox');
    const told = calls.flatMap(({ traceparent }) => traceparent ?? []);
    expect(told.sort()).toEqual(executes.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`).sort());
  });

  it('exports metrics that agree with the spans, and no others', () => {
    const { metrics } = site.receiver;
    expect(endsOfMetrics(metrics)).toEqual(endsOfSpans(spans));
    expect(latest(metrics, 'paperclip.environment.operation.active').map(({ value }) => value)).toEqual([
      0, 0, 0, 0,
    ]);
    expect(latest(metrics, 'paperclip.lease.duration')).toMatchObject([
      { attributes: { 'paperclip.lease.end': 'released' }, value: rows.length },
    ]);
    expect([...new Set(ofScope(metrics).map(({ name }) => name))].sort()).toEqual([
      'paperclip.environment.operation.active',
      'paperclip.environment.operation.duration',
      'paperclip.lease.duration',
    ]);
  });

  it('exports a resource that tells where the server is, and nothing of its command line, paths and user', () => {
    const { spans, metrics } = site.receiver;
    const resources = new Set([...spans, ...metrics].map(({ resource }) => JSON.stringify(resource)));
    expect(resources.size).toBe(1);
    const resource = JSON.parse([...resources].join()) as Record<string, unknown>;
    expect(Object.keys(resource).filter((name) => !/^(?:host|os|telemetry\.sdk)\./.test(name))).toEqual([
      'service.name',
      'service.instance.id',
      'service.version',
    ]);
    expect(JSON.stringify(resource)).not.toContain(process.cwd());
  });

  it('exports no log record as long as exceptions are events', () => {
    expect(ofScope(site.receiver.logs)).toEqual([]);
  });
});
