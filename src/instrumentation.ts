/** The instrumentation as users construct it: with options, which are validated. */
import { warnOperator } from './base/faults.js';
import type { Settings } from './config.js';
import { CoreInstrumentation } from './core.js';
import { resolveSettings, validateOptions } from './options.js';
import type { PaperclipInstrumentationConfig } from './types.js';

/**
 * Instruments Paperclip's environment runtime and its drivers: one span and one point of the duration
 * histogram for each lease operation, with the shape of the lease and the class of the error.
 *
 * Works before any SDK is started, and follows the global providers until it is given others.
 */
export class PaperclipInstrumentation extends CoreInstrumentation {
  /**
   * @param config options; each also has an environment variable, and the one given here wins
   * @throws TypeError that names each option that is wrong and what is wrong with it
   */
  constructor(config: PaperclipInstrumentationConfig = {}) {
    super(config);
  }

  protected override settingsOf(config: PaperclipInstrumentationConfig): Settings {
    return resolveSettings(validateOptions(config), process.env, warnOperator);
  }
}
