/**
 * Colours with a meaning, for series whose name says what came of something. The colour-blind tell those of a panel apart, and
 * they stand out from both of Grafana's themes: `observability/browser` measures it.
 */
import {
  type ACQUISITION_OUTCOMES,
  type ChannelEnd,
  type DuplexOutcome,
  type FALLBACK_REASONS_BY_DESIGN,
  type FORWARD_OUTCOMES,
  type LeaseEnd,
  type LeaseShape,
  type PROVIDERS,
  type ReacquireOutcome,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';

const GOOD = 'blue';
/** Where a panel has two of a kind. */
const ALSO_GOOD = 'green';
const ALSO_BAD = 'semi-dark-purple';
const DOUBTFUL = 'semi-dark-orange';
const BAD = 'semi-dark-red';
/** Of what has no name, too. */
export const NEITHER = '#8e8e8e';

/** Colours by the word in the series' name. */
export type Colors = Readonly<Record<string, string>>;

/** Of as many providers as there are colours that all tell apart. Others get one by their name. */
export const PROVIDER_COLORS: Colors = {
  daytona: 'light-blue',
  e2b: 'semi-dark-orange',
  kubernetes: 'semi-dark-blue',
  modal: 'green',
  cloudflare: 'dark-green',
} satisfies Partial<Record<(typeof PROVIDERS)[number], string>>;

export const DUPLEX_OUTCOME_COLORS = {
  opened: GOOD,
  fallback: DOUBTFUL,
  failed: BAD,
  cancelled: NEITHER,
} satisfies Record<DuplexOutcome, string>;

/** Those by design, and the two errors of the catalog. */
export const FALLBACK_REASON_COLORS = {
  gate_off: NEITHER,
  capability_absent: ALSO_GOOD,
  [TAG_UNSUPPORTED_DRIVER_OPERATION]: DOUBTFUL,
  [TAG_MISSING_METADATA_FIELD]: BAD,
} satisfies Record<
  | (typeof FALLBACK_REASONS_BY_DESIGN)[number]
  | typeof TAG_UNSUPPORTED_DRIVER_OPERATION
  | typeof TAG_MISSING_METADATA_FIELD,
  string
>;

export const REACQUIRE_COLORS = {
  succeeded: GOOD,
  still_incomplete: DOUBTFUL,
  acquire_failed: BAD,
  operation_failed: ALSO_BAD,
  not_retried: NEITHER,
  not_attempted: NEITHER,
} satisfies Record<ReacquireOutcome, string>;

export const FORWARD_COLORS = { ok: GOOD, error: BAD } satisfies Record<
  (typeof FORWARD_OUTCOMES)[number],
  string
>;

export const ACQUISITION_COLORS = {
  created: GOOD,
  resumed: ALSO_GOOD,
  replacement: DOUBTFUL,
} satisfies Record<(typeof ACQUISITION_OUTCOMES)[number], string>;

export const LEASE_END_COLORS = {
  released: GOOD,
  expired: DOUBTFUL,
  failed: BAD,
  destroyed: NEITHER,
} satisfies Record<LeaseEnd, string>;

export const SHAPE_COLORS = {
  plugin_complete: GOOD,
  non_plugin: DOUBTFUL,
  plugin_incomplete: BAD,
  absent: NEITHER,
} satisfies Record<LeaseShape, string>;

export const CHANNEL_END_COLORS = {
  exit: GOOD,
  stopped: NEITHER,
  closed: DOUBTFUL,
  transport_closed: BAD,
} satisfies Record<ChannelEnd, string>;
