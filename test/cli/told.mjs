#!/usr/bin/env node
// @ts-check
/** A command for `run`: prints what it was given and whether a preload runs in it, and ends or waits as it is told. */
const [how, detail] = process.argv.slice(2);
const shared = /** @type {any} */ (globalThis)[
  Symbol.for('opentelemetry-instrumentation-paperclip.shared.4')
];
console.log(
  JSON.stringify({
    isPreloaded: shared?.attachment.isPreloaded ?? false,
    options: process.env.NODE_OPTIONS,
    args: process.argv.slice(2),
  }),
);
if (how === 'exit') process.exitCode = Number(detail);
if (how === 'kill') process.kill(process.pid, detail);
if (how === 'wait') {
  setInterval(() => {}, 1_000);
  // As Paperclip's server: the second signal ends it at once.
  if (detail !== undefined) process.once(detail, () => setTimeout(() => process.exit(3), 200));
  console.log('waiting');
}
