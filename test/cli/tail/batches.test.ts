/** Batches as a collector sends them by default: of 8192 spans. */
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { beforeAll, expect, it } from 'vitest';
import { readTraces } from '../../../src/cli/tail/otlp.js';
import { openReceiver } from '../../../src/cli/tail/receiver.js';
import { environment, incompleteLease, makeDriver, on } from '../../support/host.js';
import { TestTelemetry } from '../../support/telemetry.js';

const SPANS = 8192;

let spans: ReadableSpan[];
beforeAll(async () => {
  const telemetry = new TestTelemetry();
  const driver = telemetry.instrument({ errorDetail: 'full' }).instrumentDriver(makeDriver());
  await driver.openDuplexChannel(on(incompleteLease)).catch(() => {});
  await driver.acquireRunLease({ environment, companyId: 'company-1', issueId: 'issue-1' });
  // A failure that recovers from another: it has an exception with its stack, a link, and every attribute there is for both.
  await driver.openDuplexChannel(on(incompleteLease)).catch(() => {});
  spans = Array(SPANS).fill(telemetry.spans().at(-1));
});

it.each([
  ['protobuf', 'application/x-protobuf', ProtobufTraceSerializer],
  ['JSON', 'application/json', JsonTraceSerializer],
])('a batch of failures with exceptions is taken whole: %s', async (_, type, serializer) => {
  const body = serializer.serializeRequest(spans) as Uint8Array;
  let operations = 0;
  const notices: string[] = [];
  const receiver = await openReceiver(
    { host: '127.0.0.1', port: 0 },
    {
      onTraces: (request) => {
        operations += readTraces(request).operations.length;
      },
      onMetrics: () => {},
      onNotice: (notice) => notices.push(notice),
    },
  );
  const { status } = await fetch(`http://127.0.0.1:${receiver.port}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body as RequestInit['body'] & {},
  });
  receiver.close();
  expect({ status, operations, notices }).toEqual({ status: 200, operations: SPANS, notices: [] });
});
