#!/usr/bin/env node
/** The command `opentelemetry-instrumentation-paperclip`. */
import { EXIT } from './exit.js';
import { runCommandLine } from './program.js';

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader has gone (`doctor | head`).
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`error: ${message}\n`);
  process.exit(EXIT.problem);
});
// A message that cannot be printed is no reason to end.
process.stderr.on('error', () => {});

process.exitCode = await runCommandLine(process.argv.slice(2));
