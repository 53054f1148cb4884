/** Runs agents on an observed host until they have made so many calls, and holds the telemetry against their ledger. */
import type { Sampler } from '@opentelemetry/sdk-trace';
import { PaperclipInstrumentation } from '../../src/index.js';
import {
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
} from '../../src/semconv.js';
import * as accounts from './accounts.js';
import { Agent, WINDOWS } from './agent.js';
import { isHelped } from './helped.js';
import { ENVIRONMENTS, LoadHost } from './host.js';
import { Ledger, pointDifferences, spanDifferences } from './ledger.js';
import type { World } from './plan.js';
import { Random } from './random.js';
import * as recoveries from './recoveries.js';
import { Meters, numberCall, Spans } from './telemetry.js';
import { Turns } from './turns.js';
import * as work from './work.js';

/** How many agents are under way at the same time, beside those that sleep. */
const CONCURRENCY = 250;
/** How often the metrics are read while it runs. */
const READINGS = 10;
const METRICS_OF_WHAT_IS_UNDER_WAY = [
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE.name,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE.name,
];

const DURATION = METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION.name;

type Script = (agent: Agent) => Promise<void>;

/** What agents do. Those that sleep are few, for the others pass them by meanwhile. */
const SCRIPTS: readonly (readonly [weight: number, Script])[] = [
  [10, work.plainWork],
  [6, work.plainOpens],
  [6, work.runToTheEnd],
  [3, work.releaseAll],
  [3, work.failsInside],
  [2, work.failsForGood],
  [8, recoveries.fallsBack],
  [3, recoveries.fallsBackTwice],
  [1, recoveries.fallsBackInTheLastMoment],
  [1, recoveries.fallsBackTooLate],
  [12, recoveries.reacquires],
  [2, recoveries.acquireLacksToo],
  [2, recoveries.lacksTwice],
  [1, recoveries.reacquiresSlowly],
  [1, recoveries.acquiresTooLate],
  [1, recoveries.retriesTooLate],
  [4, accounts.bridges],
  [4, accounts.bridgeFallsBack],
  [1, accounts.gateIsOff],
  [12, isHelped],
];
const HAT = SCRIPTS.flatMap(([weight, script]) => Array<Script>(weight).fill(script));

export interface LoadOptions {
  readonly seed: number;
  /** How many calls to make at least. */
  readonly calls: number;
  readonly sampler?: Sampler;
  /** What happens in the middle, and after how many calls. */
  readonly incidents?: readonly (readonly [calls: number, happen: (load: Load) => void])[];
}

/** What one set of providers got. */
interface Share {
  readonly meters: Meters;
  /** How many spans were started by it. */
  spans: number;
  /** How many calls had started and ended before. */
  readonly started: number;
  readonly ended: number;
}

export class Load {
  readonly instrumentation = new PaperclipInstrumentation({ ...WINDOWS, requestHook: numberCall });
  readonly spans: Spans;
  readonly shares: Share[] = [];
  readonly world: World;
  readonly #random: Random;
  readonly #failures: unknown[] = [];
  #agents = 0;
  #underWay = 0;
  /** The most calls of the ledger that were under way when the metrics were read. */
  mostAtOnce = 0;

  constructor(private readonly options: LoadOptions) {
    this.spans = new Spans(options.sampler);
    this.#random = new Random(options.seed);
    this.world = {
      turns: new Turns(this.#random),
      ledger: new Ledger(),
      host: new LoadHost(this.instrumentation),
      isOn: true,
      calls: 0,
      recorded: 0,
    };
  }

  /** New providers for all signals, which get everything from now on. */
  newProviders() {
    const { world, spans } = this;
    const share = { meters: new Meters(), spans: 0, started: world.recorded, ended: world.ledger.operations };
    const tracerProvider = spans.newProvider(() => {
      share.spans += 1;
    });
    this.shares.push(share);
    return { meterProvider: share.meters.provider, tracerProvider };
  }

  /** Hands the instrumentation new providers. */
  giveNewProviders(): void {
    const { meterProvider, tracerProvider } = this.newProviders();
    this.instrumentation.setMeterProvider(meterProvider);
    this.instrumentation.setTracerProvider(tracerProvider);
  }

  /** What is pending is counted as it stands, and what starts from now on is not recorded. */
  disable(): void {
    this.world.isOn = false;
    this.instrumentation.disable();
    this.world.ledger.settle();
  }

  enable(): void {
    this.world.isOn = true;
    this.instrumentation.enable();
  }

  /** @returns one line for each difference between ledger and telemetry */
  async run(): Promise<string[]> {
    const { calls: target, incidents = [] } = this.options;
    const { world } = this;
    const { now } = performance;
    const { stackTraceLimit } = Error;
    performance.now = () => world.turns.now;
    // Stacks are no part of what is counted, and cost more than all the rest.
    Error.stackTraceLimit = 0;
    try {
      const differences: string[] = [];
      const waiting = [...incidents];
      for (let reading = 1; world.calls < target || this.#underWay > 0; ) {
        while (world.calls < target && this.#underWay - world.turns.sleeping < CONCURRENCY) this.#start();
        await world.turns.give();
        if (this.#failures.length > 0) throw this.#failures[0];
        while (waiting[0] && world.calls >= waiting[0][0]) waiting.shift()?.[1](this);
        if (world.calls < (reading * target) / READINGS) continue;
        reading += 1;
        differences.push(...(await this.#readUnderWay()));
      }
      this.disable();
      await this.#read();
      return [...differences, ...this.#differences()];
    } finally {
      performance.now = now;
      Error.stackTraceLimit = stackTraceLimit;
      this.instrumentation.disable();
    }
  }

  #start(): void {
    this.#agents += 1;
    this.#underWay += 1;
    const random = new Random(this.options.seed + this.#agents * 7919);
    const agent = new Agent(this.#agents, this.world, random, random.pick(ENVIRONMENTS));
    const script = random.pick(HAT);
    const run = async () => {
      await agent.think();
      await script(agent);
    };
    run()
      .catch((error: unknown) => this.#failures.push(error))
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  async #read(): Promise<void> {
    for (const { meters } of this.shares) await meters.collect();
  }

  /** What is counted as under way must be under way, also in the middle of it. */
  async #readUnderWay(): Promise<string[]> {
    await this.#read();
    const now = underWayIn(this.world.ledger.points);
    const operations = [...now].filter(([key]) => key.startsWith(`${METRICS_OF_WHAT_IS_UNDER_WAY[0]} `));
    this.mostAtOnce = Math.max(
      this.mostAtOnce,
      operations.reduce((sum, [, value]) => sum + value, 0),
    );
    // The package learns of a provider when an operation starts.
    const known = this.shares.filter(({ spans }) => spans > 0);
    return known.flatMap(({ meters }) => pointDifferences(now, underWayIn(meters.cumulative)));
  }

  #differences(): string[] {
    const { ledger } = this.world;
    this.spans.read();
    const isSampled = this.options.sampler !== undefined;
    const cumulative = together(this.shares.map(({ meters }) => meters.cumulative));
    const delta = together(this.shares.map(({ meters }) => meters.delta));
    return [
      ...pointDifferences(ledger.points, cumulative),
      ...pointDifferences(ledger.points, delta).map((line) => `delta: ${line}`),
      ...spanDifferences(ledger.spans, this.spans.exported, isSampled),
      ...this.shares.flatMap((share, index) => this.#shareDifferences(share, index)),
    ];
  }

  /** Each provider got what was its own, and at the end nothing is under way. */
  #shareDifferences({ meters, spans, started, ended }: Share, index: number): string[] {
    const { world, shares } = this;
    const next = shares[index + 1] ?? { started: world.recorded, ended: world.ledger.operations };
    const measured = [...meters.cumulative].filter(([key]) => key.startsWith(`${DURATION} `));
    const operations = measured.reduce((sum, [, count]) => sum + count, 0);
    const left = [...meters.cumulative].filter((point) => isOfWhatIsUnderWay(point) && point[1] !== 0);
    return [
      ...left.map(([key, value]) => `provider ${index}: ${value} left in ${key}`),
      ...(spans === next.started - started
        ? []
        : [`provider ${index}: ledger ${next.started - started}, ${spans} spans started`]),
      ...(operations === next.ended - ended
        ? []
        : [`provider ${index}: ledger ${next.ended - ended}, ${operations} operations measured`]),
    ];
  }
}

function isOfWhatIsUnderWay([key]: [string, number]): boolean {
  return METRICS_OF_WHAT_IS_UNDER_WAY.some((name) => key.startsWith(`${name} `));
}

function underWayIn(points: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...points].filter((point) => isOfWhatIsUnderWay(point) && point[1] !== 0));
}

/** The points of all providers. Of what is under way, each of them has all; the rest is added up. */
function together(all: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const points = new Map<string, number>();
  for (const point of all.flatMap((map) => [...map])) {
    const [key, value] = point;
    points.set(key, isOfWhatIsUnderWay(point) ? value : (points.get(key) ?? 0) + value);
  }
  return points;
}
