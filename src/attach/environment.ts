/** Whether the standard OpenTelemetry variables switch this instrumentation on. */
import { commaSeparated } from '../text.js';

/** The name by which `OTEL_NODE_*_INSTRUMENTATIONS` call this instrumentation. */
const NAME = 'paperclip';

/**
 * @param env the environment variables
 * @returns whether `OTEL_SDK_DISABLED`, `OTEL_NODE_ENABLED_INSTRUMENTATIONS` and
 *   `OTEL_NODE_DISABLED_INSTRUMENTATIONS` leave the instrumentation on
 */
export function isSwitchedOn(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  const enabled = commaSeparated(env.OTEL_NODE_ENABLED_INSTRUMENTATIONS ?? '');
  const disabled = commaSeparated(env.OTEL_NODE_DISABLED_INSTRUMENTATIONS ?? '');
  return (enabled.length === 0 || enabled.includes(NAME)) && !disabled.includes(NAME);
}
