/** What is simulated, and what must come of it. Times are minutes since the start. */
import {
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_POLICY,
  ATTR_PAPERCLIP_LEASE_RUN,
  ATTR_PAPERCLIP_LEASE_STATUS,
  ERROR_TYPE_LEASE_CLEANUP_FAILED,
  ERROR_TYPE_PLUGIN_TIMEOUT,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST,
  type OperationName,
  type ReacquireOutcome,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../src/semconv.js';
import type { Random } from './random.js';
import {
  type Amount,
  arrivals,
  at,
  channel,
  DAY,
  DAYTONA,
  HOUR,
  inOffice,
  isWeekend,
  OFFICE,
  ofSandbox,
  perDay,
  perHour,
  type Run,
  run,
  WEEK,
} from './traffic.js';
import type { Server, Span, World } from './world.js';

export interface Row {
  /** What happens, in words. No two rows with the same traffic have the same. */
  readonly what: string;
  readonly traffic: string;
  /** What must fire during the fault. */
  readonly alert?: string;
  /** Minutes. */
  readonly length: number;
  /** Minutes between two evaluations: one where minutes are asserted, else ten. */
  readonly step: 1 | 10;
  readonly servers?: readonly Server[];
  readonly play: (world: World, random: Random) => void;
  /** When something is wrong. Without it nothing is, and nothing may fire. */
  readonly fault?: Span;
  /** Minutes from the fault's start until the alert fires. */
  readonly within?: number;
  /** Whether it fires all the time from then on until the fault ends. */
  readonly stays?: boolean;
  /** Minutes from the fault's end until it does not fire any more. */
  readonly resolves?: number;
  /** Labels of the alert that must fire; others of its name must not. */
  readonly labels?: Readonly<Record<string, string>>;
  /** From when on nothing may fire, where nothing is wrong. */
  readonly quietFrom?: number;
  /** The only alerts that are evaluated, which takes less time than all. */
  readonly watched?: readonly string[];
}

const FALLBACK = 'PaperclipHighFallbackRate';
const REACQUIRES = 'PaperclipReacquiresFail';
const SOME_REACQUIRES = 'PaperclipLowReacquireSuccess';
const SPIKE = 'PaperclipUnsupportedOperationsSpike';
const METADATA = 'PaperclipMissingMetadataAfterDeployment';
const LOSSES = 'PaperclipDuplexChannelsLost';
const ACQUIRES = 'PaperclipAcquiresFail';
const TEARDOWNS = 'PaperclipTeardownsFail';
const PLUGIN_CALLS = 'PaperclipPluginCallsTimeOut';
const WAITING = 'PaperclipLeasesWaitForCleanup';
const STRANDED = 'PaperclipLeasesStranded';
const HANGS = 'PaperclipOperationHangs';
const EXECUTE_HANGS = 'PaperclipExecuteHangs';
const SILENT = 'PaperclipInstrumentationSilent';

const FOUR_WEEKS = 4 * WEEK;
const E2B = 'e2b';
/** A reason that is no design: the channel opened, and did not get ready. */
const NOT_READY = 'ready_timeout';
const QUOTA = 'QUOTA_EXCEEDED';

const during =
  ({ from, to }: Span) =>
  (time: number) =>
    time >= from && time < to;

/** Runs over the whole time, each with what is wrong with it. */
function runs(amount: Amount, length: number, what: (time: number, random: Random) => Run = () => ({})) {
  return (world: World, random: Random) => {
    for (const time of arrivals(amount, { from: 0, to: length }, random))
      run(world, time, random, what(time, random));
  };
}

/** Several things that happen at the same time. */
function together(...plays: readonly Row['play'][]): Row['play'] {
  return (world, random) => {
    for (const play of plays) play(world, random);
  };
}

/** A run is wrong in a way during a fault, and well before and after it. */
function faulty(amount: Amount, length: number, fault: Span, what: Run, share = 1) {
  const isFaulty = during(fault);
  return runs(amount, length, (time, random) => (isFaulty(time) && random() < share ? what : {}));
}

/** One alert that must fire, and is looked at alone. */
function only(alert: string) {
  return { alert, watched: [alert] };
}

const fallsBack: Run = { fallsBack: NOT_READY };

/** All of a few traffics. */
function each<T>(
  traffics: readonly (readonly [words: string, amount: Amount, T])[],
  row: (words: string, amount: Amount, more: T) => Row,
) {
  return traffics.map(([words, amount, more]) => row(words, amount, more));
}

// ---- fallbacks

const fromTheStart = each(
  [
    ['3 a day', perDay(3), [36 * HOUR, 36 * HOUR]],
    ['20 a day', perDay(20), [6 * HOUR, 18 * HOUR]],
    ['100 a day', perDay(100), [75, 13 * HOUR]],
  ] as const,
  (traffic, amount, [within, resolves]) => {
    const length = 9 * DAY;
    const fault = { from: 0, to: 7 * DAY };
    return {
      what: 'every request falls back for a week, from the first on',
      traffic,
      ...only(FALLBACK),
      step: 10,
      length,
      fault,
      within,
      resolves,
      stays: true,
      play: faulty(amount, length, fault, fallsBack),
    };
  },
);
const busyFromTheStart: Row = {
  what: 'every request falls back, from the first on',
  traffic: '300 a day',
  ...only(FALLBACK),
  step: 1,
  length: 10 * HOUR,
  fault: { from: 0, to: 6 * HOUR },
  within: 30,
  resolves: 4 * HOUR,
  stays: true,
  play: faulty(perDay(300), 10 * HOUR, { from: 0, to: 6 * HOUR }, fallsBack),
};

const officeHours = each(
  [
    ['60 a day in ten office hours', inOffice(perDay(60)), undefined],
    ['150 a day in ten office hours', inOffice(perDay(150)), undefined],
  ] as const,
  (traffic, amount) => ({
    what: '60% of the requests fall back',
    traffic,
    ...only(FALLBACK),
    step: 10,
    length: 4 * DAY,
    fault: { from: OFFICE.opens, to: 4 * DAY },
    within: OFFICE.closes - OFFICE.opens,
    play: faulty(amount, 4 * DAY, { from: 0, to: 4 * DAY }, fallsBack, 0.6),
  }),
);

const FOUR = [DAYTONA, E2B, 'modal', 'novita'];
const oneOfFour: Row = {
  what: 'one of four providers always falls back',
  traffic: '18 an hour each',
  ...only(FALLBACK),
  step: 10,
  length: 3 * DAY,
  fault: { from: 0, to: 3 * DAY },
  within: 2 * HOUR,
  stays: true,
  labels: { [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'novita' },
  play: together(
    ...FOUR.map((provider) =>
      runs(perHour(18), 3 * DAY, () => ({ provider, ...(provider === 'novita' ? fallsBack : {}) })),
    ),
  ),
};

const withoutChannels: Row = {
  what: 'one of two providers has no channels (`capability_absent`)',
  traffic: '60 a day each',
  step: 10,
  length: FOUR_WEEKS,
  play: together(
    runs(perDay(60), FOUR_WEEKS),
    // The service refuses with a message of its own, which the catalog has as unsupported.
    runs(perDay(60), FOUR_WEEKS, () => ({
      provider: E2B,
      fallsBack: 'capability_absent',
      refused: TAG_UNSUPPORTED_DRIVER_OPERATION,
    })),
  ),
};

const outage: readonly Row[] = (
  [
    ['every request falls back for an hour', FALLBACK, fallsBack],
    ['every acquire fails for an hour', ACQUIRES, { acquireFails: QUOTA }],
  ] as const
).flatMap(([what, alert, wrong]) =>
  [60, 1000].map((requests) => {
    const fault = { from: 8 * HOUR, to: 9 * HOUR };
    return {
      what,
      traffic: `${requests.toLocaleString('en')} an hour`,
      ...only(alert),
      step: 1,
      length: 12 * HOUR,
      fault,
      within: 15,
      stays: true,
      resolves: 30,
      play: faulty(perHour(requests), 12 * HOUR, fault, wrong),
    };
  }),
);

// ---- re-acquires

const lacksMetadata = (reacquire: ReacquireOutcome): Run => ({
  fallsBack: TAG_MISSING_METADATA_FIELD,
  refused: TAG_MISSING_METADATA_FIELD,
  reacquire,
});
const restartsEachHour: Server = {
  instance: 'server-1',
  restarts: Array.from({ length: 28 * 24 }, (_, hour) => hour * HOUR + 50.5),
};
const NONE_CURES = 'leases lack metadata, and no fresh one cures that';
const everyHour: readonly Row[] = (
  [
    ['one re-acquire an hour fails', {}],
    ['one re-acquire an hour fails, and the server restarts each hour', { servers: [restartsEachHour] }],
  ] as const
).map(([what, more]) => ({
  what,
  traffic: '20 a day',
  ...only(SOME_REACQUIRES),
  step: 10,
  length: 3 * DAY,
  fault: { from: DAY, to: 2 * DAY },
  within: 6 * HOUR,
  stays: true,
  resolves: 13 * HOUR,
  play: together(runs(perDay(20), 3 * DAY), (world, random) => {
    for (let hour = 24; hour < 48; hour++)
      run(world, hour * HOUR + 20 + 5 * random(), random, lacksMetadata('operation_failed'));
  }),
  ...more,
}));

const nobodyRetries: Row = {
  what: 'six operations lack metadata, then channels are switched off, and nobody tries again',
  traffic: '20 a day',
  watched: [REACQUIRES, SOME_REACQUIRES],
  step: 10,
  length: 4 * DAY,
  play: (world, random) => {
    let left = 6;
    for (const time of arrivals(perDay(20), { from: 0, to: 4 * DAY }, random)) {
      if (time < DAY) run(world, time, random, {});
      else if (left-- > 0)
        run(world, time, random, lacksMetadata(left % 2 ? 'not_attempted' : 'not_retried'));
      else run(world, time, random, { fallsBack: 'gate_off' });
    }
  },
};

// ---- refusals

const refused: Run = {
  fallsBack: TAG_UNSUPPORTED_DRIVER_OPERATION,
  refused: TAG_UNSUPPORTED_DRIVER_OPERATION,
};
const byDesignInTheMorning: Row = {
  what: 'refusals by design on working days from 9 to 13; false alarms from the second week on',
  traffic: '300 a day, 40 an hour refused',
  step: 10,
  length: FOUR_WEEKS,
  quietFrom: WEEK,
  play: together(runs(perDay(300), FOUR_WEEKS), (world, random) => {
    for (const time of arrivals(perHour(40), { from: 0, to: FOUR_WEEKS }, random)) {
      const hour = (time % DAY) / HOUR;
      if (!isWeekend(time) && hour >= 9 && hour < 13)
        run(world, time, random, { fallsBack: 'gate_off', refused: TAG_UNSUPPORTED_DRIVER_OPERATION });
    }
  }),
};
const newRefusals = each(
  [
    ['120 an hour', perHour(120), undefined],
    ['1,000 an hour', perHour(1000), undefined],
  ] as const,
  (traffic, amount) => {
    const fault = { from: 6 * HOUR, to: 8 * HOUR };
    return {
      what: 'every channel is refused as unsupported, which was never so before',
      traffic,
      ...only(SPIKE),
      step: 1,
      length: 10 * HOUR,
      fault,
      within: 20,
      resolves: 30,
      play: faulty(amount, 10 * HOUR, fault, refused),
    };
  },
);

// ---- deployments

const badDeployment = each(
  [
    ['300 a day', perDay(300), 45],
    ['60 an hour', perHour(60), 20],
    ['1,000 an hour', perHour(1000), 15],
  ] as const,
  (traffic, amount, within) => {
    const from = 6 * HOUR + 2;
    const length = 10 * HOUR;
    return {
      what: 'leases lack metadata since a deployment',
      traffic,
      ...only(METADATA),
      step: 1,
      length,
      servers: [{ instance: 'server-1', restarts: [from - 1] }],
      // After an hour a deployment is no news.
      fault: { from, to: from + HOUR },
      within,
      resolves: 45,
      play: faulty(amount, length, { from, to: length }, lacksMetadata('succeeded')),
    };
  },
);

// ---- channels

/** Beside runs that are not meant to have any. */
const longChannels =
  (lost: number): Row['play'] =>
  (world, random) => {
    const server = world.server(0);
    runs(perHour(20), 16 * HOUR, () => ({ fallsBack: 'gate_off' }))(world, random);
    for (let index = 0; index < 60; index++)
      channel(
        world,
        server,
        { from: index * 3, to: index < lost ? 8 * HOUR + index * 4 : 16 * HOUR },
        DAYTONA,
        index < lost,
      );
  };
const channels: readonly Row[] = [
  {
    what: '3 of 60 channels that live for hours are lost in a quarter of an hour',
    traffic: '60 at a time',
    watched: [LOSSES],
    step: 1,
    length: 16 * HOUR,
    play: longChannels(3),
  },
  {
    what: '30 of 60 channels that live for hours are lost within two hours',
    traffic: '60 at a time',
    ...only(LOSSES),
    step: 1,
    length: 16 * HOUR,
    fault: { from: 8 * HOUR, to: 10 * HOUR },
    within: 2 * HOUR,
    resolves: 7 * HOUR,
    play: longChannels(30),
  },
  ...each(
    [
      ['20 a day', perDay(20), DAY],
      ['300 a day', perDay(300), 2 * HOUR],
      ['60 an hour', perHour(60), 45],
    ] as const,
    (traffic, amount, within) => {
      const fault = { from: 3 * DAY, to: 5 * DAY };
      return {
        what: 'every second channel is lost',
        traffic,
        ...only(LOSSES),
        step: 10 as const,
        length: 7 * DAY,
        fault,
        within,
        resolves: 18 * HOUR,
        play: faulty(amount, 7 * DAY, fault, { channelIsLost: true }, 0.5),
      };
    },
  ),
];

// ---- silence

const officeOf = (requests: number) => inOffice(perDay(requests));
/** Nobody can know before there is something to miss. */
const SATURDAY = { lost: at('Sat', 10, 2), missed: at('Mon', 9, 2) };
const MONDAY = { lost: at('Mon', 5, 2), missed: at('Mon', 9, 2) };
const WEDNESDAY = { lost: at('Wed', 12, 2), missed: at('Wed', 12, 2) };
const silence: readonly Row[] = (
  [
    ['on Saturday', SATURDAY, 60, false],
    ['on Saturday', SATURDAY, 300, true],
    ['on Monday before work', MONDAY, 60, true],
    ['on Monday before work', MONDAY, 300, false],
    ['on Wednesday at noon', WEDNESDAY, 60, false],
    ['on Wednesday at noon', WEDNESDAY, 300, true],
  ] as const
).map(([when, { lost, missed }, requests, overOtlp]) => {
  const back = at('Fri', 8.5, 3);
  return {
    what: `the instrumentation is lost ${when}, until Friday (${overOtlp ? 'over OTLP' : 'scraped'})`,
    traffic: `${requests} a day in office hours`,
    ...only(SILENT),
    step: 10,
    length: at('Sat', 0, 3),
    servers: [{ instance: 'server-1', silent: [{ from: lost, to: back }], overOtlp }],
    fault: { from: missed, to: back },
    within: 3 * HOUR,
    stays: true,
    resolves: 3 * HOUR,
    play: runs(officeOf(requests), at('Sat', 0, 3)),
  };
});

// ---- what is left behind

function failing(
  what: string,
  alert: string,
  fault: Run,
  limits: readonly (readonly [string, Amount, number, number])[],
): readonly Row[] {
  return limits.map(([traffic, amount, within, resolves]) => {
    const span = { from: 3 * DAY, to: 6 * DAY };
    return {
      what,
      traffic,
      ...only(alert),
      step: 10,
      length: 8 * DAY,
      fault: span,
      within,
      stays: true,
      resolves,
      play: faulty(amount, 8 * DAY, span, fault),
    };
  });
}
/** The limits: until it fires, and until it resolves. Before the fault there are days in which all is well. */
const BY_TRAFFIC = [
  ['3 a day', perDay(3), 60 * HOUR, 36 * HOUR],
  ['20 a day', perDay(20), 7 * HOUR, 18 * HOUR],
  ['100 a day', perDay(100), 2 * HOUR, 13 * HOUR],
  ['300 a day', perDay(300), 60, 4 * HOUR],
] as const;

const someReacquires = each(
  [
    ['100 a day', perDay(100), DAY],
    ['300 a day', perDay(300), 8 * HOUR],
    ['60 an hour', perHour(60), 2 * HOUR],
  ] as const,
  (traffic, amount, within) => {
    const fault = { from: 0, to: 4 * DAY };
    return {
      what: 'leases lack metadata, and one of three fresh ones does, too',
      traffic,
      ...only(SOME_REACQUIRES),
      step: 10,
      length: 4 * DAY,
      fault,
      within,
      play: runs(amount, 4 * DAY, (_, random) =>
        lacksMetadata(random() < 1 / 3 ? 'still_incomplete' : 'succeeded'),
      ),
    };
  },
);

/** Where nothing is tried any more once all is well, nothing but time says so. */
const UNTIL_FORGOTTEN = BY_TRAFFIC.map(
  ([traffic, amount, within, resolves]) => [traffic, amount, within, Math.max(resolves, 13 * HOUR)] as const,
);

const LEASE = {
  ...ofSandbox(DAYTONA),
  [ATTR_PAPERCLIP_LEASE_POLICY]: 'ephemeral',
};
const waits = {
  ...LEASE,
  [ATTR_PAPERCLIP_LEASE_STATUS]: 'pending_cleanup',
  [ATTR_PAPERCLIP_LEASE_RUN]: 'ended',
};
const strands = { ...LEASE, [ATTR_PAPERCLIP_LEASE_STATUS]: 'active', [ATTR_PAPERCLIP_LEASE_RUN]: 'ended' };
const runless = { ...LEASE, [ATTR_PAPERCLIP_LEASE_STATUS]: 'active', [ATTR_PAPERCLIP_LEASE_RUN]: 'none' };

function hangs(name: OperationName, from: number, to: number): Row['play'] {
  return (world) =>
    world.age(world.server(from), { from, to }, METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST, {
      ...ofSandbox(DAYTONA),
      [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name,
    });
}

/** A fault of six hours that stays until it ends. */
const SIX_HOURS = {
  step: 1,
  length: 12 * HOUR,
  fault: { from: 2 * HOUR, to: 8 * HOUR },
  stays: true,
  resolves: 15,
} as const;

const gauges: readonly Row[] = [
  {
    what: 'a lease waits for its cleanup',
    traffic: '20 a day',
    ...only(WAITING),
    ...SIX_HOURS,
    within: 75,
    play: together(runs(perDay(20), 12 * HOUR), (world) =>
      world.lease({ from: 2 * HOUR, to: 8 * HOUR }, waits),
    ),
  },
  {
    what: 'one more lease waits for its cleanup every five minutes',
    traffic: '300 a day',
    ...only(WAITING),
    ...SIX_HOURS,
    within: 25,
    play: together(runs(perDay(300), 12 * HOUR), (world) => {
      for (let time = 2 * HOUR; time < 8 * HOUR; time += 5)
        world.lease({ from: time, to: 8 * HOUR }, waits, 2 * HOUR);
    }),
  },
  {
    what: 'a lease stays active when its run has ended',
    traffic: '20 a day',
    ...only(STRANDED),
    ...SIX_HOURS,
    within: 16,
    play: together(runs(perDay(20), 12 * HOUR), (world) =>
      world.lease({ from: 2 * HOUR, to: 8 * HOUR }, strands, 0),
    ),
  },
  {
    what: 'a lease stays active without a run',
    traffic: '20 a day',
    ...only(STRANDED),
    step: 10,
    length: 3 * DAY,
    fault: { from: 2 * HOUR, to: 2 * DAY },
    within: DAY + 20,
    stays: true,
    resolves: 15,
    play: together(runs(perDay(20), 3 * DAY), (world) =>
      world.lease({ from: 2 * HOUR, to: 2 * DAY }, runless),
    ),
  },
  {
    what: 'an acquire hangs',
    traffic: '20 a day',
    ...only(HANGS),
    step: 1,
    length: 8 * HOUR,
    fault: { from: 2 * HOUR, to: 6 * HOUR },
    within: 20,
    stays: true,
    resolves: 10,
    play: together(runs(perDay(20), 8 * HOUR), hangs('acquire_run_lease', 2 * HOUR, 6 * HOUR)),
  },
  {
    what: 'a command hangs',
    traffic: '20 a day',
    ...only(EXECUTE_HANGS),
    step: 10,
    length: 3 * DAY,
    fault: { from: 2 * HOUR, to: 2 * DAY },
    within: DAY + 20,
    stays: true,
    resolves: 15,
    play: together(runs(perDay(20), 3 * DAY), hangs('execute', 2 * HOUR, 2 * DAY)),
  },
];

// ---- nothing is wrong

/** What happens where all is well: one request of ten falls back, and now and then something fails. */
function usual(_: number, random: Random): Run {
  return {
    ...(random() < 0.1 ? fallsBack : {}),
    ...(random() < 0.01 ? { acquireFails: QUOTA } : {}),
    ...(random() < 0.01 ? { releaseFails: ERROR_TYPE_LEASE_CLEANUP_FAILED } : {}),
    ...(random() < 0.01 ? { executeFails: ERROR_TYPE_PLUGIN_TIMEOUT } : {}),
    ...(random() < 0.01 ? { channelIsLost: true } : {}),
  };
}

/** One server after the other, each for four days, beside one that stays. */
const ROLLING: readonly Server[] = [
  { instance: 'server-0' },
  ...Array.from({ length: 7 }, (_, index) => ({
    instance: `server-${index + 1}`,
    from: index * 4 * DAY,
    to: (index + 1) * 4 * DAY + 10,
  })),
];
const GAPS: Server = {
  instance: 'server-1',
  gaps: Array.from({ length: 28 }, (_, day) => {
    const from = day * DAY + ((day * 7) % 24) * HOUR;
    return { from, to: from + ([10, 30, 120, 400][day % 4] ?? 10) };
  }),
};
const healthy: readonly Row[] = (
  [
    ['3 a day', perDay(3)],
    ['22 to 30 an hour', perHour(22, 30)],
    ['1,000 to 2,000 an hour', perHour(1000, 2000)],
    ['20 a day in office hours, the first weekend included', inOffice(perDay(20))],
    ['60 to 150 a day in office hours, the first weekend included', inOffice(perDay(60, 150))],
    ['20 a day, a restart each hour', perDay(20), [restartsEachHour]],
    ['100 a day, scrapes that fail each day', perDay(100), [GAPS]],
    ['300 a day, two servers, a rolling deployment every four days', perDay(300), ROLLING],
  ] as readonly (readonly [string, Amount, (readonly Server[])?])[]
).map(([traffic, amount, servers]) => ({
  what: 'nothing is wrong, and 10% fall back',
  traffic,
  step: 10,
  length: FOUR_WEEKS,
  play: runs(amount, FOUR_WEEKS, usual),
  ...(servers === undefined ? {} : { servers }),
}));

export const ROWS: readonly Row[] = [
  ...fromTheStart,
  busyFromTheStart,
  ...failing('every request falls back', FALLBACK, fallsBack, BY_TRAFFIC),
  ...officeHours,
  oneOfFour,
  ...outage,
  withoutChannels,
  ...everyHour,
  ...failing(NONE_CURES, SOME_REACQUIRES, lacksMetadata('still_incomplete'), UNTIL_FORGOTTEN),
  // Half of all is far to be sure of: it takes nine.
  ...failing(NONE_CURES, REACQUIRES, lacksMetadata('still_incomplete'), [
    ['20 a day', perDay(20), 13 * HOUR, 18 * HOUR],
    ['100 a day', perDay(100), 3 * HOUR, 13 * HOUR],
    ['300 a day', perDay(300), 75, 13 * HOUR],
  ]),
  ...someReacquires,
  nobodyRetries,
  byDesignInTheMorning,
  ...newRefusals,
  ...badDeployment,
  ...channels,
  ...silence,
  ...failing('every acquire fails for days', ACQUIRES, { acquireFails: QUOTA }, BY_TRAFFIC),
  ...failing(
    'every teardown fails',
    TEARDOWNS,
    { releaseFails: ERROR_TYPE_LEASE_CLEANUP_FAILED },
    BY_TRAFFIC,
  ),
  ...failing(
    'every call of a plug-in times out',
    PLUGIN_CALLS,
    { realizeFails: ERROR_TYPE_PLUGIN_TIMEOUT },
    BY_TRAFFIC,
  ),
  ...gauges,
  ...healthy,
];
