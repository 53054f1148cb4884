/** Whether the standard OpenTelemetry variables switch this instrumentation on. */
import { commaSeparated } from '../base/text.js';

/** The name of this instrumentation in `OTEL_NODE_*_INSTRUMENTATIONS`. */
export const SWITCH_NAME = 'paperclip';

/** A variable that can switch the instrumentation off. */
export type Switch =
  | 'OTEL_SDK_DISABLED'
  | 'OTEL_NODE_ENABLED_INSTRUMENTATIONS'
  | 'OTEL_NODE_DISABLED_INSTRUMENTATIONS';

/**
 * @param env the environment variables
 * @returns whether `OTEL_SDK_DISABLED`, `OTEL_NODE_ENABLED_INSTRUMENTATIONS` and
 *   `OTEL_NODE_DISABLED_INSTRUMENTATIONS` leave the instrumentation on
 */
export function isSwitchedOn(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return switchedOffBy(env) === undefined;
}

/** @returns the first of these variables that switches it off, or nothing */
export function switchedOffBy(env: Readonly<NodeJS.ProcessEnv>): Switch | undefined {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return 'OTEL_SDK_DISABLED';
  const enabled = commaSeparated(env.OTEL_NODE_ENABLED_INSTRUMENTATIONS ?? '');
  if (enabled.length > 0 && !enabled.includes(SWITCH_NAME)) return 'OTEL_NODE_ENABLED_INSTRUMENTATIONS';
  const disabled = commaSeparated(env.OTEL_NODE_DISABLED_INSTRUMENTATIONS ?? '');
  return disabled.includes(SWITCH_NAME) ? 'OTEL_NODE_DISABLED_INSTRUMENTATIONS' : undefined;
}
