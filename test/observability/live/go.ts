/** The Collector, Jaeger and Prometheus 3, built with Go where that is installed. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BUILD = join(import.meta.dirname, 'collector/build.mjs');

/** Paths of the programs. */
export interface Programs {
  readonly collector: string;
  readonly jaeger: string;
  /** Prometheus 3, where Debian's is version 2. */
  readonly prometheus: string;
  readonly promtool: string;
}

const { stdout, stderr } = await promisify(execFile)(process.execPath, [BUILD]);
if (stderr !== '') console.log(stderr.trimEnd());

/** Nothing where they would have to be built and there is no Go. */
export const PROGRAMS: Programs | undefined = stdout === '' ? undefined : JSON.parse(stdout);

/** For the name of a group of tests, that says why it is skipped. */
export const UNLESS_SKIPPED = PROGRAMS
  ? ''
  : ' (skipped: there is no Go to build Jaeger, the Collector and Prometheus 3 with)';
