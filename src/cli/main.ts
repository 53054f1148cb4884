#!/usr/bin/env node
/** The command `opentelemetry-instrumentation-paperclip`. */
import { runCommandLine } from './program.js';

process.exitCode = await runCommandLine(process.argv.slice(2));
