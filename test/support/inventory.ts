/** Rows as Paperclip's database answers the query of its leases. */
import { HELD_COLUMN, inventoryColumn, OLDEST_COLUMN } from '../../src/lease/inventory.js';
import * as semconv from '../../src/semconv.js';

export interface Kind {
  readonly status?: string;
  readonly policy?: string;
  readonly driver?: string;
  readonly provider?: string;
  readonly run?: string;
}

/** A row of the answer: a lease of that kind, acquired a minute ago. */
export function inventoryRow(
  {
    status = 'active',
    policy = 'ephemeral',
    driver = 'sandbox',
    provider = 'daytona',
    run = 'live',
  }: Kind = {},
  count = 1,
  oldest = 60,
): Record<string, unknown> {
  return {
    [inventoryColumn(semconv.ATTR_PAPERCLIP_LEASE_STATUS)]: status,
    [inventoryColumn(semconv.ATTR_PAPERCLIP_LEASE_POLICY)]: policy,
    [inventoryColumn(semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER)]: driver,
    [inventoryColumn(semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER)]: provider,
    [inventoryColumn(semconv.ATTR_PAPERCLIP_LEASE_RUN)]: run,
    [HELD_COLUMN]: count,
    [OLDEST_COLUMN]: oldest,
  };
}
