/** All checks. A fault of one may explain faults of those after it. */
import type { Check } from './check.js';
import { collector } from './collector.js';
import { copies } from './copies.js';
import { errorRecords } from './error-records.js';
import { hook } from './hook.js';
import { node } from './node.js';
import { options } from './options.js';
import { packages } from './packages.js';
import { paperclip } from './paperclip.js';
import { preload } from './preload.js';
import { sdk } from './sdk.js';
import { variables } from './variables.js';

export const CHECKS: readonly Check[] = [
  node,
  preload,
  paperclip,
  packages,
  copies,
  hook,
  sdk,
  variables,
  collector,
  options,
  errorRecords,
];
