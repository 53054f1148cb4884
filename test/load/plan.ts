/** What a call is planned to do, and what is known of it afterwards. */
import type { LeaseEnd, LeaseShape, RecoveryKind, ReturnedErrorType } from '../../src/semconv.js';
import type { Agent } from './agent.js';
import type { Fault } from './faults.js';
import type { Environment, LoadHost } from './host.js';
import type { Ledger, Pending } from './ledger.js';
import type { Turns } from './turns.js';

/** What all agents share. */
export interface World {
  readonly turns: Turns;
  readonly ledger: Ledger;
  readonly host: LoadHost;
  /** Whether the instrumentation is enabled. */
  isOn: boolean;
  /** How many calls were made so far, recorded or not. */
  calls: number;
  /** How many of them have started while it was enabled. */
  recorded: number;
}

export type Shape = Exclude<LeaseShape, 'absent'>;
export type Lease = ReturnType<Agent['lease']>;

/** What a call will do, decided beforehand. */
export interface Plan {
  readonly lease?: Lease | undefined;
  /** What it throws; else it returns the value. */
  readonly fails?: Fault | undefined;
  /** The failure that the returned value tells of. */
  readonly returns?: ReturnedErrorType | undefined;
  readonly value?: unknown;
  /** What the driver does before. Default: it waits some turns. */
  readonly work?: () => Promise<void>;
  /** How the call ends a lease or came by one; attributes of the points of a success. */
  readonly leaseEnd?: LeaseEnd | undefined;
  readonly acquisition?: string | undefined;
  readonly recovery?: { readonly kind: RecoveryKind; readonly from: number | undefined } | undefined;
  /** The call that it is made in. */
  readonly parent?: Started | undefined;
  /** The call inside it whose error it passes on. */
  readonly passesOn?: Started | undefined;
  readonly level?: 'service' | 'driver';
  readonly environment?: Environment;
  /** Another run of the same issue. */
  readonly run?: string;
}

/** A call: its number, where it is recorded. */
export interface Started {
  call?: number | undefined;
}
export interface Done extends Started {
  readonly value?: unknown;
  readonly error?: unknown;
}

/** A refused open. */
export interface Refused extends Started {
  readonly lease: Lease | undefined;
  readonly at: number;
  readonly pending: Pending | undefined;
}
