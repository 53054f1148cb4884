/** Runs of agents, as many and when they are in an installation, and what each does. Times are minutes since the start. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_DUPLEX_CHANNEL_END,
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS,
  ATTR_PAPERCLIP_DUPLEX_LOSS_REASON,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  type DuplexOutcome,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION,
  METRIC_PAPERCLIP_DUPLEX_LOSSES,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type OperationName,
  type ReacquireOutcome,
} from '../../src/semconv.js';
import type { Random } from './random.js';
import type { Server, Span, World } from './world.js';

export const HOUR = 60;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

/** Time begins on a Thursday, as Unix time does, which rules may ask for the day of the week. */
export const DAYS = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'] as const;

/** @param week 0 for the one that begins on the first day */
export function at(day: (typeof DAYS)[number], hour = 0, week = 0): number {
  return week * WEEK + DAYS.indexOf(day) * DAY + hour * HOUR;
}

/** Ten hours of each working day. */
export const OFFICE = { opens: 9 * HOUR, closes: 19 * HOUR };

export function isWeekend(time: number): boolean {
  return ['Sat', 'Sun'].includes(DAYS[Math.floor(time / DAY) % 7] ?? '');
}

/** How many a day or an hour, from least to most. */
export interface Amount {
  readonly least: number;
  readonly most: number;
  readonly each: typeof DAY | typeof HOUR;
  /** On working days from nine to seven only. */
  readonly inOffice?: boolean;
}

export function perDay(least: number, most = least): Amount {
  return { least, most, each: DAY };
}
export function perHour(least: number, most = least): Amount {
  return { least, most, each: HOUR };
}
export function inOffice(amount: Amount): Amount {
  return { ...amount, inOffice: true };
}

/** When they begin: spread evenly, and not quite like clockwork. */
export function arrivals(
  { least, most, each, inOffice }: Amount,
  { from, to }: Span,
  random: Random,
): number[] {
  const times: number[] = [];
  for (let begin = Math.floor(from / each) * each; begin < to; begin += each) {
    const count = Math.round(least + random() * (most - least));
    const [first, length] =
      inOffice && each === DAY ? [begin + OFFICE.opens, OFFICE.closes - OFFICE.opens] : [begin, each];
    for (let index = 0; index < count; index++)
      times.push(first + ((index + 0.3 + 0.4 * random()) * length) / count);
  }
  const isOpen = (time: number) =>
    !isWeekend(time) && time % DAY >= OFFICE.opens && time % DAY < OFFICE.closes;
  return times.filter((time) => time >= from && time < to && (!inOffice || isOpen(time)));
}

/** What goes wrong in a run. */
export interface Run {
  readonly provider?: string;
  /** `error.type` of the acquire, after which there is no run. */
  readonly acquireFails?: string;
  /** `error.type` of the release. */
  readonly releaseFails?: string;
  /** The reason for which there is no channel. */
  readonly fallsBack?: string;
  /** `error.type` with which the driver refuses the channel, where it was asked. */
  readonly refused?: string;
  readonly reacquire?: ReacquireOutcome;
  /** `error.type` of `execute`. */
  readonly executeFails?: string;
  /** `error.type` of `realize_workspace`. */
  readonly realizeFails?: string;
  readonly channelIsLost?: boolean;
  /** Minutes; without it, from 2 to 12. */
  readonly length?: number;
}

const SANDBOX = 'sandbox';
export const DAYTONA = 'daytona';

export function ofSandbox(provider: string) {
  return { [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: SANDBOX, [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: provider };
}

export function operation(
  world: World,
  server: Server | undefined,
  time: number,
  name: OperationName,
  provider: string,
  errorType?: string,
) {
  world.count(server, time, METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, {
    ...ofSandbox(provider),
    [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name,
    ...(errorType === undefined ? {} : { [ATTR_ERROR_TYPE]: errorType }),
  });
}

export function run(world: World, time: number, random: Random, what: Run) {
  const { provider = DAYTONA, length = 2 + random() * 10 } = what;
  const server = world.server(time);
  const of = { [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: provider };
  const ends = time + length;
  operation(world, server, time, 'acquire_run_lease', provider, what.acquireFails);
  if (what.acquireFails !== undefined) return;
  operation(world, server, time + 0.2, 'realize_workspace', provider, what.realizeFails);
  if (what.fallsBack === undefined) {
    operation(world, server, time + 0.4, 'open_duplex_channel', provider);
    request(world, server, time + 0.4, provider, 'opened');
    channel(world, server, { from: time + 0.4, to: ends }, provider, what.channelIsLost);
  } else {
    if (what.refused !== undefined)
      operation(world, server, time + 0.4, 'open_duplex_channel', provider, what.refused);
    request(world, server, time + 0.5, provider, 'fallback', what.fallsBack, what.refused);
    operation(world, server, ends, 'execute', provider, what.executeFails);
  }
  if (what.reacquire !== undefined)
    world.count(server, time + 1, METRIC_PAPERCLIP_LEASE_REACQUIRES, {
      ...of,
      [ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME]: what.reacquire,
    });
  operation(world, server, ends + 0.1, 'release_run_lease', provider, what.releaseFails);
}

function request(
  world: World,
  server: Server | undefined,
  time: number,
  provider: string,
  outcome: DuplexOutcome,
  reason?: string,
  errorType?: string,
) {
  world.count(server, time, METRIC_PAPERCLIP_DUPLEX_REQUESTS, {
    [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: provider,
    [ATTR_PAPERCLIP_DUPLEX_OUTCOME]: outcome,
    ...(reason === undefined ? {} : { [ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON]: reason }),
    ...(errorType === undefined ? {} : { [ATTR_ERROR_TYPE]: errorType }),
  });
}

/** A channel that is open for a while. */
export function channel(
  world: World,
  server: Server | undefined,
  span: Span,
  provider: string,
  isLost = false,
) {
  const of = { [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: provider };
  world.hold(server, span, METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE, of);
  world.count(server, span.to, METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION, {
    ...of,
    [ATTR_PAPERCLIP_DUPLEX_CHANNEL_END]: isLost ? 'transport_closed' : 'exit',
  });
  if (isLost)
    world.count(server, span.to, METRIC_PAPERCLIP_DUPLEX_LOSSES, {
      ...of,
      [ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS]: 'post_dispatch',
      [ATTR_PAPERCLIP_DUPLEX_LOSS_REASON]: 'transport_closed',
    });
}
