// @ts-check
/** The kinds of request that the traffic consists of, each with what should come of it. */
import { LEASE_IDENTITY_FIELDS } from 'opentelemetry-instrumentation-paperclip/semconv';

/** @import { Command } from './duplex-channel.mjs' */
/** @import { RequestEnd } from './ledger.mjs' */
/** @import { ReacquireOutcome } from 'opentelemetry-instrumentation-paperclip/semconv' */

/** @typedef {'duplex' | 'duplex-by-hand' | 'duplex-only' | 'bridge' | 'execute'} Work what is done on the lease */

/**
 * @typedef {object} Kind
 * @property {number} weight how many requests are of this kind, compared with the others
 * @property {string} environment
 * @property {Work} [work]
 * @property {readonly string[]} [lost] fields that the lease lacks, as if an older release had stored it
 * @property {Command | typeof SLEEP} [command] what runs on it; else a command that mostly succeeds
 * @property {RequestEnd} [request] how the request for a channel ends
 * @property {ReacquireOutcome} [reacquire] how the re-acquire ends, where the lease lacks a field
 */

const [PLUGIN_ID, PROVIDER, PROVIDER_LEASE_ID] = LEASE_IDENTITY_FIELDS;
/** A command that does not end before its time limit; for `execute` only. */
export const SLEEP = 'sleep';
/** Without this, a lease is not one of a sandbox provider's plug-in. */
export const PLUGIN_FLAG = 'metadata.sandboxProviderPlugin';

/** @type {readonly Kind[]} */
export const KINDS = [
  // On these leases a channel can be opened.
  { weight: 3, environment: 'daytona', work: 'duplex', request: 'opened' },
  { weight: 3, environment: 'e2b', work: 'duplex', request: 'opened' },
  { weight: 4, environment: 'kubernetes', work: 'duplex-by-hand', request: 'opened' },
  { weight: 2, environment: 'in-house', work: 'duplex', request: 'opened' },

  // These are no leases of a plug-in. Only an agent that takes nothing but a channel goes away without.
  { weight: 2, environment: 'e2b', work: 'duplex', lost: [PLUGIN_FLAG], request: 'fallback' },
  { weight: 2, environment: 'e2b', work: 'duplex-by-hand', lost: [PLUGIN_FLAG], request: 'fallback' },
  { weight: 1, environment: 'e2b', work: 'duplex-only', lost: [PLUGIN_FLAG], request: 'failed' },
  { weight: 2, environment: 'machines', work: 'duplex-by-hand', request: 'fallback' },

  // These lack a field, and a fresh lease has it.
  {
    weight: 3,
    environment: 'daytona',
    work: 'duplex',
    lost: [PROVIDER_LEASE_ID],
    request: 'opened',
    reacquire: 'succeeded',
  },
  {
    weight: 2,
    environment: 'daytona',
    work: 'duplex-by-hand',
    lost: [PLUGIN_ID, PROVIDER],
    request: 'opened',
    reacquire: 'succeeded',
  },

  // These lack a field, and no fresh lease helps: nobody asks for one, there is none, or it lacks the field, too.
  {
    weight: 2,
    environment: 'daytona',
    work: 'duplex-only',
    lost: [PROVIDER_LEASE_ID],
    request: 'failed',
    reacquire: 'not_attempted',
  },
  {
    weight: 2,
    environment: 'kubernetes',
    work: 'duplex-by-hand',
    lost: [PROVIDER_LEASE_ID],
    request: 'failed',
    reacquire: 'acquire_failed',
  },
  {
    weight: 2,
    environment: 'in-house-old',
    work: 'duplex',
    request: 'failed',
    reacquire: 'still_incomplete',
  },

  // Paperclip's bridge opens these. Some are lost while an agent uses them.
  { weight: 3, environment: 'daytona', work: 'bridge', request: 'opened' },
  { weight: 1, environment: 'in-house', work: 'bridge', command: 'false', request: 'opened' },
  { weight: 2, environment: 'e2b', work: 'bridge', command: 'crash', request: 'opened' },
  { weight: 1, environment: 'e2b', work: 'bridge', lost: [PLUGIN_FLAG], request: 'fallback' },
  { weight: 2, environment: 'kubernetes-files', work: 'bridge', request: 'by_design' },

  // Nobody wants a channel on these.
  { weight: 1, environment: 'kubernetes', work: 'execute' },
  { weight: 1, environment: 'kubernetes', work: 'execute', command: SLEEP },
  { weight: 1, environment: 'ssh' },
  { weight: 1, environment: 'local' },
];
