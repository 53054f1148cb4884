/** Draws traces of the demo: `docs/pictures/traces-{theme}.svg`. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { RECOVERY_KINDS } from '../../../src/semconv.js';
import type { Span } from './spans.js';
import { THEMES } from './theme.js';
import { tracePicture } from './trace-picture.js';
import { traceWith } from './traces.js';

const SEED = 1;

const output = execFileSync(process.execPath, ['observability/src/pictures/demo.mjs', String(SEED)], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
});
const spans: readonly Span[] = JSON.parse(output);
const traces = RECOVERY_KINDS.map((kind) => traceWith(kind, spans));
for (const theme of THEMES) {
  const svg = tracePicture(traces, {
    title: 'Two refused opens, and what recovers from them (arrows are links)',
    caption: `measured on the demo, seed ${SEED}`,
    theme,
  });
  writeFileSync(`docs/pictures/traces-${theme.name}.svg`, `${svg}\n`);
}
