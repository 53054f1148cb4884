/** Names of the packages that are looked at, and what the versions of OpenTelemetry's tell. */
import type { Package } from '../../attach/identity.js';

export const API = '@opentelemetry/api';
export const INSTRUMENTATION = '@opentelemetry/instrumentation';
export const SDK = '@opentelemetry/sdk-node';
/** The hooks that the instrumentation brings. */
export const INTERCEPTOR = 'import-in-the-middle';
/** The package with the command that starts Paperclip's server, which is one of its dependencies. */
export const LAUNCHER = 'paperclipai';

/**
 * Whether a package that is released as 0.x, such as the SDK, belongs to OpenTelemetry JS 3.x: 2.x is 0.2xx, and 3.x is
 * 0.300 and later.
 */
export function isLine3({ version }: Pick<Package, 'version'>): boolean {
  return Number(version?.split('.')[1]) >= 300;
}
