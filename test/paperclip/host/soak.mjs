/**
 * Carries out operations on the real service, and prints one JSON document: how many bytes of the heap are in use after
 * each of the numbers of operations that it is given, and what the metrics say in the end. Needs `--expose-gc`.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { metrics, NodeSDK, tracing } from '@opentelemetry/sdk-node';
import { environmentRuntimeService } from '../node_modules/@paperclipai/server/dist/services/environment-runtime.js';
import { plainAnswers, plainInputs } from './operations.mjs';
import {
  converse,
  database,
  echoSession,
  pluginRow,
  sandboxEnvironment,
  sandboxLease,
  workerManager,
} from './stage.mjs';

/** Keeps what was exported last. */
class Latest {
  exported;
  constructor(temporality) {
    this.selectAggregationTemporality = () => temporality;
  }
  export(exported, done) {
    this.exported = exported;
    done({ code: 0 });
  }
  async forceFlush() {}
  async shutdown() {}
}

const tables = { plugins: [pluginRow()] };
let leases = 0;
const service = environmentRuntimeService(
  database(tables, () => `lease-new-${++leases}`),
  { pluginWorkerManager: workerManager({ ...plainAnswers, duplexChannelOpen: echoSession }) },
);
const driver = service.getDriver('sandbox');
const environment = sandboxEnvironment();
const { acquire, channel, execute } = plainInputs;

/** The operations of one agent's run, which has nothing in common with another. */
function runOf(name) {
  const owner = {
    heartbeatRunId: `run-${name}`,
    issueId: `issue-${name}`,
    executionWorkspaceId: `workspace-${name}`,
  };
  const leaseOf = (fields) => sandboxLease({ id: `lease-${name}`, ...owner, ...fields });
  const open = (lease) => driver.openDuplexChannel({ environment, lease, ...channel });
  return {
    open: async (lease) => await converse(await open(lease)),
    refused: (lease) =>
      open(leaseOf(lease)).then(
        () => Promise.reject(new Error('it opened')),
        () => {},
      ),
    acquire: async () => {
      const { companyId } = leaseOf();
      const input = { companyId, ...owner, ...acquire, environment, persistedExecutionWorkspace: null };
      return (await service.acquireRunLease(input)).lease;
    },
    execute: (lease) => service.execute({ environment, lease, ...execute }),
    release: (lease) => driver.releaseRunLease({ environment, lease, status: 'released' }),
  };
}

const OPERATIONS_OF_A_ROUND = 10;
const incomplete = { providerLeaseId: null };
const ofNoPlugin = { metadata: { sandboxProviderPlugin: false } };

/** Three of its four refusals are never recovered from. */
async function round(number) {
  const plain = runOf(`${number}-plain`);
  const lease = await plain.acquire();
  await plain.open(lease);
  await plain.execute(lease);
  await plain.release(lease);

  const recovering = runOf(`${number}-recovering`);
  await recovering.refused(incomplete);
  await recovering.open(await recovering.acquire());

  await runOf(`${number}-unsupported`).refused(ofNoPlugin);
  await runOf(`${number}-incomplete`).refused(incomplete);
  await runOf(`${number}-incomplete-too`).refused(incomplete);
  // The rows are no part of what is measured.
  for (const name of Object.keys(tables)) if (name !== 'plugins') tables[name].length = 0;
}

async function heapInUse() {
  // A flush fails with the first batch that does, and leaves the others behind.
  while (
    !(await processor.forceFlush().then(
      () => true,
      () => false,
    ))
  );
  for (let times = 0; times < 5; times += 1) {
    await nextTurn();
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

const processor = new tracing.BatchSpanProcessor(new OTLPTraceExporter());
const cumulative = new Latest(metrics.AggregationTemporality.CUMULATIVE);
const readers = [cumulative, new Latest(metrics.AggregationTemporality.DELTA)].map(
  (exporter) =>
    new metrics.PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: 1000,
      exportTimeoutMillis: 1000,
    }),
);
new NodeSDK({
  autoDetectResources: false,
  instrumentations: [],
  spanProcessors: [processor],
  metricReaders: readers,
}).start();

const heap = [];
let rounds = 0;
for (const operations of process.argv.slice(2).map(Number)) {
  for (; rounds < operations / OPERATIONS_OF_A_ROUND; rounds += 1) {
    await round(rounds);
    await nextTurn();
  }
  heap.push(await heapInUse());
}
await readers[0].forceFlush();
const points = cumulative.exported.scopeMetrics.flatMap(({ metrics: all }) =>
  all.flatMap(({ descriptor: { name }, dataPoints }) =>
    dataPoints.map(({ attributes, value }) => ({ name, attributes, value: value.count ?? value })),
  ),
);
process.stdout.write(JSON.stringify({ heap, points }), () => process.exit(0));
