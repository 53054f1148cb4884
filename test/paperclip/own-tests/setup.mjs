/** After each file of Paperclip's own tests: writes down what telemetry they left behind, if there is an SDK. */
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const take = globalThis[Symbol.for('paperclip-own-tests')];
if (take !== undefined) {
  afterAll(async () => {
    const { metrics } = await take();
    const file = expect.getState().testPath;
    appendFileSync(
      `${process.env.OWN_TESTS_OUTPUT}/telemetry.jsonl`,
      `${JSON.stringify({ file, metrics })}\n`,
    );
  });
}
