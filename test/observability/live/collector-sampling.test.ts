import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import { type Collector, GATEWAY_CONFIG, startCollector } from './collector.js';
import { PROGRAMS, UNLESS_SKIPPED } from './go.js';
import { Jaeger } from './jaeger.js';
import { Servers, until } from './processes.js';
import { type Emitted, emit } from './traces.js';

const SERVERS = [1, 2];
const REQUESTS = 100;

describe.skipIf(!PROGRAMS)(`the gateway of a fleet${UNLESS_SKIPPED}`, () => {
  const servers = new Servers();
  let jaeger: Jaeger;
  /** Of what is kept by chance nothing can be said exactly, so this one keeps all or nothing of it. */
  const startGateway = (wait: string, percent: number) =>
    startCollector(servers, PROGRAMS?.collector ?? '', GATEWAY_CONFIG, {
      JAEGER_OTLP: jaeger.otlp,
      DECISION_WAIT: wait,
      KEEP_PERCENT: String(percent),
    });

  beforeAll(async () => {
    if (PROGRAMS) jaeger = await Jaeger.start(servers, PROGRAMS.jaeger);
  });
  afterAll(() => servers.close());

  it('keeps every trace with a failure or a recovery, whole, and drops the others', async () => {
    // Longer than a request of the traffic and the export of its spans take.
    const gateway = await startGateway('5s', 0);
    const service = 'paperclip-fleet';
    const emitted = await Promise.all(
      SERVERS.map((seed) =>
        emit(
          { seed, requests: REQUESTS },
          {
            OTEL_SERVICE_NAME: service,
            OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=server-${seed}`,
            OTEL_EXPORTER_OTLP_ENDPOINT: gateway.otlp['http/protobuf'],
            OTEL_BSP_SCHEDULE_DELAY: '200',
            OTEL_METRICS_EXPORTER: 'none',
          },
        ),
      ),
    );
    const operations = emitted.flat();
    const isNotable = ({ attributes }: Emitted) =>
      attributes[ATTR_ERROR_TYPE] !== undefined || attributes[ATTR_PAPERCLIP_RECOVERY_KIND] !== undefined;
    const all = new Set(operations.map(({ traceId }) => traceId));
    const kept = new Set(operations.filter(isNotable).map(({ traceId }) => traceId));
    const dropped = all.size - kept.size;
    expect(kept.size).toBeGreaterThan(50);
    expect(dropped).toBeGreaterThan(kept.size);

    await until(async () => (await decided(gateway, 'not_sampled')) >= dropped, `${dropped} dropped traces`);
    const ofKept = operations.filter(({ traceId }) => kept.has(traceId)).map(({ id }) => id);
    const found = await jaeger.spans(service, ofKept);

    expect(new Set([...found.values()].map(({ traceID }) => traceID))).toEqual(kept);
    expect(await decided(gateway, 'not_sampled')).toBe(dropped);
    expect(await decided(gateway, 'sampled')).toBe(kept.size);
  });

  it('keeps a failure that comes after its trace was dropped, and what comes after it', async () => {
    const gateway = await startGateway('1s', 0);
    const service = 'paperclip-late';
    const names = async () => (await jaeger.traces(service)).flat().map(({ operationName }) => operationName);
    const drop = async (traceId: string, name: string) => {
      const before = await decided(gateway, 'not_sampled');
      await send(gateway, service, { traceId, name });
      await until(async () => (await decided(gateway, 'not_sampled')) > before, 'a dropped trace');
    };
    const traceId = newTraceId();
    await drop(traceId, 'first');
    await drop(newTraceId(), 'first of another');

    await send(gateway, service, { traceId, name: 'failed', tag: TAG_UNSUPPORTED_DRIVER_OPERATION });
    await until(async () => (await names()).length === 1, 'the failure');
    await send(gateway, service, { traceId, name: 'last' });
    await until(async () => (await names()).length === 2, 'what comes after it');
    expect((await names()).sort()).toEqual(['failed', 'last']);
  });

  it('keeps of the others as many as it is told to', async () => {
    const gateway = await startGateway('1s', 100);
    const traceIds = Array.from({ length: 20 }, newTraceId);
    await Promise.all(traceIds.map((traceId) => send(gateway, 'paperclip-calm', { traceId, name: 'calm' })));
    await until(async () => (await decided(gateway, 'sampled')) === traceIds.length, 'the decisions');
    await until(async () => (await jaeger.traces('paperclip-calm')).length === traceIds.length, 'the traces');
  });
});

/** How many traces a gateway decided on in this way, by its own count. */
async function decided({ telemetry }: Collector, decision: 'sampled' | 'not_sampled'): Promise<number> {
  const lines = (await (await fetch(telemetry)).text()).split('\n');
  return lines
    .filter((line) => line.startsWith('otelcol_processor_tail_sampling_global_count_traces_sampled'))
    .filter((line) => line.includes(`decision="${decision}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Sends a span that has just ended.
 *
 * @param span with the tag of its error, where it failed
 */
async function send(
  { otlp }: Collector,
  service: string,
  { traceId, name, tag }: { traceId: string; name: string; tag?: string },
): Promise<void> {
  const now = `${Date.now()}000000`;
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    name,
    startTimeUnixNano: now,
    endTimeUnixNano: now,
    attributes: tag ? [attribute(ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG, tag)] : [],
  };
  const resource = { attributes: [attribute('service.name', service)] };
  const response = await fetch(`${otlp['http/protobuf']}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
  });
  expect(response.status).toBe(200);
}
