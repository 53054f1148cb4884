// @ts-check
/** A plug-in that does not answer, which no traffic of the demo meets. */
import { ERROR_TYPE_PLUGIN_TIMEOUT } from 'opentelemetry-instrumentation-paperclip/semconv';

/** @import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip' */

const environment = { id: 'daytona', driver: 'sandbox', config: { provider: 'daytona' } };

/**
 * @param {Pick<PaperclipInstrumentation, 'instrumentDriver'>} instrumentation
 * @returns a function that calls it once, and returns the row of the ledger
 */
export function silentPlugIn(instrumentation) {
  const driver = instrumentation.instrumentDriver({
    driver: 'sandbox',
    /** @param {object} _input */
    async realizeWorkspace(_input) {
      throw Object.assign(new Error('timed out'), { code: ERROR_TYPE_PLUGIN_TIMEOUT });
    },
  });
  return async () => {
    await driver.realizeWorkspace({ environment }).catch(() => {});
    return `realize_workspace sandbox daytona absent ${ERROR_TYPE_PLUGIN_TIMEOUT}`;
  };
}
