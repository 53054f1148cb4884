/** Every dashboard, in the order in which they are listed. */
import { LEASES } from './leases.js';
import { OVERVIEW } from './overview.js';
import { RECOVERY } from './recovery.js';

export const DASHBOARDS = [OVERVIEW, RECOVERY, LEASES];
