/** Preload of a worker of vitest: an SDK, and a way for the tests' setup to ask for what came of them. */
import { startTelemetry } from '../host/telemetry.mjs';

globalThis[Symbol.for('paperclip-own-tests')] = startTelemetry().take;
