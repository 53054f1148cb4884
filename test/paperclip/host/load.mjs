/**
 * Runs agents on the real service until they have made so many calls, and prints one JSON document of what was recorded
 * and of every difference to the ledger that the agents have kept.
 *
 * Arguments: the number of calls, the seed, and `all-at-once`, which is: the instrumentation is no preload but one in
 * code that is disabled in the middle, the providers are replaced in the middle, and a tenth of the spans is sampled.
 */
import { tracing } from '@opentelemetry/sdk-node';
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { Ledger, pointDifferences, spanDifferences } from '../../load/ledger.ts';
import { Random } from '../../load/random.ts';
import { Turns } from '../../load/turns.ts';
import { environmentRuntimeService } from '../node_modules/@paperclipai/server/dist/services/environment-runtime.js';
import { Agent } from './load-agent.mjs';
import { SCRIPTS } from './load-scripts.mjs';
import { startLoadTelemetry } from './load-telemetry.mjs';

const CONCURRENCY = 100;
const READINGS = 5;

const [target, seed, mode] = process.argv.slice(2);
const isAllAtOnce = mode === 'all-at-once';
const calls = Number(target);
const random = new Random(Number(seed));
const instrumentation = isAllAtOnce ? new PaperclipInstrumentation() : undefined;
const telemetry = startLoadTelemetry(
  isAllAtOnce ? new tracing.TraceIdRatioBasedSampler(0.1) : new tracing.AlwaysOnSampler(),
);
const world = {
  turns: new Turns(random),
  ledger: new Ledger(),
  isOn: true,
  calls: 0,
  newService: (...args) => {
    const service = environmentRuntimeService(...args);
    return instrumentation?.instrumentRuntime(service) ?? service;
  },
};
const incidents = isAllAtOnce
  ? [0.2, 0.5, 0.8].flatMap((part) => [
      [part, disable],
      [part + 0.05, enable],
      [part + 0.1, replaceProviders],
    ])
  : [];

/** Operations of the ledger when each provider's turn came. */
const replacedAt = [0];

function replaceProviders() {
  replacedAt.push(world.ledger.operations);
  telemetry.replaceProviders();
}

function disable() {
  world.isOn = false;
  instrumentation.disable();
  world.ledger.settle();
}

function enable() {
  world.isOn = true;
  instrumentation.enable();
}

let agents = 0;
let underWay = 0;
let mostUnderWay = 0;
let failure;
function start() {
  agents += 1;
  underWay += 1;
  const own = new Random(Number(seed) + agents * 7919);
  const agent = new Agent(agents, world, own);
  const run = async () => {
    await agent.think();
    await own.pick(SCRIPTS)(agent);
  };
  run()
    .catch((error) => {
      failure ??= error;
    })
    .finally(() => {
      underWay -= 1;
    });
}

for (let reading = 1; world.calls < calls || underWay > 0; ) {
  while (world.calls < calls && underWay < CONCURRENCY) start();
  mostUnderWay = Math.max(mostUnderWay, underWay);
  await world.turns.give();
  if (failure !== undefined) throw failure;
  while (incidents[0] && world.calls >= incidents[0][0] * calls) incidents.shift()[1]();
  if (world.calls < (reading * calls) / READINGS) continue;
  reading += 1;
  await telemetry.read();
}
if (isAllAtOnce) disable();
await telemetry.shutdown();
world.ledger.settle();

const { ledger } = world;
const spans = telemetry.spans();
const shares = replacedAt.map((from, index) => (replacedAt[index + 1] ?? ledger.operations) - from);
const differences = [
  ...pointDifferences(ledger.points, telemetry.points('cumulative')),
  ...pointDifferences(ledger.points, telemetry.points('delta')).map((line) => `delta: ${line}`),
  ...spanDifferences(ledger.spans, spans, isAllAtOnce),
  ...telemetry
    .operations()
    .flatMap((measured, index) =>
      measured === shares[index] ? [] : [`provider ${index}: ledger ${shares[index]}, measured ${measured}`],
    ),
];
const document = {
  calls: world.calls,
  mostUnderWay,
  operations: ledger.operations,
  ofProviders: shares,
  spans: spans.size,
  points: ledger.points.size,
  measurements: ledger.measurements,
  differences,
};
// The server's logger keeps a worker thread alive, so the process does not end by itself.
process.stdout.write(JSON.stringify(document), () => process.exit(0));
